import { boundsOfAll } from '../canvas/frames.js'
import type { Box, Frame, Place } from '../core/types.js'

// Aligns and distributes units: single shapes, and groups, whose shapes keep their places to each other (S13). A unit
// counts as its bounding box.

export type Edge = 'left' | 'center' | 'right' | 'top' | 'middle' | 'bottom'

type Unit = (Frame & { id: number })[]

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
const placed = (unit: Unit, dx: number, dy: number) =>
  unit.map(({ id, x, y }) => ({ id, x: rounded(x + dx), y: rounded(y + dy) }))
const boxed = (units: Unit[]) => units.flatMap((unit) => {
  const box = boundsOfAll(unit)
  return box ? [{ unit, box }] : []
})

/** @param edge of the bounding box of all units */
export function aligned(units: Unit[], edge: Edge): Place[] {
  const all = boundsOfAll(units.flat())
  if (!all) return []
  return boxed(units).flatMap(({ unit, box }) => placed(unit, ...ways[edge](box, all)))
}

/**
 * Makes the gaps between units equal. The two outermost units keep their places. If there is too little space, all
 * units overlap by the same length.
 */
export function distributed(units: Unit[], axis: 'x' | 'y'): Place[] {
  const all = boundsOfAll(units.flat())
  if (units.length < 3 || !all) return []
  const side = axis === 'x' ? 'width' : 'height'
  const boxes = boxed(units).sort((a, b) => a.box[axis] - b.box[axis] || a.unit[0].id - b.unit[0].id)
  const filled = boxes.reduce((sum, { box }) => sum + box[side], 0)
  const space = (all[side] - filled) / (boxes.length - 1)
  let next = all[axis]
  return boxes.flatMap(({ unit, box }) => {
    const way = next - box[axis]
    next += box[side] + space
    return axis === 'x' ? placed(unit, way, 0) : placed(unit, 0, way)
  })
}
