import { dashForms, dashPartsMax } from '../core/table.js'
import { isStroke, lineOf, pathOf } from './lines.js'
import { isPaintedAside } from './outline.js'

// Estimates the work of painting something before it is painted. A browser only records what it has to paint and does
// it later, so a clock shows nothing. One unit is about a small shape; the time for a unit is measured.

/** Device pixels of a plain fill that take a unit. */
const filledPixels = 20_000
/** Device pixels that take a unit if they are painted on another canvas first: that is cleared, painted and copied. */
const asidePixels = 1_400
/** How many letters, or parts of broken lines, take a unit. */
const letters = 8
const parts = 20
/** Device pixels. Smaller letters are painted as bars. */
const legible = 3
/**
 * How many points of one path take a unit, and how many device pixels under a line: its edges are slower to paint than
 * a box's.
 */
const pathPoints = 8
const strokedPixels = 1_500
/** The most work in one picture for shapes in full, and for further shapes in the plain way. */
const wholeWork = 120_000
const plainWork = 60_000

/**
 * How much more work one picture may take. It is spent from the front to the back: shapes that lie under so much else
 * that nothing is left for them are painted in a plain way, and in the end not at all.
 */
export class WorkBudget {
  #whole = wholeWork
  #plain = plainWork

  /**
   * @param {number} whole the work of painting a shape as it is @param {number} plain of painting it in the plain way
   * @returns {'whole' | 'plain' | null}
   */
  take(whole, plain) {
    if (whole <= this.#whole) {
      this.#whole -= whole
      return 'whole'
    }
    if (plain > this.#plain) return null
    this.#plain -= plain
    return 'plain'
  }
}

/** @typedef {import('./drawn.js').Drawn} Drawn */

/** @param {Drawn} drawn @param {Pick<import('./outline.js').Sight, 'pixels' | 'area'>} sight */
export function workOf(drawn, { pixels, area }) {
  const { shape } = drawn
  const { width, height } = seenOf(drawn, pixels, area)
  const seen = width * height
  if (seen === 0) return 0
  const points = isStroke(shape.kind) ? pathOf(shape).length : 0
  let work = 1 + seen / (isPaintedAside(drawn, pixels) ? asidePixels : filledPixels)
  const length = points > 0 ? lengthOf(drawn) * pixels.scale : Infinity
  const across = drawn.strokeWidth * pixels.scale
  if (points > 0) work += points + Math.min(points * seen, (length + points * across) * across) / strokedPixels
  if (shape.written && shape.textSize * pixels.scale >= legible) work += shape.text.length / letters
  if (shape.dash !== 'solid') {
    const step = Math.max(1, dashForms[shape.dash].step * drawn.strokeWidth * pixels.scale)
    work += Math.min(2 * (width + height) * Math.max(1, points) / step, length / step, dashPartsMax) / parts
  }
  return work
}

/** @param {Drawn} drawn a line or ink */
const lengthOf = (drawn) => (drawn.line ??= lineOf(drawn)).length

/**
 * The work of painting parts of a stroke of ink.
 *
 * @param {number} strokes @param {number} points @param {number} pixels that they lie on, each for itself
 */
export const inkWork = (strokes, points, pixels) => strokes + points / pathPoints + pixels / strokedPixels

/**
 * The work of painting a shape by one fill or one line.
 *
 * @param {Drawn} drawn @param {Pick<import('./outline.js').Sight, 'pixels' | 'area'>} sight
 */
export function plainWorkOf(drawn, { pixels, area }) {
  const { width, height } = seenOf(drawn, pixels, area)
  return 1 + width * height / (isStroke(drawn.shape.kind) ? strokedPixels : filledPixels)
}

/**
 * @param {Drawn} drawn @param {import('./outline.js').Sight} sight
 * @returns {number} what painting each of its common regions takes at most
 */
export function regionWorkOf(drawn, { pixels, area }) {
  const { width, height } = seenOf(drawn, pixels, area)
  return 4 + 2 * width * height / filledPixels
}

/**
 * The visible part of the box around a shape, in device pixels.
 *
 * @param {Drawn} drawn @param {import('./view.js').Pixels} pixels @param {import('./tiles.js').Area} area
 */
function seenOf({ left, top, right, bottom }, { scale, x, y }, area) {
  return {
    width: Math.max(0, Math.min(area.right, right * scale + x) - Math.max(area.left, left * scale + x)),
    height: Math.max(0, Math.min(area.bottom, bottom * scale + y) - Math.max(area.top, top * scale + y)),
  }
}
