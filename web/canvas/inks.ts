import type { Point } from '../core/types.js'
import type { Person } from '../state/presence.js'
import { type Context2D, offscreenContextOf } from './context.js'
import { dotLength } from './lines.js'
import { packedColor } from './motion.js'
import { inkTone } from './tones.js'
import type { Pixels, View } from './view.js'

/** How long another person's finished stroke stays visible if the drawing doesn't contain it yet. */
const patienceMilliseconds = 1500
/**
 * The upper bound on the points of all others' strokes together. No limit of the server's counts them, because they are
 * not in the drawing. When there are more, the longest stroke loses its first points.
 */
const pointsMax = 30_000
/** The upper bound on the points in a part of a stroke. */
const partPoints = 64
/**
 * The upper bound on the work for one picture. The unit is what 100 pixels of a path cost, about 4 µs. What is left over
 * is painted in the next frames.
 */
const workMax = 4_000
/** Widths are rounded to multiples of this, because each width in a part of a stroke is painted on its own. */
const widthStep = 10

/** `width` is in hundredths of the stroke's width; the default is 100. */
export type InkPoint = Point & { width?: number }

/** The canvas on which ink is painted. `seen` is the number of the picture on it. Each new picture is painted from scratch. */
type Sheet = { context: Context2D, pixels: Pixels, isDark: boolean, seen: number }

/** Consecutive curves of a stroke. */
class Part {
  /** The curves, by their width in hundredths of the stroke's. */
  #paths = new Map<number, Path2D>()
  #length = 0
  #box = [Infinity, Infinity, -Infinity, -Infinity]
  count = 0
  /** The last picture that has this part; 0 if none has. */
  seen = 0

  add(from: Point, control: Point, to: Point, width: number) {
    const path = this.#path(Math.max(1, Math.round(width / widthStep)) * widthStep)
    path.moveTo(from.x, from.y)
    path.quadraticCurveTo(control.x, control.y, to.x, to.y)
    this.#length += Math.hypot(control.x - from.x, control.y - from.y) + Math.hypot(to.x - control.x, to.y - control.y)
    for (const { x, y } of [from, control, to]) this.#reach([x, y, x, y])
    this.count += 1
  }

  /** Adds all curves of another part. */
  take(other: Part) {
    for (const [width, path] of other.#paths) this.#path(width).addPath(path)
    this.#length += other.#length
    this.#reach(other.#box)
    this.count += other.count
  }

  #path(width: number) {
    const path = this.#paths.get(width) ?? new Path2D()
    this.#paths.set(width, path)
    return path
  }

  #reach(other: number[]) {
    this.#box = this.#box.map((side, at) => (at < 2 ? Math.min(side, other[at]) : Math.max(side, other[at])))
  }

  /**
   * Paints the part if it is in view.
   *
   * @returns the work
   */
  paint({ context, pixels, isDark }: Sheet, color: string, strokeWidth: number): number {
    const { width, height } = context.canvas
    const [widest, { scale, x, y }] = [Math.max(...this.#paths.keys()) / 100 * strokeWidth * pixels.scale, pixels]
    const [left, top, right, bottom] = this.#box.map((side, at) => side * scale + (at % 2 === 0 ? x : y))
    if (!(right > -widest && bottom > -widest && left < width + widest && top < height + widest)) return 0
    context.lineCap = 'round'
    context.lineJoin = 'round'
    context.strokeStyle = inkTone(packedColor(color), isDark)
    for (const [hundredths, path] of this.#paths) {
      context.lineWidth = strokeWidth * hundredths / 100
      context.stroke(path)
    }
    const length = Math.min(this.#length * scale, 2 * this.count * (width + height))
    const area = Math.min((length + widest) * widest, width * height)
    return this.#paths.size * (1 + area / 6000) + this.count / 8 + length / 100
  }
}

/**
 * A stroke that is being drawn, painted by the rule for finished strokes (S15). The curve around a point is final once
 * the next point is known. Final curves are cached as paths, so that a new point costs the same however long the stroke
 * is.
 */
export class GrowingInk {
  /** The final curves. Those that are painted come first. */
  #parts: Part[] = []
  #tail: Tail | null = null
  readonly color
  readonly width
  /** The number of points in all parts. */
  count = 0

  constructor(color: string, width: number) {
    this.color = color
    this.width = width
  }

  /** @param point in canvas coordinates */
  add(point: InkPoint) {
    const last = this.#parts.at(-1)
    const part = last?.seen === 0 && last.count < partPoints ? last : new Part()
    this.#tail = grown(this.#tail, point, part)
    if (part.count === 0) return
    if (part !== last) this.#parts.push(part)
    this.count += 1
  }

  /** Forgets the first points. They stay visible until all is painted anew. */
  forgetFirst() { this.count -= this.#parts.shift()?.count ?? 0 }

  /**
   * Paints the final curves that the picture doesn't have, until the work is done.
   *
   * @param work the upper bound on the work; the last part may exceed it
   * @returns how much of `work` is left
   */
  paint(sheet: Sheet, work: number): number {
    if (this.#parts.at(-1)?.seen === sheet.seen) return work
    const parts: Part[] = []
    for (const part of this.#parts) {
      if (part.seen !== sheet.seen && work > 0) {
        work -= part.paint(sheet, this.color, this.width)
        part.seen = sheet.seen
      }
      const last = parts.at(-1)
      if (last && part.seen === sheet.seen && last.count + part.count <= partPoints) last.take(part)
      else parts.push(part)
    }
    this.#parts = parts
    return work
  }

  /**
   * Paints the part that isn't final: from the last final curve to the newest point, and on to the predicted points.
   *
   * @returns the work
   */
  paintEnd(sheet: Sheet, predicted: InkPoint[]): number {
    const end = new Part()
    let tail = this.#tail
    for (const point of predicted) tail = grown(tail, point, end)
    if (!tail) return 0
    end.add(tail.from, tail.last, { x: tail.last.x + dotLength, y: tail.last.y }, tail.width)
    return end.paint(sheet, this.color, this.width)
  }
}

/** The end of a stroke that isn't final: `last` is the newest point, and the curve around it begins at `from`. */
type Tail = { from: Point, last: Point, width: number }

/** Adds a point. The curve around the point before it becomes final, and is added to `part`. */
function grown(tail: Tail | null, { x, y, width = 100 }: InkPoint, part: Part): Tail {
  const last = { x, y }
  if (!tail) return { from: last, last, width }
  const middle = { x: (tail.last.x + x) / 2, y: (tail.last.y + y) / 2 }
  part.add(tail.from, tail.last, middle, tail.width)
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
  #isBehind = false
  #sheet: OffscreenCanvas | null = null
  /** The view and the paper for which the off-screen canvas was painted. `#isStale`: a stroke was removed since then. */
  #seen = ''
  #isStale = false
  /** How often the off-screen canvas was painted anew. */
  #pictures = 0

  get hasAny() { return this.#own !== null || this.#known.size > 0 }
  /**
   * Whether the next frame may show something else: a finished stroke is still shown because the drawing doesn't
   * contain it yet, or not all is painted.
   */
  get isWaiting() { return this.#isWaiting || this.#isBehind }

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
    this.#forget()
  }

  #forget() {
    const inks = this.#others()
    let excess = inks.reduce((sum, { count }) => sum + count, -pointsMax)
    while (excess > 0) {
      const longest = inks.reduce((most, ink) => (ink.count > most.count ? ink : most))
      excess -= longest.count
      longest.forgetFirst()
      excess += longest.count
    }
  }

  #others() { return [...this.#known.values()].map(({ ink }) => ink) }

  paint(context: CanvasRenderingContext2D, view: View, isDark: boolean) {
    this.#isBehind = false
    if (!this.hasAny) {
      this.#sheet = null
      return
    }
    const { canvas } = context
    const { pixels } = view
    const { scale, x, y } = pixels
    const seen = `${scale} ${x} ${y} ${canvas.width} ${canvas.height} ${isDark}`
    const isAnew = this.#sheet === null || this.#isStale || seen !== this.#seen
    const sheet = this.#sheet ??= new OffscreenCanvas(canvas.width, canvas.height)
    if (isAnew) {
      sheet.width = canvas.width
      sheet.height = canvas.height
      this.#seen = seen
      this.#isStale = false
      this.#pictures += 1
    }
    const onSheet = offscreenContextOf(sheet)
    onSheet.setTransform(scale, 0, 0, scale, x, y)
    // Long strokes come last, because somebody's short one shouldn't wait for them.
    const inks = [this.#own ?? [], this.#others().sort((one, other) => one.count - other.count)].flat()
    const picture = { pixels, isDark, seen: this.#pictures }
    let work = workMax
    for (const ink of inks) work = ink.paint({ ...picture, context: onSheet }, work)
    this.#isBehind = work <= 0
    context.save()
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(sheet, 0, 0)
    context.setTransform(scale, 0, 0, scale, x, y)
    work = workMax
    for (const ink of inks) {
      if (work > 0) work -= ink.paintEnd({ ...picture, context }, ink === this.#own ? this.#predicted : [])
    }
    context.restore()
  }
}
