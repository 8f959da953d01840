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

/**
 * Has a browser paint what it was told to. It only notes that down, and would do all of it once the canvas is used; to make a
 * picture of one pixel it has to catch up.
 *
 * @param {Context2D} context
 */
export function catchUp({ canvas }) {
  createImageBitmap(/** @type {HTMLCanvasElement} */ (canvas), 0, 0, 1, 1).then((bitmap) => bitmap.close(), () => {})
}
