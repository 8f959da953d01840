// Declares parts of the browsers' interfaces that the type checker doesn't know.

declare class OffscreenCanvas extends EventTarget {
  constructor(width: number, height: number)
  width: number
  height: number
  getContext(kind: '2d', options?: CanvasRenderingContext2DSettings): OffscreenCanvasRenderingContext2D | null
}

interface OffscreenCanvasRenderingContext2D extends Omit<CanvasRenderingContext2D, 'canvas' | 'getContextAttributes'> {
  readonly canvas: OffscreenCanvas
}

interface CanvasDrawImage {
  drawImage(image: OffscreenCanvas, x: number, y: number): void
  drawImage(
    image: OffscreenCanvas, fromX: number, fromY: number, fromWidth: number, fromHeight: number, x: number, y: number,
    width: number, height: number): void
  drawImage(image: OffscreenCanvas, x: number, y: number, width: number, height: number): void
}

interface CanvasFillStrokeStyles {
  createPattern(image: OffscreenCanvas, repetition: string | null): CanvasPattern | null
}

interface CanvasTextDrawingStyles {
  textRendering: 'auto' | 'geometricPrecision'
}

interface CanvasPath {
  roundRect(x: number, y: number, width: number, height: number, radii?: number | number[]): void
}

interface HTMLElement {
  showPopover(): void
  hidePopover(): void
}

interface Navigator {
  /** Missing in some browsers. */
  readonly scheduling?: { isInputPending?(): boolean }
}

interface DeviceMotionEventConstructor {
  readonly prototype: DeviceMotionEvent
  /** Missing where pages need no permission for the sensor. */
  requestPermission?(): Promise<'granted' | 'denied'>
}

interface Document {
  /** Missing in some browsers. */
  caretPositionFromPoint?(x: number, y: number): { offsetNode: Node, offset: number } | null
}
