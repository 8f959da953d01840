import { captionMargin } from '../core/table.js'
import type { Box, Point } from '../core/types.js'
import type { Context2D } from './context.js'
import type { Drawn } from './drawn.js'
import { boxEnd, pointIn } from './lines.js'
import { textBox } from './text.js'

// The caption of a line (S16): its text, which stands in the middle of the line, in a gap of the line.

/** The middle of a line on the canvas; null for any other shape. */
export function captionMiddle(drawn: Drawn): Point | null {
  const { shape: { halfway }, centerX, centerY, growth } = drawn
  if (!halfway) return null
  const { x, y } = pointIn(drawn, halfway.x * boxEnd, halfway.y * boxEnd)
  return { x: centerX + (x - centerX) * growth, y: centerY + (y - centerY) * growth }
}

/** The box on the canvas in which a line is not drawn because its caption stands there; null if there is none. */
export function captionBox(drawn: Drawn): Box | null {
  const middle = captionMiddle(drawn)
  const box = middle && textBox(drawn)
  if (!box) return null
  const [width, height] = [box.width, box.height].map((side) => (side + 2 * captionMargin) * drawn.growth)
  return { x: middle.x - width / 2, y: middle.y - height / 2, width, height }
}

export const isWithin = (box: Box | null, { x, y }: Point) =>
  box !== null && x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height

/** In pixels: further from its origin, nothing of a canvas can be seen. */
const beyond = 100_000

/**
 * Lets a context paint only outside of a box, until its state is restored.
 *
 * @param box in the context's own units
 */
export function leaveOut(context: Context2D, { x, y, width, height }: Box) {
  const around = new Path2D()
  around.rect(-beyond, -beyond, 2 * beyond, 2 * beyond)
  around.rect(x, y, width, height)
  context.save()
  context.clip(around, 'evenodd')
}
