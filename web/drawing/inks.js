import { offscreenContextOf } from './context.js'

/** How long a finished stroke is still shown, until the drawing has it. */
const patienceMilliseconds = 1500

/** @typedef {import('../core/types.js').Point} Point */
/** @typedef {import('./context.js').Context2D} Context2D */
/** @typedef {Point & {width?: number}} InkPoint `width`: hundredths of the stroke's, 100 unless given */

/**
 * A stroke that is being drawn, painted by the rule for finished strokes (S15). The part of the curve around a point is
 * final once the next point is known. Final parts are kept as paths, one for each width, so that painting a long stroke
 * costs no more than painting a short one.
 */
export class GrowingInk {
  /** @type {Map<number, Path2D>} */
  #painted = new Map()
  /**
   * Final parts that were added after the last painting.
   *
   * @type {Map<number, Path2D>}
   */
  #fresh = new Map()
  /** @type {Tail | null} */
  #tail = null

  /** @param {string} color @param {number} width */
  constructor(color, width) {
    this.color = color
    this.width = width
  }

  /** @param {InkPoint} point of the canvas */
  add(point) { this.#tail = grown(this.#tail, point, (width) => this.#pathFor(width)) }

  /** @param {number} width */
  #pathFor(width) {
    const known = this.#fresh.get(width)
    if (known) return known
    const path = new Path2D()
    this.#fresh.set(width, path)
    return path
  }

  /**
   * Paints the final parts that are not painted yet, or all of them if the sheet is new.
   *
   * @param {Context2D} context in units of the canvas @param {boolean} isAnew all of it, or else what is new
   */
  paint(context, isAnew) {
    if (isAnew) for (const [width, path] of this.#painted) this.#stroke(context, path, width)
    for (const [width, path] of this.#fresh) {
      this.#stroke(context, path, width)
      const painted = this.#painted.get(width)
      if (painted) painted.addPath(path)
      else this.#painted.set(width, path)
    }
    this.#fresh.clear()
  }

  /**
   * Paints the part that the next point will change: from the last final part to the newest point, and on to the points
   * where the hand will probably be.
   *
   * @param {Context2D} context in units of the canvas @param {InkPoint[]} predicted
   */
  paintEnd(context, predicted) {
    /** @type {Map<number, Path2D>} */
    const paths = new Map()
    const pathFor = (/** @type {number} */ width) => {
      const path = paths.get(width) ?? new Path2D()
      paths.set(width, path)
      return path
    }
    let tail = this.#tail
    for (const point of predicted) tail = grown(tail, point, pathFor)
    if (!tail) return
    const end = pathFor(tail.width)
    end.moveTo(tail.from.x, tail.from.y)
    end.lineTo(tail.last.x, tail.last.y)
    for (const [width, path] of paths) this.#stroke(context, path, width)
  }

  /** @param {Context2D} context @param {Path2D} path @param {number} hundredths */
  #stroke(context, path, hundredths) {
    context.lineCap = 'round'
    context.lineJoin = 'round'
    context.lineWidth = this.width * hundredths / 100
    context.strokeStyle = this.color
    context.stroke(path)
  }
}

/** @typedef {{from: Point, last: Point, width: number}} Tail where the part around the last point begins, and that point */

/**
 * Adds a point, which makes the part around the point before it final.
 *
 * @param {Tail | null} tail @param {InkPoint} point @param {(width: number) => Path2D} pathFor where parts of a width go
 * @returns {Tail}
 */
function grown(tail, { x, y, width = 100 }, pathFor) {
  const last = { x, y }
  if (!tail) return { from: last, last, width }
  const middle = { x: (tail.last.x + x) / 2, y: (tail.last.y + y) / 2 }
  const path = pathFor(tail.width)
  path.moveTo(tail.from.x, tail.from.y)
  path.quadraticCurveTo(tail.last.x, tail.last.y, middle.x, middle.y)
  return { from: middle, last, width }
}

/**
 * Strokes that are being drawn: this person's own, and the others' strokes, assembled from the pieces in their
 * presence. They are painted on a separate sheet, to which only new parts are added while the view stays the same.
 */
export class Inks {
  /** @type {Map<number, {shape: number, ink: GrowingInk, count: number, toldAt: number}>} */
  #known = new Map()
  /** @type {GrowingInk | null} */
  #own = null
  /** @type {InkPoint[]} */
  #predicted = []
  #isWaiting = false
  /** @type {OffscreenCanvas | null} */
  #sheet = null
  /** The view for which the sheet was painted, and whether a stroke has gone from the sheet since. */
  #seen = ''
  #isStale = false

  get hasAny() { return this.#own !== null || this.#known.size > 0 }
  /** Whether a finished stroke waits until the drawing has it. If that takes too long, the stroke is dropped. */
  get isWaiting() { return this.#isWaiting }

  /**
   * Sets the stroke that this person is drawing.
   *
   * @param {GrowingInk | null} ink @param {InkPoint[]} predicted
   */
  setOwn(ink, predicted) {
    if (this.#own && this.#own !== ink) this.#isStale = true
    this.#own = ink
    this.#predicted = predicted
  }

  /**
   * @param {import('../state/presence.js').Person[]} people @param {number} now
   * @param {(shape: number) => boolean} isDrawn whether the drawing has it already
   */
  follow(people, now, isDrawn) {
    const drawing = new Map(people.flatMap(({ actor, ink }) => (ink ? [[actor, ink]] : [])))
    for (const [actor, piece] of drawing) {
      const { shape, color, width, at, points, widths } = piece
      if (isDrawn(shape)) continue
      let known = this.#known.get(actor)
      if (known?.shape !== shape) {
        if (known) this.#isStale = true
        known = { shape, ink: new GrowingInk(color, width), count: 0, toldAt: now }
        this.#known.set(actor, known)
      }
      known.toldAt = now
      const told = points.length / 2
      // If a piece is missing, its gap is bridged by a straight line.
      for (let place = Math.max(0, known.count - at); place < told; place++) {
        known.ink.add({ x: points[2 * place], y: points[2 * place + 1], width: widths?.[place] })
      }
      known.count = Math.max(known.count, at + told)
    }
    this.#isWaiting = false
    for (const [actor, { shape, toldAt }] of this.#known) {
      if (isDrawn(shape) || (!drawing.has(actor) && now - toldAt > patienceMilliseconds)) {
        this.#known.delete(actor)
        this.#isStale = true
      } else if (!drawing.has(actor)) this.#isWaiting = true
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {import('./view.js').View} view */
  paint(context, view) {
    if (!this.hasAny) {
      this.#sheet = null
      return
    }
    const { canvas } = context
    const { scale, x, y } = view.pixels
    const seen = `${scale} ${x} ${y} ${canvas.width} ${canvas.height}`
    const isAnew = this.#sheet === null || this.#isStale || seen !== this.#seen
    const sheet = this.#sheet ??= new OffscreenCanvas(canvas.width, canvas.height)
    if (isAnew) {
      sheet.width = canvas.width
      sheet.height = canvas.height
      this.#seen = seen
      this.#isStale = false
    }
    const onSheet = offscreenContextOf(sheet)
    onSheet.setTransform(scale, 0, 0, scale, x, y)
    const inks = [...this.#known.values()].map(({ ink }) => ink)
    if (this.#own) inks.push(this.#own)
    for (const ink of inks) ink.paint(onSheet, isAnew)
    context.save()
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(sheet, 0, 0)
    context.setTransform(scale, 0, 0, scale, x, y)
    for (const ink of inks) ink.paintEnd(context, ink === this.#own ? this.#predicted : [])
    context.restore()
  }
}
