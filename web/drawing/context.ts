/** A 2D context for a canvas, which may be on the page or off it. */
export type Context2D = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

export function contextOf(
  canvas: HTMLCanvasElement, options?: CanvasRenderingContext2DSettings,
): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', options)
  if (!context) throw new Error('this browser has no 2D canvas')
  return context
}

/** The context of a canvas that isn't on the page. */
export function offscreenContextOf(canvas: OffscreenCanvas, options?: CanvasRenderingContext2DSettings) {
  const context = canvas.getContext('2d', options)
  if (!context) throw new Error('this browser has no 2D canvas')
  return context
}

/**
 * Makes the browser paint everything that was requested so far. Usually a browser only records requests until the
 * canvas is used. An image of one pixel uses the canvas, so the browser has to carry them out.
 */
export function catchUp({ canvas }: Context2D) {
  createImageBitmap(canvas as HTMLCanvasElement, 0, 0, 1, 1).then((bitmap) => bitmap.close(), () => {})
}
