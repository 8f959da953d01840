import type { Shape, Tie } from '../core/table.js'
import type { Point, Values } from '../core/types.js'
import { boxEnd, isStroke, ledAnew, placeIn, pointIn, pointsOn } from '../drawing/lines.js'
import type { Reach } from './reach.js'

// The ties of the ends of lines (S14).

/**
 * In CSS pixels: how close to the middle of a shape, or of one of its sides, an end has to be dropped to be tied to
 * that middle.
 */
const middleReach = 12

/** The places in a box that attract an end: the box's middle, and the middles of its sides. */
const middles = [[0.5, 0.5], [0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5]]

/**
 * The tie that an end would get at a point, and the place where the end would then be.
 *
 * @param point of the canvas
 */
export function tieAt({ shown, view }: Pick<Reach, 'shown' | 'view'>, point: Point): { tie: Tie, at: Point } | null {
  const { replica } = shown
  const shape = replica.shapesOf(replica.shapesAt(point.x, point.y)).reverse().find(({ kind }) => !isStroke(kind))
  if (!shape) return null
  const place = placeIn(shape, point)
  const near = middles.find(([x, y]) => {
    const middle = pointIn(shape, x * boxEnd, y * boxEnd)
    return Math.hypot(middle.x - point.x, middle.y - point.y) * view.scale <= middleReach
  })
  const [x, y] = (near ?? [place.x, place.y]).map((part) => Math.round(part * boxEnd))
  return { tie: { shape: shape.id, x, y }, at: pointIn(shape, x, y) }
}

export const isSameTie = (one: Tie | null, other: Tie | null) =>
  one?.shape === other?.shape && one?.x === other?.x && one?.y === other?.y

/**
 * The values that untie moved lines from shapes that stay. The lines' ends stay where they are drawn.
 *
 * @param shapes that are moved
 */
export function loosened(shapes: Shape[]) {
  const moved = new Set(shapes.map(({ id }) => id))
  return shapes.filter(({ kind }) => kind === 'line').flatMap((line) => {
    const set: Values = {}
    if (line.from && !moved.has(line.from.shape)) set.from = null
    if (line.to && !moved.has(line.to.shape)) set.to = null
    if (Object.keys(set).length === 0) return []
    return [{ shape: line.id, set: { ...set, ...ledAnew(line, pointsOn(line)) } }]
  })
}
