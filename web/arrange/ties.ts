import { boxEnd, isStroke, ledAnew, placeIn, pointIn, setPointsOf } from '../canvas/lines.js'
import type { Shape, Tie } from '../core/table.js'
import type { Place, Point, Values } from '../core/types.js'
import type { Reach } from './reach.js'

// Ties: the connections of a line's ends to shapes (S14).

/**
 * In CSS pixels: an end that is dropped this close to a shape's centre, or to the middle of a side, is tied to exactly
 * that place.
 */
const middleReach = 12

/** In CSS pixels: an end that is dropped this close to a shape is tied to it, as if it lay over the shape. */
const shapeReach = 8

/** The middle of each side of a box. */
export const sideMiddles = [[0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5]]
/** The places in a box that attract a line's end: the centre, and the middle of each side. */
const middles = [[0.5, 0.5], ...sideMiddles]

/**
 * The tie that a line's end gets if it is dropped at a point, and where the end is drawn with that tie.
 *
 * @param point in canvas coordinates
 */
export function tieAt({ shown, view }: Pick<Reach, 'shown' | 'view'>, point: Point): { tie: Tie, at: Point } | null {
  const { replica } = shown
  const [near, far] = [shapeReach / 2 / view.scale, shapeReach / view.scale]
  for (const [across, down] of [[0, 0], ...around(near), ...around(far)]) {
    const over = { x: point.x + across, y: point.y + down }
    const shape = replica.shapesOf(replica.shapesAt(over.x, over.y)).reverse().find(({ kind }) => !isStroke(kind))
    if (shape) return tieIn(shape, over, view.scale)
  }
  return null
}

const around = (reach: number) => [[reach, 0], [-reach, 0], [0, reach], [0, -reach]]

/** @param scale of the view */
function tieIn(shape: Shape, point: Point, scale: number) {
  const place = placeIn(shape, point)
  const near = middles.find(([x, y]) => {
    const middle = pointIn(shape, x * boxEnd, y * boxEnd)
    return Math.hypot(middle.x - point.x, middle.y - point.y) * scale <= middleReach
  })
  const [x, y] = (near ?? [place.x, place.y]).map((part) => Math.round(part * boxEnd))
  return { tie: { shape: shape.id, x, y }, at: pointIn(shape, x, y) }
}

export const isSameTie = (one: Tie | null, other: Tie | null) =>
  one?.shape === other?.shape && one?.x === other?.x && one?.y === other?.y

/** Whether a line is tied to one of these shapes, so that it follows where that goes. */
export const isLed = ({ kind, from, to }: Shape, shapes: { has: (id: number) => boolean }) =>
  kind === 'line' && [from, to].some((tie) => tie !== null && shapes.has(tie.shape))

/**
 * Places shapes, and unties lines from shapes that aren't placed with them.
 *
 * @returns whether nothing refused it
 */
export function placeLoose({ editing, shown }: Pick<Reach, 'editing' | 'shown'>, places: Place[]): boolean {
  const loose = loosened(shown.replica.shapesOf(places.map(({ id }) => id)))
  return editing.group(() => {
    if (loose.length > 0) editing.edit((replica) => replica.edit(loose))
    return editing.write((replica) => replica.place(places))
  })
}

/**
 * The values that untie moved lines from shapes that don't move. The ends stay where they are drawn.
 *
 * @param shapes all shapes that are moved
 */
export function loosened(shapes: Shape[]) {
  const moved = new Set(shapes.map(({ id }) => id))
  return shapes.filter(({ kind }) => kind === 'line').flatMap((line) => {
    const set: Values = {}
    if (line.from && !moved.has(line.from.shape)) set.from = null
    if (line.to && !moved.has(line.to.shape)) set.to = null
    if (Object.keys(set).length === 0) return []
    return [{ shape: line.id, set: { ...set, ...ledAnew(line, setPointsOf(line)) } }]
  })
}
