import { Source } from '../basics/source.js'
import type { Box, Point } from '../core/types.js'
import { isMotionReduced } from './motion.js'

// The visible part of the canvas, and its scale. Canvas coordinates are those of the shapes. Screen coordinates are CSS
// pixels from the stage's top left corner.

/** The smallest scale that a person can choose. For very large drawings, `fit` can choose a smaller one. */
export const scaleMin = 0.02
const scaleMax = 64
/** The smallest scale of all. At this scale a phone shows the whole canvas. */
const scaleOfAll = 1e-5

/** Converts canvas coordinates to device pixels: a point p is at p·scale + (x, y). */
export type Pixels = { scale: number, x: number, y: number }

/** `change`: the view has changed. `hand`: the person moves the view, or goes to something. */
export class View extends Source<{ change: null, hand: null }> {
  /** The canvas point at the stage's top left corner. */
  x = 0
  y = 0
  /** How many CSS pixels a unit of the canvas has. */
  scale = 1
  /** The size of the stage, in CSS pixels. */
  width = 0
  height = 0
  /** How many device pixels a CSS pixel has. */
  ratio = 1

  /**
   * The part of the canvas that another person sees, while this view shows it; otherwise null. Others are told this
   * part instead of the visible one. Otherwise two people who follow each other would zoom out without end, because the
   * view of each has to be at least as large as the other's.
   */
  #followed: Box | null = null

  /** The transition in progress, or null. */
  #way: {
    from: Point & { scale: number }, to: Point & { scale: number }, start: number, milliseconds: number,
  } | null = null

  /** @param point in canvas coordinates */
  toScreen({ x, y }: Point): Point {
    return { x: (x - this.x) * this.scale, y: (y - this.y) * this.scale }
  }

  /** @param point in screen coordinates */
  toCanvas({ x, y }: Point): Point {
    return { x: this.x + x / this.scale, y: this.y + y / this.scale }
  }

  /**
   * The conversion from canvas coordinates to device pixels. The offset is in whole pixels, so that panning can move a
   * picture without blurring it.
   */
  get pixels(): Pixels {
    const scale = this.scale * this.ratio
    return { scale, x: -Math.round(this.x * scale), y: -Math.round(this.y * scale) }
  }

  resize(width: number, height: number, ratio: number) {
    if (width === this.width && height === this.height && ratio === this.ratio) return
    this.width = width
    this.height = height
    this.ratio = ratio
    this.#changed()
  }

  /** Moves the view as if the canvas were dragged. `dx` and `dy` are in CSS pixels. */
  panBy(dx: number, dy: number) {
    this.#followed = null
    this.shift(dx, dy)
    this.tell('hand', null)
  }

  /** Moves the view like `panBy`, but not for the person: they go on following somebody. */
  shift(dx: number, dy: number) {
    this.#way = null
    this.#set(this.x - dx / this.scale, this.y - dy / this.scale, this.scale)
  }

  /**
   * Zooms by a factor. The canvas point under `point` keeps its position on the screen.
   *
   * @param factor more than 1 to zoom in
   */
  zoomAt(point: Point, factor: number) {
    this.#way = this.#followed = null
    const smallest = Math.min(scaleMin, this.scale)
    const scale = Math.min(scaleMax, Math.max(smallest, this.scale * factor))
    const { x, y } = this.toCanvas(point)
    this.#set(x - point.x / scale, y - point.y / scale, scale)
    this.tell('hand', null)
  }

  /**
   * Shows a whole box in the middle of the view. The scale is at most 1, or at most `nearest` if that is given.
   *
   * @param padding in CSS pixels
   * @param how `nearest`: the largest scale; `now`: the start time of a transition, without which the view jumps
   */
  fit(
    box: Box, padding: number | { left: number, top: number, right: number, bottom: number } = 48,
    { nearest = 1, now, followed = null }: { nearest?: number, now?: number, followed?: Box | null } = {},
  ) {
    this.#followed = followed
    const { left, top, right, bottom } =
      typeof padding === 'number' ? { left: padding, top: padding, right: padding, bottom: padding } : padding
    const free = (length: number, taken: number) => Math.max(length - taken, length / 4, 1)
    const across = free(this.width, left + right) / Math.max(box.width, 1)
    const down = free(this.height, top + bottom) / Math.max(box.height, 1)
    const scale = Math.max(scaleOfAll, Math.min(across, down, nearest, scaleMax))
    this.#go({
      x: box.x + box.width / 2 - (this.width + left - right) / (2 * scale),
      y: box.y + box.height / 2 - (this.height + top - bottom) / (2 * scale),
      scale,
    }, now)
    if (!followed) this.tell('hand', null)
  }

  /**
   * Shows the part of the canvas that another person sees, as large as possible.
   *
   * @param how as for `fit`
   */
  show(box: Box, { now }: { now?: number } = {}) {
    this.fit(box, 0, { nearest: scaleMax, now, followed: box })
  }

  /** The visible part of the canvas, in canvas coordinates. */
  visibleBox(): Box {
    return { x: this.x, y: this.y, width: this.width / this.scale, height: this.height / this.scale }
  }

  /** The part of the canvas that other people see as this person's view. */
  get toldBox() { return this.#followed ?? this.visibleBox() }

  /** Continues the transition that `fit` or `show` began. Must be called in each frame before painting. */
  advance(now: number) {
    const way = this.#way
    if (!way) return
    const part = Math.min(1, Math.max(0, (now - way.start) / way.milliseconds))
    if (part === 1) this.#way = null
    const eased = 1 - (1 - part) ** 3
    // The logarithm of the scale is interpolated, because that makes the zoom look even. The centre of the view moves
    // along a straight line.
    const scale = way.from.scale * (way.to.scale / way.from.scale) ** eased
    const between = (from: number, to: number, length: number) => {
      const middle = (end: { scale: number }, view: number) => view + length / (2 * end.scale)
      const start = middle(way.from, from)
      return start + (middle(way.to, to) - start) * eased - length / (2 * scale)
    }
    if (part === 1) this.#set(way.to.x, way.to.y, way.to.scale)
    else this.#set(between(way.from.x, way.to.x, this.width), between(way.from.y, way.to.y, this.height), scale)
  }

  #go(to: Point & { scale: number }, now?: number) {
    if (now === undefined || isMotionReduced()) {
      this.#way = null
      this.#set(to.x, to.y, to.scale)
      return
    }
    this.#way = { from: { x: this.x, y: this.y, scale: this.scale }, to, start: now, milliseconds: 200 }
    this.#changed()
  }

  #set(x: number, y: number, scale: number) {
    if (x === this.x && y === this.y && scale === this.scale) {
      // Because of rounding, a step can leave the view unchanged. `change` is sent all the same, so that the transition
      // goes on.
      if (this.#way) this.#changed()
      return
    }
    this.x = x
    this.y = y
    this.scale = scale
    this.#changed()
  }

  #changed() {
    this.tell('change', null)
  }
}
