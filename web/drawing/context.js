/**
 * A painting context for a canvas, on the page or off it.
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
 * Makes the browser paint what has been requested so far. It only records requests until the canvas is used; to make a
 * picture of one pixel it has to carry them out.
 *
 * @param {Context2D} context
 */
export function catchUp({ canvas }) {
  createImageBitmap(/** @type {HTMLCanvasElement} */ (canvas), 0, 0, 1, 1).then((bitmap) => bitmap.close(), () => {})
}
