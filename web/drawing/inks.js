import { smooth } from './lines.js'

/** What somebody has drawn stays so long after they say that it is done, until the drawing has it. */
const patienceMilliseconds = 1500

/** @typedef {import('../core/types.js').Point} Point */
/** @typedef {{points: Point[], predicted: Point[], color: string, width: number}} OwnInk */

/** Strokes that others are drawing, put together from the pieces that their presence brings. */
export class Inks {
  /** @type {Map<number, {shape: number, color: string, width: number, points: Point[], toldAt: number}>} */
  #known = new Map()

  #isWaiting = false

  get hasAny() { return this.#known.size > 0 }
  /** Whether a stroke is said to be done that the drawing hasn't got yet: in time it goes. */
  get isWaiting() { return this.#isWaiting }

  /**
   * @param {import('../state/presence.js').Person[]} people @param {number} now
   * @param {(shape: number) => boolean} isDrawn whether the drawing has it already
   */
  follow(people, now, isDrawn) {
    const drawing = new Map(people.flatMap(({ actor, ink }) => (ink ? [[actor, ink]] : [])))
    for (const [actor, { shape, color, width, at, points: told }] of drawing) {
      if (isDrawn(shape)) continue
      const known = this.#known.get(actor)
      const points = known?.shape === shape ? known.points : []
      // Where a piece is missing, a straight way leads over it.
      points.length = Math.min(points.length, at)
      for (let place = 0; place < told.length; place += 2) points.push({ x: told[place], y: told[place + 1] })
      this.#known.set(actor, { shape, color, width, points, toldAt: now })
    }
    this.#isWaiting = false
    for (const [actor, { shape, toldAt }] of this.#known) {
      if (isDrawn(shape) || (!drawing.has(actor) && now - toldAt > patienceMilliseconds)) this.#known.delete(actor)
      else if (!drawing.has(actor)) this.#isWaiting = true
    }
  }

  /** @param {CanvasRenderingContext2D} context in CSS pixels @param {import('./view.js').View} view */
  paint(context, view) {
    for (const { points, color, width } of this.#known.values()) paintInk(context, view, color, width, points)
  }
}

/**
 * @param {CanvasRenderingContext2D} context in CSS pixels @param {import('./view.js').View} view @param {string} color
 * @param {number} width @param {Point[]} points of the canvas
 */
export function paintInk(context, view, color, width, points) {
  if (points.length === 0) return
  const { x, y } = view.toScreen({ x: 0, y: 0 })
  context.save()
  context.translate(x, y)
  context.scale(view.scale, view.scale)
  context.lineCap = 'round'
  context.lineJoin = 'round'
  context.lineWidth = width
  context.strokeStyle = color
  context.stroke(smooth(points.length > 1 ? points : [points[0], points[0]]))
  context.restore()
}
