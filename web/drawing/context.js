/**
 * A context to paint with, of a canvas on the page or beside it.
 *
 * @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context2D
 */

/** @param {HTMLCanvasElement} canvas @param {CanvasRenderingContext2DSettings} [options] @returns {CanvasRenderingContext2D} */
export function contextOf(canvas, options) {
  const context = canvas.getContext('2d', options)
  if (!context) throw new Error('this browser has no 2D canvas')
  return context
}

/**
 * A canvas that isn't on the page.
 *
 * @param {OffscreenCanvas} canvas @param {CanvasRenderingContext2DSettings} [options]
 */
export function offscreenContextOf(canvas, options) {
  const context = canvas.getContext('2d', options)
  if (!context) throw new Error('this browser has no 2D canvas')
  return context
}
