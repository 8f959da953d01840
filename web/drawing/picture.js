import { paintGrid } from './grid.js'
import { paintShape } from './outline.js'
import { commonBox } from './regions.js'

/** @typedef {import('./regions.js').Region} Region */

/**
 * Where things lie, device pixels for a CSS pixel, and the colours.
 *
 * @typedef {{pixels: import('./view.js').Pixels, ratio: number, colors: import('./palette.js').Colors}} Look
 */

/** How many shapes are painted between two looks at the clock. */
const batch = 64

const steps = /** @type {const} */ (['shapes', 'fills', 'lines'])

/**
 * A picture of the canvas in the making, on any 2D context: paper, dots, shapes from the back to the front, then their
 * common regions, then the lines around these. `paint` paints it in one go, `begin` and `goOn` a slice at a time.
 */
export class Picture {
  #regions
  /** @type {import('./drawn.js').Drawn[]} */
  #shapes = []
  #next = 0
  #step = 0
  #askUntil = -Infinity

  /**
   * Regions in view that aren't painted yet, because their outlines aren't known.
   *
   * @type {Set<import('./regions.js').Region>}
   */
  waiting = new Set()

  /** @type {number[]} */
  #late = []

  /**
   * @param {import('./context.js').Context2D} context @param {import('./regions.js').Regions} regions
   * @param {Look} look
   */
  constructor(context, regions, look) {
    this.context = context
    this.look = look
    this.#regions = regions
  }

  /**
   * @param {import('./drawn.js').Drawn[]} shapes in drawing order; shapes outside the area may be among them
   * @param {Look} look @param {import('./tiles.js').Area} area to be painted anew
   * @param {number} [askUntil] until when the core may be asked for outlines, by `performance.now()`; later regions wait
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
    context.fillStyle = look.colors.paper
    context.fillRect(area.left, area.top, area.right - area.left, area.bottom - area.top)
    paintGrid(context, look.pixels, look.ratio, area, look.colors.dot)
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

  /**
   * Paints all of it in one go.
   *
   * @param {import('./drawn.js').Drawn[]} shapes @param {Look} look @param {import('./tiles.js').Area} area
   * @param {number} [askUntil] as for `begin`
   */
  paint(shapes, look, area, askUntil) {
    this.begin(shapes, look, area, askUntil)
    this.goOn()
  }

  /**
   * Regions stop waiting where everything is about to be painted anew.
   *
   * @param {(left: number, top: number, right: number, bottom: number) => boolean} covers whether a box lies there
   */
  forgetWaiting(covers) {
    for (const region of this.waiting) if (covers(...boxOf(region))) this.waiting.delete(region)
  }

  /**
   * Paints regions that waited, on top of everything.
   *
   * @param {number} until @returns {boolean} whether none waits any more
   */
  paintWaiting(until) {
    for (const region of this.waiting) {
      if (performance.now() > until) return false
      this.waiting.delete(region)
      if (!region.first.regions.has(region) || region.first.leaving || region.second.leaving) continue
      if (!this.#regions.marked.has(region)) continue
      if (!this.#regions.isReady(region, this.look.pixels.scale)) this.#regions.prepare(region)
      this.#regions.fill(this.context, region, this.look)
      this.#regions.line(this.context, region, this.look)
      this.#late.push(...boxOf(region))
    }
    return true
  }

  /** Whether a region that waited has been painted over the lines of others. */
  get isLate() { return this.#late.length > 0 }

  /**
   * The boxes of those regions: left, top, right, bottom of each.
   *
   * @returns {number[]}
   */
  takeLate() {
    const late = this.#late
    this.#late = []
    return late
  }

  /** @param {import('./drawn.js').Drawn} drawn @param {typeof steps[number]} step */
  #paint(drawn, step) {
    if (step === 'shapes') {
      paintShape(this.context, drawn, this.look.pixels)
      return
    }
    for (const region of this.#regions.marked.of(drawn)) {
      // A waiting region is painted later, as a whole. A part painted here would come twice, or the rest never.
      if (this.waiting.has(region)) continue
      if (step === 'lines') this.#regions.line(this.context, region, this.look)
      else if (this.#isReady(region)) this.#regions.fill(this.context, region, this.look)
      else this.waiting.add(region)
    }
  }

  /** @param {Region} region */
  #isReady(region) {
    if (this.#regions.isReady(region, this.look.pixels.scale)) return true
    if (performance.now() > this.#askUntil) return false
    this.#regions.prepare(region)
    return true
  }
}

/** @param {Region} region @returns {[number, number, number, number]} */
function boxOf(region) {
  const { left, top, right, bottom } = commonBox(region)
  return [left, top, right, bottom]
}
