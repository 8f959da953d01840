import { catchUp, type Context2D } from './context.js'
import { Coverage, type Seen } from './coverage.js'
import { DashBudget } from './dashes.js'
import type { Drawn } from './drawn.js'
import { paintGrid } from './grid.js'
import { isWhole } from './marked.js'
import { catchUpAside, paintShape, paintTextOver, type Sight } from './outline.js'
import type { Colors } from './palette.js'
import { commonBox, type Region, type Regions } from './regions.js'
import type { Area } from './tiles.js'
import type { Pixels } from './view.js'
import { regionWorkOf, workOf } from './work.js'

/** What a picture is painted with: position and scale, the device pixels for a CSS pixel, and the colours. */
export type Look = { pixels: Pixels, ratio: number, colors: Colors }

/** How much work is done between two readings of the clock. */
const batchWork = 100

const steps = ['covers', 'shapes'] as const
/** A region is filled, and has a line around it. */
const stepsOfRegions = 2
/** A unit of work finds the visible parts of this many shapes, or of this many points of ink. */
const shapesLooked = 2
const pointsLooked = 20

/**
 * A picture of the canvas that is being painted, on any 2D context: paper, dots, shapes from the back to the front. The
 * region that two shapes have in common is painted on the upper one, under its text. What lies over that shape, and over
 * the region, has itself a region in common with both. `paint` paints all of it at once, `begin` and `goOn` a slice at a
 * time.
 */
export class Picture {
  #regions
  #shapes: Drawn[] = []
  #next = 0
  #step = 0
  #askUntil = -Infinity
  #sight: Sight
  /** The steps of painting a shape, or its regions, that are left for the next frames because they take long. */
  #rest: { steps: Generator<number, void>, whole: number, left: number } | null = null
  #coverage
  #regionsOn: (drawn: Drawn) => Region[] = () => []
  /** The visible part of each shape. A shape without an entry is hidden. */
  #seen = new Map<Drawn, Seen>()

  /** Regions in view that aren't painted yet, because the core hasn't returned their outlines. */
  waiting = new Set<Region>()

  #late: number[] = []
  readonly context
  look

  constructor(context: Context2D, regions: Regions, look: Look) {
    this.context = context
    this.look = look
    this.#regions = regions
    this.#sight = { pixels: look.pixels, area: { left: 0, top: 0, right: 0, bottom: 0 }, dashes: new DashBudget() }
    this.#coverage = new Coverage(look.pixels, this.#sight.area)
  }

  /**
   * @param shapes in drawing order; shapes outside the area may be among them
   * @param area to be painted anew
   * @param askUntil until when the core may be asked for outlines, by `performance.now()`; later regions wait
   * @param dashes of several areas that are painted one after the other
   */
  begin(shapes: Drawn[], look: Look, area: Area, askUntil: number = -Infinity, dashes: DashBudget = new DashBudget()) {
    const { context } = this
    this.look = look
    this.#sight = { pixels: look.pixels, area, dashes }
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

  /** Whether painting these shapes, with those of their common regions that are marked, takes more work than `most`. */
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
   * @param until when to stop, by `performance.now()`
   * @param most work at which to stop
   * @returns whether it is done
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
   * Forgets the waiting regions in areas where everything is about to be repainted.
   *
   * @param covers whether a box lies there
   */
  forgetWaiting(covers: (left: number, top: number, right: number, bottom: number) => boolean) {
    for (const region of this.waiting) if (covers(...boxOf(region))) this.waiting.delete(region)
  }

  /**
   * Paints regions that have waited for their outlines, on top of everything.
   *
   * @param most as for `goOn`
   * @returns whether none waits any more
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
      if (!this.#regions.marked.has(region) || isWhole(region)) continue
      if (!this.#regions.isReady(region, this.look.pixels.scale)) this.#regions.prepare(region)
      this.#regions.fill(this.context, region, this.look)
      this.#regions.line(this.context, region, this.look)
      this.#late.push(...boxOf(region))
    }
    return true
  }

  /** Whether a region that had waited was painted over texts, or over what lies above it. */
  get isLate() { return this.#late.length > 0 }

  /**
   * Returns the boxes of the regions that were painted over such lines, and forgets the boxes. Each box is left, top,
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
   * @param regions on it
   * @param work that they take
   * @returns as `paintShape`
   */
  * #shapeWithRegions(drawn: Drawn, seen: Seen, regions: Region[], work: number): Generator<number, void> {
    const sight = { ...this.#sight, ...seen, textWaits: true }
    const whole = seen.work + work
    for (const part of paintShape(this.context, drawn, sight)) yield part * seen.work / whole
    for (const region of regions) {
      if (this.#isReady(region)) {
        this.#regions.fill(this.context, region, this.look)
        this.#regions.line(this.context, region, this.look)
      } else {
        this.waiting.add(region)
      }
      yield work / whole / regions.length
    }
    paintTextOver(this.context, drawn, sight)
  }

  /** Finds the visible part of a shape. The shapes above it have been taken already. */
  #look(drawn: Drawn) {
    this.work += 1 / shapesLooked + drawn.shape.path.length / pointsLooked
    const seen = this.#coverage.take(drawn)
    if (seen) this.#seen.set(drawn, seen)
  }

  /** Paints a shape, or a part of it if it takes much work. */
  #paintShape(drawn: Drawn) {
    if (this.#rest) return this.#paintSteps(this.#rest.steps, this.#rest.whole)
    const seen = this.#seen.get(drawn)
    if (!seen) return
    const regions = this.#regionsOn(drawn)
    if (regions.length === 0) {
      this.#paintSteps(paintShape(this.context, drawn, { ...this.#sight, ...seen }), seen.work)
      return
    }
    const work = regions.length * stepsOfRegions * regionWorkOf(drawn, this.#sight)
    this.#paintSteps(this.#shapeWithRegions(drawn, seen, regions, work), seen.work + work)
  }

  /**
   * Carries out steps of painting until a batch of work is done. Steps that are left over from the last call come
   * first.
   *
   * @param steps tell how much of it they have painted
   */
  #paintSteps(steps: Generator<number, void>, whole: number) {
    const rest = this.#rest ?? { steps, whole, left: whole }
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
