import { boundsOfAll } from './transform.js'

// The frame around what a gesture has hold of, and which handle a pointer means. Where the handles are the drawing says.

/** @param {import('../core/replica.js').Replica} session @param {Iterable<number>} ids @returns {import('../core/types.js').Shape[]} */
export function shapesOf(session, ids) {
  const shapes = []
  for (const id of ids) {
    const shape = session.shape(id)
    if (shape) shapes.push(shape)
  }
  return shapes
}

/** One shape's own turned box, or the upright box around many. @returns {import('./transform.js').Frame | null} */
export function frameOf(shapes) {
  if (shapes.length !== 1) return boundsOfAll(shapes)
  const [{ x, y, width, height, rotation }] = shapes
  return { x, y, width, height, rotation }
}

/** How near a pointer has to come to a handle, in CSS pixels: a finger covers what it aims at. */
const handleReach = { mouse: 10, pen: 12, touch: 22 }

/**
 * The nearest handle within reach; of two that are as near the later one, which is harder to hit elsewhere.
 *
 * @param {{kind: string, x: number, y: number}[]} handles @param {{x: number, y: number}} point @param {string} pointer
 * @returns {'move' | 'rotate' | 'scale' | null}
 */
export function handleAt(handles, point, pointer) {
  let nearest = null
  let least = handleReach[pointer] ?? handleReach.mouse
  for (const { kind, x, y } of handles) {
    const distance = Math.hypot(x - point.x, y - point.y)
    if (distance <= least) [nearest, least] = [kind, distance]
  }
  return nearest
}
