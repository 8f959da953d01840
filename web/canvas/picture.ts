import { catchUp, type Context2D } from './context.js'
import { Coverage, type Seen } from './coverage.js'
import { DashBudget } from './dashes.js'
import type { Drawn } from './drawn.js'
import { paintGrid } from './grid.js'
import { catchUpAside, paintShape, paintTextOver, type Sight } from './outline.js'
import type { Colors } from './palette.js'
import { commonBox, type Region, type Regions } from './regions.js'
import type { Area } from './tiles.js'
import type { Pixels } from './view.js'
import { regionWorkOf, workOf } from './work.js'

/** How a picture is painted: the view, the device pixels for a CSS pixel, and the colours. */
export type Look = { pixels: Pixels, ratio: number, colors: Colors, isDark: boolean }

/**
 * The painting of one shape. `steps` yield the fraction that they have painted. `whole` and `left` are units of work.
 */
type Steps = { steps: Generator<number, void>, whole: number, left: number }

/** How many units of work are done between two checks of the time. */
const batchWork = 100

const steps = ['covers', 'shapes'] as const
/** A region takes two steps: one for the fill, and one for the line around it. */
const stepsOfRegions = 2
/** One unit of work looks at this many shapes, or at this many points of ink, to find the visible parts. */
const shapesLooked = 2
const pointsLooked = 20

/**
 * A picture of the canvas on any 2D context: paper, dots, and shapes from back to front. The mark of an overlap is
 * painted on the upper of its two shapes, under that shape's text. `paint` paints the whole picture at once. `begin`
 * and `goOn` paint it in slices.
 */
export class Picture {
  #regions
  #shapes: Drawn[] = []
  #next = 0
  #step = 0
  #askUntil = -Infinity
  #sight: Sight
  /** The remaining steps of a shape that takes so long that it is continued in the next frames. */
  #rest: Steps | null = null
  #coverage
  #regionsOn: (drawn: Drawn) => Region[] = () => []
  /** The visible part of each shape. Hidden shapes have no entry. */
  #seen = new Map<Drawn, Seen>()

  /** Regions in view that are not painted yet, because the core hasn't been asked for their outlines. */
  waiting = new Set<Region>()

  #late: number[] = []
  readonly context
  look

  constructor(context: Context2D, regions: Regions, look: Look) {
    this.context = context
    this.look = look
    this.#regions = regions
    this.#sight = { pixels: look.pixels, area: { left: 0, top: 0, right: 0, bottom: 0 }, dashes: new DashBudget(), isDark: look.isDark }
    this.#coverage = new Coverage(look.pixels, this.#sight.area)
  }

  /**
   * @param shapes in drawing order; some may be outside the area
   * @param area the part to paint
   * @param askUntil the time until which the core may be asked for outlines, by `performance.now()`; regions whose
   *   outlines are not known by then are painted later
   * @param dashes the budget, if several areas share one
   */
  begin(shapes: Drawn[], look: Look, area: Area, askUntil: number = -Infinity, dashes: DashBudget = new DashBudget()) {
    const { context } = this
    this.look = look
    this.#sight = { pixels: look.pixels, area, dashes, isDark: look.isDark }
    this.#coverage = new Coverage(look.pixels, area)
    this.#seen.clear()
    this.#regionsOn = this.#regions.marked.painted()
    this.#shapes = shapes
    this.#next = 0
    this.#step = 0
    this.#rest = null
    this.#askUntil = askUntil
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalAlpha = 1
    context.fillStyle = look.colors.paper
    context.fillRect(area.left, area.top, area.right - area.left, area.bottom - area.top)
    paintGrid(context, look.pixels, look.ratio, area, look.colors.dot)
  }

  /** Whether painting these shapes and their marked overlaps takes more than `most` units of work. */
  takesMore(shapes: Drawn[], { pixels }: Look, areas: Area[], most: number) {
    let work = 0
    for (const area of areas) {
      for (const drawn of shapes) {
        work += workOf(drawn, { pixels, area })
        const regions = this.#regions.marked.countOf(drawn)
        if (regions > 0) work += regions * stepsOfRegions * regionWorkOf(drawn, { pixels, area })
        if (work > most) return true
      }
    }
    return false
  }

  /** How much work has been done on this picture. */
  work = 0

  /**
   * Paints the next slice.
   *
   * @param until the time at which to stop, by `performance.now()`
   * @param most the upper bound on units of work
   * @returns whether the picture is done
   */
  goOn(until: number, most: number): boolean {
    const end = this.work + most
    let nextLook = this.work
    while (this.#step < steps.length) {
      if (this.#next >= this.#shapes.length) {
        this.#step += 1
        this.#next = 0
        continue
      }
      if (end !== Infinity && this.work >= nextLook) {
        nextLook = this.work + batchWork
        catchUp(this.context)
        catchUpAside()
        if (performance.now() > until || this.work >= end) return false
      }
      const step = steps[this.#step]
      this.#paint(this.#shapes[step === 'covers' ? this.#shapes.length - 1 - this.#next : this.#next], step)
      if (!this.#rest) this.#next += 1
    }
    return true
  }

  /**
   * Paints the whole picture at once.
   *
   * @param askUntil as for `begin`
   * @param dashes as for `begin`
   */
  paint(shapes: Drawn[], look: Look, area: Area, askUntil?: number, dashes?: DashBudget) {
    this.begin(shapes, look, area, askUntil, dashes)
    this.goOn(Infinity, Infinity)
  }

  /**
   * Drops the waiting regions in areas that are about to be repainted completely.
   *
   * @param covers whether a box lies in such an area
   */
  forgetWaiting(covers: (left: number, top: number, right: number, bottom: number) => boolean) {
    for (const region of this.waiting) if (covers(...boxOf(region))) this.waiting.delete(region)
  }

  /**
   * Paints the regions that have waited for their outlines. They are painted on top of everything.
   *
   * @param most as for `goOn`
   * @returns whether all are painted
   */
  paintWaiting(until: number, most: number): boolean {
    const { width, height } = this.context.canvas
    const sight = { pixels: this.look.pixels, area: { left: 0, top: 0, right: width, bottom: height } }
    let work = 0
    for (const region of this.waiting) {
      if (performance.now() > until || work >= most) return false
      work += stepsOfRegions * regionWorkOf(region.first, sight)
      this.waiting.delete(region)
      if (!region.first.regions.has(region) || region.first.leaving || region.second.leaving) continue
      if (!this.#regions.marked.has(region)) continue
      if (!this.#regions.isReady(region, this.look.pixels.scale)) this.#regions.prepare(region)
      this.#regions.paint(this.context, region, this.look)
      this.#late.push(...boxOf(region))
    }
    return true
  }

  /** Whether any region that was painted late covers texts or higher shapes. */
  get isLate() { return this.#late.length > 0 }

  /**
   * Returns the boxes of the regions that were painted late, and forgets them. Each box is four numbers: left, top,
   * right, bottom.
   */
  takeLate(): number[] {
    const late = this.#late
    this.#late = []
    return late
  }

  #paint(drawn: Drawn, step: typeof steps[number]) {
    if (step === 'covers') this.#look(drawn)
    else this.#paintShape(drawn)
  }

  /**
   * @param regions to paint on the shape
   * @param work of painting the regions
   * @returns as for `paintShape`
   */
  * #shapeWithRegions(drawn: Drawn, seen: Seen, regions: Region[], work: number): Generator<number, void> {
    const sight = { ...this.#sight, ...seen, textWaits: true }
    const whole = seen.work + work
    for (const part of paintShape(this.context, drawn, sight)) yield part * seen.work / whole
    for (const region of regions) {
      if (this.#isReady(region)) {
        this.#regions.paint(this.context, region, this.look)
      } else {
        this.waiting.add(region)
      }
      yield work / whole / regions.length
    }
    paintTextOver(this.context, drawn, sight)
  }

  /** Finds the visible part of a shape. Must be called from front to back. */
  #look(drawn: Drawn) {
    this.work += 1 / shapesLooked + drawn.shape.path.length / pointsLooked
    const seen = this.#coverage.take(drawn)
    if (seen) this.#seen.set(drawn, seen)
  }

  /** Paints a shape, or the next part of a shape that takes much work. */
  #paintShape(drawn: Drawn) {
    const steps = this.#rest ?? this.#stepsOf(drawn)
    if (steps) this.#paintSteps(steps)
  }

  /** The steps that paint a shape. `null` if nothing of the shape is seen. */
  #stepsOf(drawn: Drawn): Steps | null {
    const seen = this.#seen.get(drawn)
    if (!seen) return null
    const regions = this.#regionsOn(drawn)
    if (regions.length === 0) {
      return { steps: paintShape(this.context, drawn, { ...this.#sight, ...seen }), whole: seen.work, left: seen.work }
    }
    const work = regions.length * stepsOfRegions * regionWorkOf(drawn, this.#sight)
    const whole = seen.work + work
    return { steps: this.#shapeWithRegions(drawn, seen, regions, work), whole, left: whole }
  }

  /** Paints step by step until a batch of work is done. What is left is kept for the next call. */
  #paintSteps(rest: Steps) {
    const most = this.work + batchWork
    while (this.work < most) {
      const { done, value } = rest.steps.next()
      const painted = done ? rest.left : value * rest.whole
      this.work += painted
      rest.left -= painted
      this.#rest = done ? null : rest
      if (done) return
    }
  }

  #isReady(region: Region) {
    if (this.#regions.isReady(region, this.look.pixels.scale)) return true
    if (performance.now() > this.#askUntil) return false
    this.#regions.prepare(region)
    return true
  }
}

function boxOf(region: Region): [number, number, number, number] {
  const { left, top, right, bottom } = commonBox(region)
  return [left, top, right, bottom]
}
