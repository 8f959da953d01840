import { dashForms, dashPartsMax, type Shape } from '../core/table.js'
import { crossings } from './dashes.js'
import type { Drawn } from './drawn.js'
import { isStroke, lineOf, pathOf, roughPoints } from './lines.js'
import { isPaintedAside, type Sight } from './outline.js'
import type { Area } from './tiles.js'
import type { Pixels } from './view.js'

// Estimates the work of painting before anything is painted. A browser only records what it has to paint and does it
// later, so a clock around the calls shows nothing. One unit is about the work of a small shape; how long a unit takes
// is measured.

/** The number of device pixels of a plain fill that take a unit. */
const filledPixels = 20_000
/**
 * The number of device pixels that take a unit if a shape is painted on another canvas first: that canvas is cleared,
 * painted, copied and laid over.
 */
const asidePixels = 800
/** The number of letters, or of parts of broken lines, that take a unit. */
const letters = 8
const parts = 4
/** In device pixels: smaller letters are painted as bars. */
const legible = 3
/**
 * One unit is one of these: this many points on a path, this many device pixels along a line, or this many device
 * pixels under a line. The last number is smaller than for a box, since a line has more edges than a box.
 */
export const pathPoints = 8
const strokedLength = 100
const strokedPixels = 6_000
/** The number of device pixels along a filled outline that take a unit. */
const filledLength = 200
/**
 * The upper bound on the work for one picture: first for shapes as they are, and once that is used up, for shapes in
 * the plain way.
 */
const wholeWork = 120_000
const plainWork = 60_000
/**
 * The upper bound on the work between two turns of the page's event loop: 40 ms, or a tenth of a second on a slow
 * machine. Everything else has to wait for that long.
 */
export const turnWork = 10_000

/**
 * How much more work one picture may take. It is spent from the front to the back. Shapes that lie under so many others
 * that no work is left for them are painted in the plain way, and in the end not at all.
 */
export class WorkBudget {
  #whole = wholeWork
  #plain = plainWork

  /**
   * @param whole the work of painting a shape as it is
   * @param plain of painting it in the plain way
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
  if (shape.written && shape.textSize * pixels.scale >= legible) work += shape.text.length / letters
  if (shape.dash !== 'solid' && shape.kind !== 'text') {
    const step = Math.max(1, dashForms[shape.dash].step * drawn.strokeWidth * pixels.scale)
    work += Math.min(length / step, dashPartsMax) / parts
  }
  return work
}

/** @returns how many corners an outline has, 0 where it is no polygon */
const cornersOf = ({ kind, points }: Shape): number => (kind === 'star' ? 2 * points : kind === 'polygon' ? points : 0)

/** @returns no less than its line or outline is long */
function lengthOf(drawn: Drawn): number {
  if (isStroke(drawn.shape.kind)) return (drawn.line ??= lineOf(drawn)).length
  const around = 2 * (drawn.width + drawn.height)
  return drawn.shape.kind === 'star' ? around + drawn.shape.points * Math.max(drawn.width, drawn.height) * (1 - drawn.innerRatio) : around
}

/**
 * The work of stroking a line.
 *
 * @param length device pixels
 * @param width device pixels
 * @param pixels that it lies on at most: none is painted twice within one path
 */
export const strokeWork = (parts: number, length: number, width: number, pixels: number) =>
  1 + parts + length / strokedLength + Math.min(pixels, (length + width) * width) / strokedPixels

/** The work of painting a shape in the plain way, by one fill or one line. */
export function plainWorkOf(drawn: Drawn, { pixels, area }: Pick<Sight, 'pixels' | 'area'>) {
  const { width, height } = seenOf(drawn, pixels, area)
  const seen = width * height
  if (isStroke(drawn.shape.kind)) return 1 + roughPoints * (width + height) / strokedLength + seen / strokedPixels
  return 1 + cornersOf(drawn.shape) * (width + height) / filledLength + seen / filledPixels
}

/** @returns what painting each of its common regions takes at most */
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
