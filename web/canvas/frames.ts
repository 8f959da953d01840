import type { Box, Frame, Point } from '../core/types.js'

// Boxes around shapes, in canvas coordinates.

export function middle({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 }
}

/** The bounding box of a rotated box. */
export function boundsOf(frame: Frame) {
  const sine = Math.abs(Math.sin(frame.rotation * Math.PI / 180))
  const cosine = Math.abs(Math.cos(frame.rotation * Math.PI / 180))
  const width = frame.width * cosine + frame.height * sine
  const height = frame.width * sine + frame.height * cosine
  const { x, y } = middle(frame)
  return { x: x - width / 2, y: y - height / 2, width, height }
}

/** The frame around shapes: a single shape's own rotated box, or the bounding box of several. */
export function frameOf(shapes: Frame[]): Frame | null {
  if (shapes.length !== 1) return boundsOfAll(shapes)
  const [{ x, y, width, height, rotation }] = shapes
  return { x, y, width, height, rotation }
}

/** The bounding box of several rotated boxes. */
export function boundsOfAll(frames: Frame[]): Frame | null {
  if (frames.length === 0) return null
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const frame of frames) {
    const { x, y, width, height } = boundsOf(frame)
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  return { x: left, y: top, width: right - left, height: bottom - top, rotation: 0 }
}
