import { dashForms, dashPartsMax, type Shape } from '../core/table.js'
import { crossings } from './dashes.js'
import type { Drawn } from './drawn.js'
import { isStroke, pathOf, roughPoints } from './lines.js'
import { isPaintedAside, type Sight } from './outline.js'
import type { Area } from './tiles.js'
import type { Pixels } from './view.js'

// Estimates the work of painting a shape before it is painted. Measuring the calls wouldn't help, because a browser
// only records them and paints later. One unit is about the work for a small shape. The painter measures how long a
// unit takes.

/** The number of device pixels that one unit of work can fill. */
const filledPixels = 20_000
/**
 * The number of device pixels of a shape that one unit of work can paint if the shape is painted on another canvas
 * first, and then copied.
 */
const asidePixels = 800
/** The number of letters, and of dashes, that one unit of work can paint. */
const letters = 8
const parts = 4
/** The work for each run of a text with marks, besides that for its letters. */
const runWork = 2
/** In device pixels: smaller letters are painted as bars. */
const legible = 3
/**
 * How much of a stroke one unit of work paints: points of its path, device pixels of its length, or device pixels of
 * its area.
 */
export const pathPoints = 8
const strokedLength = 100
const strokedPixels = 6_000
/** One unit of work is enough to fill an outline of this length, in device pixels. */
const filledLength = 200
/**
 * The upper bounds on the work for one picture. `wholeWork` is for shapes in full detail. `plainWork` is for the other
 * shapes, which are painted by a single fill or line.
 */
const wholeWork = 120_000
const plainWork = 60_000
/**
 * The upper bound on work between two iterations of the page's event loop. It takes 40 ms, or a tenth of a second on a
 * slow machine.
 */
export const turnWork = 10_000

/**
 * The remaining budget of work for one picture. It is spent from front to back. When little is left, further shapes are
 * painted by a single fill or line. When nothing is left, they are not painted.
 */
export class WorkBudget {
  #whole = wholeWork
  #plain = plainWork

  /**
   * @param whole the work of painting a shape in full detail
   * @param plain the work of painting it by a single fill or line
   */
  take(whole: number, plain: number): 'whole' | 'plain' | null {
    if (whole <= this.#whole) {
      this.#whole -= whole
      return 'whole'
    }
    if (plain > this.#plain) return null
    this.#plain -= plain
    return 'plain'
  }
}

export function workOf(drawn: Drawn, { pixels, area }: Pick<Sight, 'pixels' | 'area'>) {
  const { shape } = drawn
  const { width, height } = seenOf(drawn, pixels, area)
  const seen = width * height
  if (seen === 0) return 0
  const points = isStroke(shape.kind) ? pathOf(shape).length : 0
  let work = 1 + seen / (isPaintedAside(drawn, pixels) ? asidePixels : filledPixels)
  const length = Math.min(lengthOf(drawn) * pixels.scale, Math.max(4, points, cornersOf(shape)) * (width + height))
  const across = drawn.strokeWidth * pixels.scale
  if (points > 0) {
    const strokes = Math.ceil(lengthOf(drawn) / (crossings * (drawn.width + drawn.height)))
    work += strokeWork(points, length, across, strokes * seen)
  } else if (shape.kind !== 'text') {
    if (shape.filled) work += length / filledLength
    if (across > 0) work += strokeWork(0, length, across, seen)
  }
  if (shape.written && shape.textSize * pixels.scale >= legible) {
    work += shape.text.length / letters + runWork * (drawn.lines?.runs ?? 0)
  }
  if (shape.dash !== 'solid' && shape.kind !== 'text') {
    const step = Math.max(1, dashForms[shape.dash].step * drawn.strokeWidth * pixels.scale)
    work += Math.min(length / step, dashPartsMax) / parts
  }
  return work
}

/** The number of corners of an outline; 0 for an outline that is not a polygon. */
const cornersOf = ({ kind, points }: Shape): number => (kind === 'star' ? 2 * points : kind === 'polygon' ? points : 0)

/** An upper bound on the length of a shape's line or outline. */
function lengthOf(drawn: Drawn): number {
  if (isStroke(drawn.shape.kind)) return drawn.line.length
  const around = 2 * (drawn.width + drawn.height)
  return drawn.shape.kind === 'star' ? around + drawn.shape.points * Math.max(drawn.width, drawn.height) * (1 - drawn.innerRatio) : around
}

/**
 * The work of stroking a line.
 *
 * @param length in device pixels
 * @param width in device pixels
 * @param pixels an upper bound on the area under the line; a path paints no pixel twice
 */
export const strokeWork = (parts: number, length: number, width: number, pixels: number) =>
  1 + parts + length / strokedLength + Math.min(pixels, (length + width) * width) / strokedPixels

/** The work of painting a shape by a single fill or line. */
export function plainWorkOf(drawn: Drawn, { pixels, area }: Pick<Sight, 'pixels' | 'area'>) {
  const { width, height } = seenOf(drawn, pixels, area)
  const seen = width * height
  if (isStroke(drawn.shape.kind)) return 1 + roughPoints * (width + height) / strokedLength + seen / strokedPixels
  return 1 + cornersOf(drawn.shape) * (width + height) / filledLength + seen / filledPixels
}

/** An upper bound on the work of painting one of a shape's overlaps. */
export function regionWorkOf(drawn: Drawn, { pixels, area }: Pick<Sight, 'pixels' | 'area'>): number {
  const { width, height } = seenOf(drawn, pixels, area)
  return 4 + 2 * width * height / filledPixels
}

/** The visible part of the box around a shape, in device pixels. */
function seenOf({ left, top, right, bottom }: Drawn, { scale, x, y }: Pixels, area: Area) {
  return {
    width: Math.max(0, Math.min(area.right, right * scale + x) - Math.max(area.left, left * scale + x)),
    height: Math.max(0, Math.min(area.bottom, bottom * scale + y) - Math.max(area.top, top * scale + y)),
  }
}
