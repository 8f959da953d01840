import { paintGrid } from './grid.js'
import { paintShape } from './outline.js'
import { commonBox } from './regions.js'

/** @typedef {{pixels: {scale: number, x: number, y: number}, ratio: number, colors: object, hasGrid?: boolean,
 *   hasPaper?: boolean}} Look where things lie, device pixels for a CSS pixel, and the theme's colours */

/** How many shapes are painted between two looks at the clock. */
const batch = 64

const steps = ['shapes', 'fills', 'lines']

/**
 * A picture of the canvas in the making, on any 2D context: paper, dots, shapes from the back to the front, over all what they
 * have in common, over all that the lines around it. `paint` paints it in one go; `begin` and `goOn` a slice at a time.
 */
export class Picture {
  #regions
  #shapes = []
  #next = 0
  #step = 0
  #askUntil = -Infinity

  /** Regions in view whose outlines are not known yet, and so not painted. @type {Set<import('./regions.js').Region>} */
  waiting = new Set()

  #late = []

  /** @param {CanvasRenderingContext2D} context @param {import('./regions.js').Regions} regions */
  constructor(context, regions) {
    this.context = context
    this.#regions = regions
  }

  /**
   * @param {import('./drawn.js').Drawn[]} shapes in drawing order; what lies outside may be among them
   * @param {Look} look @param {import('./tiles.js').Area} area to be painted anew
   * @param {number} [askUntil] regions may be asked for until then, by `performance.now()`; those after it wait
   */
  begin(shapes, look, area, askUntil = -Infinity) {
    const { context } = this
    this.look = look
    this.#shapes = shapes
    this.#next = 0
    this.#step = 0
    this.#askUntil = askUntil
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalAlpha = 1
    if (look.hasPaper ?? true) {
      context.fillStyle = look.colors.paper
      context.fillRect(area.left, area.top, area.right - area.left, area.bottom - area.top)
    }
    if (look.hasGrid ?? true) paintGrid(context, look.pixels, look.ratio, area, look.colors.dot)
  }

  /** @param {number} until when to stop, by `performance.now()` @returns {boolean} whether it is done */
  goOn(until = Infinity) {
    while (this.#step < steps.length) {
      if (this.#next >= this.#shapes.length) {
        this.#step += 1
        this.#next = 0
        continue
      }
      if (until !== Infinity && performance.now() > until) return false
      const end = Math.min(this.#next + batch, this.#shapes.length)
      for (; this.#next < end; this.#next++) this.#paint(this.#shapes[this.#next], steps[this.#step])
    }
    return true
  }

  /** @see begin */
  paint(shapes, look, area, askUntil) {
    this.begin(shapes, look, area, askUntil)
    this.goOn()
  }

  /**
   * Regions that lie where all is about to be painted anew wait no more.
   *
   * @param {(left: number, top: number, right: number, bottom: number) => boolean} covers whether a box lies there
   */
  forgetWaiting(covers) {
    for (const region of this.waiting) if (covers(...boxOf(region))) this.waiting.delete(region)
  }

  /** Paints regions that waited, over all. @param {number} until @returns {boolean} whether none waits any more */
  paintWaiting(until) {
    for (const region of this.waiting) {
      if (performance.now() > until) return false
      this.waiting.delete(region)
      if (!region.first.regions.has(region) || region.first.leaving || region.second.leaving) continue
      if (!this.#regions.isReady(region, this.look.pixels.scale)) this.#regions.prepare(region)
      this.#regions.fill(this.context, region, this.look)
      this.#regions.line(this.context, region, this.look)
      this.#late.push(...boxOf(region))
    }
    return true
  }

  /** Whether what waited has been painted over lines of others. */
  get isLate() { return this.#late.length > 0 }

  /** The boxes of what was: left, top, right, bottom of each. @returns {number[]} */
  takeLate() {
    const late = this.#late
    this.#late = []
    return late
  }

  #paint(drawn, step) {
    if (step === 'shapes') {
      paintShape(this.context, drawn, this.look.pixels)
      return
    }
    for (const region of drawn.regions) {
      // A region lies within both of its shapes, so with one of them none is left out.
      if (region.first !== drawn) continue
      // One that waits comes as a whole: a part of it painted here would be there twice, or the rest never.
      if (this.waiting.has(region)) continue
      if (step === 'lines') this.#regions.line(this.context, region, this.look)
      else if (this.#isReady(region)) this.#regions.fill(this.context, region, this.look)
      else this.waiting.add(region)
    }
  }

  #isReady(region) {
    if (this.#regions.isReady(region, this.look.pixels.scale)) return true
    if (performance.now() > this.#askUntil) return false
    this.#regions.prepare(region)
    return true
  }
}

function boxOf(region) {
  const { left, top, right, bottom } = commonBox(region)
  return [left, top, right, bottom]
}
