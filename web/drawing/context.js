/**
 * A 2D context for a canvas, which may be on the page or off it.
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
 * The context of a canvas that isn't on the page.
 *
 * @param {OffscreenCanvas} canvas @param {CanvasRenderingContext2DSettings} [options]
 */
export function offscreenContextOf(canvas, options) {
  const context = canvas.getContext('2d', options)
  if (!context) throw new Error('this browser has no 2D canvas')
  return context
}

/**
 * Makes the browser paint everything that was requested so far. Usually a browser only records requests until the
 * canvas is used. An image of one pixel uses the canvas, so the browser has to carry them out.
 *
 * @param {Context2D} context
 */
export function catchUp({ canvas }) {
  createImageBitmap(/** @type {HTMLCanvasElement} */ (canvas), 0, 0, 1, 1).then((bitmap) => bitmap.close(), () => {})
}
