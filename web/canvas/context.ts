/** A 2D context of a canvas, on the page or off screen. */
export type Context2D = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

export function contextOf(
  canvas: HTMLCanvasElement, options?: CanvasRenderingContext2DSettings,
): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', options)
  if (!context) throw new Error('this browser has no 2D canvas')
  return context
}

/** The context of an off-screen canvas. */
export function offscreenContextOf(canvas: OffscreenCanvas, options?: CanvasRenderingContext2DSettings) {
  const context = canvas.getContext('2d', options)
  if (!context) throw new Error('this browser has no 2D canvas')
  return context
}

/**
 * Makes the browser carry out all painting that was requested so far. Usually a browser only records the requests until
 * the canvas is read, so this reads one pixel of it.
 */
export function catchUp({ canvas }: Context2D) {
  createImageBitmap(canvas as HTMLCanvasElement, 0, 0, 1, 1).then((bitmap) => bitmap.close(), () => {})
}
