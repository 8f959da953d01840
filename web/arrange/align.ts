import { boundsOf, boundsOfAll } from '../canvas/frames.js'
import type { Box, Frame, Place } from '../core/types.js'

// Aligns and distributes shapes. A rotated shape counts as its bounding box.

export type Edge = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom'

type Shape = Frame & { id: number }

/** How far a box must move to be aligned within the box `all`, for each edge or middle. */
const ways: Record<Edge, (box: Box, all: Box) => [number, number]> = {
  left: (box, all) => [all.x - box.x, 0],
  center: (box, all) => [all.x + all.width / 2 - box.x - box.width / 2, 0],
  right: (box, all) => [all.x + all.width - box.x - box.width, 0],
  top: (box, all) => [0, all.y - box.y],
  middle: (box, all) => [0, all.y + all.height / 2 - box.y - box.height / 2],
  bottom: (box, all) => [0, all.y + all.height - box.y - box.height],
}

const rounded = (value: number) => Math.round(value * 100) / 100
const placed = ({ id, x, y }: Shape, dx: number, dy: number) => ({ id, x: rounded(x + dx), y: rounded(y + dy) })

/** @param edge of the bounding box of all shapes */
export function aligned(shapes: Shape[], edge: Edge): Place[] {
  const all = boundsOfAll(shapes)
  if (!all) return []
  return shapes.map((shape) => placed(shape, ...ways[edge](boundsOf(shape), all)))
}

/**
 * Makes the gaps between shapes equal. The two outermost shapes keep their places. If there is too little space, all
 * shapes overlap by the same length.
 */
export function distributed(shapes: Shape[], axis: 'x' | 'y'): Place[] {
  const all = boundsOfAll(shapes)
  if (shapes.length < 3 || !all) return []
  const side = axis === 'x' ? 'width' : 'height'
  const boxes = shapes.map((shape) => ({ shape, box: boundsOf(shape) }))
    .sort((a, b) => a.box[axis] - b.box[axis] || a.shape.id - b.shape.id)
  const filled = boxes.reduce((sum, { box }) => sum + box[side], 0)
  const space = (all[side] - filled) / (shapes.length - 1)
  let next = all[axis]
  return boxes.map(({ shape, box }) => {
    const way = next - box[axis]
    next += box[side] + space
    return axis === 'x' ? placed(shape, way, 0) : placed(shape, 0, way)
  })
}
