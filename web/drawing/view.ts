import { Source } from '../basics/source.js'
import type { Box, Point } from '../core/types.js'
import { isMotionReduced } from './motion.js'

// The visible part of the canvas, and its scale. Canvas coordinates are those of the shapes. Screen coordinates are CSS
// pixels from the stage's top left corner.

/** The smallest scale to which a person can zoom out. `fit` goes further out for very large drawings. */
export const scaleMin = 0.02
export const scaleMax = 64
/** The smallest scale of all, at which a phone shows shapes at both ends of the canvas. */
const scaleOfAll = 1e-5

/** How canvas points become device pixels: a point p lies at p·scale + (x, y). */
export type Pixels = { scale: number, x: number, y: number }

/** `change`: another part of the canvas is visible. `hand`: the user moved the view. A glide causes no `hand`. */
export class View extends Source<{ change: null, hand: null }> {
  /** The point of the canvas at the stage's top left corner. */
  x = 0
  y = 0
  /** How many CSS pixels a unit of the canvas has. */
  scale = 1
  /** The size of the stage, in CSS pixels. */
  width = 0
  height = 0
  /** How many device pixels a CSS pixel has. */
  ratio = 1

  /** The glide in progress, or null. */
  #way: {
    from: Point & { scale: number }, to: Point & { scale: number }, start: number, milliseconds: number,
  } | null = null

  /** @param point of the canvas */
  toScreen({ x, y }: Point): Point {
    return { x: (x - this.x) * this.scale, y: (y - this.y) * this.scale }
  }

  /** @param point of the screen */
  toCanvas({ x, y }: Point): Point {
    return { x: this.x + x / this.scale, y: this.y + y / this.scale }
  }

  /**
   * How canvas points become device pixels. The origin is on a whole pixel, so that panning moves a picture without
   * blurring it.
   */
  get pixels(): Pixels {
    const scale = this.scale * this.ratio
    return { scale, x: -Math.round(this.x * scale), y: -Math.round(this.y * scale) }
  }

  /** Sets the size of the stage. */
  resize(width: number, height: number, ratio: number) {
    if (width === this.width && height === this.height && ratio === this.ratio) return
    this.width = width
    this.height = height
    this.ratio = ratio
    this.#changed()
  }

  /** Moves the drawing with the hand. `dx` and `dy` are in CSS pixels. */
  panBy(dx: number, dy: number) {
    this.#way = null
    this.#set(this.x - dx / this.scale, this.y - dy / this.scale, this.scale)
    this.tell('hand', null)
  }

  /**
   * Zooms by a factor. The canvas point at `point` stays there on the screen.
   *
   * @param factor above 1 zooms in
   */
  zoomAt(point: Point, factor: number) {
    this.#way = null
    const smallest = Math.min(scaleMin, this.scale)
    const scale = Math.min(scaleMax, Math.max(smallest, this.scale * factor))
    const { x, y } = this.toCanvas(point)
    this.#set(x - point.x / scale, y - point.y / scale, scale)
    this.tell('hand', null)
  }

  /**
   * Shows a whole box in the middle of the view, enlarged to actual size at most unless `nearest` allows more.
   *
   * @param padding CSS pixels left free around it
   * @param how `nearest`: the largest scale; `now`: glide there, from this moment on
   */
  fit(
    box: Box, padding: number | { left: number, top: number, right: number, bottom: number } = 48,
    { nearest = 1, now }: { nearest?: number, now?: number } = {},
  ) {
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
  }

  /**
   * Shows the box that another person sees, as large as possible.
   *
   * @param how as for `fit`
   */
  show(box: Box, { now }: { now?: number } = {}) {
    this.fit(box, 0, { nearest: scaleMax, now })
  }

  /** The visible part of the canvas, in its coordinates. */
  visibleBox(): Box {
    return { x: this.x, y: this.y, width: this.width / this.scale, height: this.height / this.scale }
  }

  /** Continues a glide that `fit` or `show` began. To be called in each frame, before painting. */
  advance(now: number) {
    const way = this.#way
    if (!way) return
    const part = Math.min(1, Math.max(0, (now - way.start) / way.milliseconds))
    if (part === 1) this.#way = null
    const eased = 1 - (1 - part) ** 3
    // Zooming looks even if the logarithm of the scale changes evenly, so the logarithm is blended. The middle of the
    // view moves along a straight line.
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
      // A step may leave the view unchanged because of rounding. The glide goes on all the same.
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
