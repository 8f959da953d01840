import { boundsOf, boundsOfAll } from './transform.js'

// Aligns and distributes shapes. A shape counts as the upright box around it, however the shape is turned.

/** @typedef {'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom'} Edge */

/** @typedef {import('../core/types.js').Box} Box */
/** @typedef {import('../core/types.js').Frame & {id: number}} Shape */

/**
 * How far a box has to move until its edge or its middle is where the edge or the middle of the box `all` is.
 *
 * @type {Record<Edge, (box: Box, all: Box) => [number, number]>}
 */
const ways = {
  left: (box, all) => [all.x - box.x, 0],
  center: (box, all) => [all.x + all.width / 2 - box.x - box.width / 2, 0],
  right: (box, all) => [all.x + all.width - box.x - box.width, 0],
  top: (box, all) => [0, all.y - box.y],
  middle: (box, all) => [0, all.y + all.height / 2 - box.y - box.height / 2],
  bottom: (box, all) => [0, all.y + all.height - box.y - box.height],
}

/** @param {number} value */
const rounded = (value) => Math.round(value * 100) / 100
/** @param {Shape} shape @param {number} dx @param {number} dy */
const placed = ({ id, x, y }, dx, dy) => ({ id, x: rounded(x + dx), y: rounded(y + dy) })

/**
 * @param {Shape[]} shapes @param {Edge} edge of the box around all of them
 * @returns {import('../core/types.js').Place[]}
 */
export function aligned(shapes, edge) {
  const all = boundsOfAll(shapes)
  if (!all) return []
  return shapes.map((shape) => placed(shape, ...ways[edge](boundsOf(shape), all)))
}

/**
 * Makes the spaces between shapes equal. The outermost shapes stay where they are. If there is too little space, all
 * shapes overlap by the same length.
 *
 * @param {Shape[]} shapes @param {'x' | 'y'} axis
 * @returns {import('../core/types.js').Place[]}
 */
export function distributed(shapes, axis) {
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
