import type { Point } from '../core/types.js'
import type { Person } from '../state/presence.js'
import { type Context2D, offscreenContextOf } from './context.js'
import { dotLength } from './lines.js'
import { packedColor } from './motion.js'
import { inkTone } from './tones.js'
import type { View } from './view.js'

/** How long another person's finished stroke stays visible if the drawing doesn't contain it yet. */
const patienceMilliseconds = 1500

/** `width` is in hundredths of the stroke's width; the default is 100. */
export type InkPoint = Point & { width?: number }

/**
 * A stroke that is being drawn, painted by the rule for finished strokes (S15). The curve around a point is final once
 * the next point is known. Final parts are cached as paths, so that a new point costs the same however long the stroke
 * is.
 */
export class GrowingInk {
  #painted = new Map<number, Path2D>()
  /** Finished parts of the stroke that are not painted yet, by their width. */
  #fresh = new Map<number, Path2D>()
  #tail: Tail | null = null
  readonly color
  readonly width

  constructor(color: string, width: number) {
    this.color = color
    this.width = width
  }

  /** @param point in canvas coordinates */
  add(point: InkPoint) { this.#tail = grown(this.#tail, point, (width) => this.#pathFor(width)) }

  #pathFor(width: number) {
    const known = this.#fresh.get(width)
    if (known) return known
    const path = new Path2D()
    this.#fresh.set(width, path)
    return path
  }

  /**
   * Paints the final parts.
   *
   * @param context in units of the canvas
   * @param isAnew whether to paint all of them, and not only those that are not painted yet
   */
  paint(context: Context2D, isDark: boolean, isAnew: boolean) {
    if (isAnew) for (const [width, path] of this.#painted) this.#stroke(context, path, width, isDark)
    for (const [width, path] of this.#fresh) {
      this.#stroke(context, path, width, isDark)
      const painted = this.#painted.get(width)
      if (painted) painted.addPath(path)
      else this.#painted.set(width, path)
    }
    this.#fresh.clear()
  }

  /**
   * Paints the part that isn't final: from the last final part to the newest point, and on to the predicted points.
   *
   * @param context in units of the canvas
   */
  paintEnd(context: Context2D, isDark: boolean, predicted: InkPoint[]) {
    const paths = new Map<number, Path2D>()
    const pathFor = (width: number) => {
      const path = paths.get(width) ?? new Path2D()
      paths.set(width, path)
      return path
    }
    let tail = this.#tail
    for (const point of predicted) tail = grown(tail, point, pathFor)
    if (!tail) return
    const end = pathFor(tail.width)
    end.moveTo(tail.from.x, tail.from.y)
    end.lineTo(tail.last.x + dotLength, tail.last.y)
    for (const [width, path] of paths) this.#stroke(context, path, width, isDark)
  }

  #stroke(context: Context2D, path: Path2D, hundredths: number, isDark: boolean) {
    context.lineCap = 'round'
    context.lineJoin = 'round'
    context.lineWidth = this.width * hundredths / 100
    context.strokeStyle = inkTone(packedColor(this.color), isDark)
    context.stroke(path)
  }
}

/** The end of a stroke that isn't final: `last` is the newest point, and the curve around it begins at `from`. */
type Tail = { from: Point, last: Point, width: number }

/**
 * Adds a point. The curve around the point before it becomes final.
 *
 * @param pathFor returns the path to which final parts of a width are added
 */
function grown(tail: Tail | null, { x, y, width = 100 }: InkPoint, pathFor: (width: number) => Path2D): Tail {
  const last = { x, y }
  if (!tail) return { from: last, last, width }
  const middle = { x: (tail.last.x + x) / 2, y: (tail.last.y + y) / 2 }
  const path = pathFor(tail.width)
  path.moveTo(tail.from.x, tail.from.y)
  path.quadraticCurveTo(tail.last.x, tail.last.y, middle.x, middle.y)
  return { from: middle, last, width }
}

/**
 * The strokes that are being drawn, by this person and by others. Others' strokes are assembled from pieces in their
 * presence. All are cached on an off-screen canvas: while the view stays the same, only new parts are painted on it.
 */
export class Inks {
  #known = new Map<number, { shape: number, ink: GrowingInk, count: number, toldAt: number }>()
  #own: GrowingInk | null = null
  #predicted: InkPoint[] = []
  #isWaiting = false
  #sheet: OffscreenCanvas | null = null
  /** The view and the paper for which the off-screen canvas was painted. `#isStale`: a stroke was removed since then. */
  #seen = ''
  #isStale = false

  get hasAny() { return this.#own !== null || this.#known.size > 0 }
  /** Whether a finished stroke is still shown, because the drawing doesn't contain it yet. */
  get isWaiting() { return this.#isWaiting }

  /** Sets the stroke that this person is drawing. */
  setOwn(ink: GrowingInk | null, predicted: InkPoint[]) {
    if (this.#own && this.#own !== ink) this.#isStale = true
    this.#own = ink
    this.#predicted = predicted
  }

  /** @param isDrawn whether the drawing contains the shape already */
  follow(people: Person[], now: number, isDrawn: (shape: number) => boolean) {
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
      // If a message with a piece of the stroke was lost, a straight line bridges the gap.
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

  paint(context: CanvasRenderingContext2D, view: View, isDark: boolean) {
    if (!this.hasAny) {
      this.#sheet = null
      return
    }
    const { canvas } = context
    const { scale, x, y } = view.pixels
    const seen = `${scale} ${x} ${y} ${canvas.width} ${canvas.height} ${isDark}`
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
    for (const ink of inks) ink.paint(onSheet, isDark, isAnew)
    context.save()
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(sheet, 0, 0)
    context.setTransform(scale, 0, 0, scale, x, y)
    for (const ink of inks) ink.paintEnd(context, isDark, ink === this.#own ? this.#predicted : [])
    context.restore()
  }
}
