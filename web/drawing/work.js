import { dashForms } from '../core/table.js'
import { isStroke, pathOf } from './lines.js'
import { isPaintedAside } from './outline.js'

// How much work it is to paint something, told before it is painted: a browser only notes down what a canvas is told to paint, and
// does it later, so a clock says nothing. One unit is about what a small shape takes; what a unit takes is measured.

/** Device pixels of a plain fill that take a unit. */
const filledPixels = 20_000
/** Device pixels that take a unit where they are painted on another canvas first: that is cleared, painted, copied and laid over. */
const asidePixels = 1_400
/** A point of ink takes one unit, and one more for this many device pixels that the stroke may cover. */
const pointPixels = 40_000
/** Letters, and parts of broken lines, that take a unit. */
const letters = 8
const parts = 20
/** Device pixels. Smaller letters are painted as bars. */
const legible = 3

/** @typedef {import('./drawn.js').Drawn} Drawn */

/** @param {Drawn} drawn @param {Pick<import('./outline.js').Sight, 'pixels' | 'area'>} sight */
export function workOf(drawn, { pixels, area }) {
  const { shape } = drawn
  const { width, height } = seenOf(drawn, pixels, area)
  const seen = width * height
  if (seen === 0) return 0
  const points = isStroke(shape.kind) ? pathOf(shape).length : 0
  let work = 1 + seen / (isPaintedAside(drawn, pixels) ? asidePixels : filledPixels)
  work += points * (1 + Math.min(seen, drawn.strokeWidth * pixels.scale * (width + height)) / pointPixels)
  if (shape.written && shape.textSize * pixels.scale >= legible) work += shape.text.length / letters
  if (shape.dash !== 'solid') {
    const step = Math.max(1, dashForms[shape.dash].step * drawn.strokeWidth * pixels.scale)
    work += 2 * (width + height) * Math.max(1, points) / step / parts
  }
  return work
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
 * In device pixels, how much of the box around a shape is seen.
 *
 * @param {Drawn} drawn @param {import('./view.js').Pixels} pixels @param {import('./tiles.js').Area} area
 */
function seenOf({ left, top, right, bottom }, { scale, x, y }, area) {
  return {
    width: Math.max(0, Math.min(area.right, right * scale + x) - Math.max(area.left, left * scale + x)),
    height: Math.max(0, Math.min(area.bottom, bottom * scale + y) - Math.max(area.top, top * scale + y)),
  }
}
