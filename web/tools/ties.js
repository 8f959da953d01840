import { boxEnd, isStroke, ledAnew, placeIn, pointIn, pointsOn } from '../drawing/lines.js'

// The ties of the ends of lines (S14).

/** @typedef {import('../core/types.js').Point} Point */
/** @typedef {import('../core/types.js').Shape} Shape */
/** @typedef {import('../core/table.js').Tie} Tie */

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
 * @param {Pick<import('./reach.js').Reach, 'shown' | 'view'>} reach @param {Point} point of the canvas
 * @returns {{tie: Tie, at: Point} | null}
 */
export function tieAt({ shown, view }, point) {
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

/** @param {Tie | null} one @param {Tie | null} other */
export const isSameTie = (one, other) => one?.shape === other?.shape && one?.x === other?.x && one?.y === other?.y

/**
 * The values that untie moved lines from shapes that stay. The lines' ends stay where they are drawn.
 *
 * @param {Shape[]} shapes that are moved
 */
export function loosened(shapes) {
  const moved = new Set(shapes.map(({ id }) => id))
  return shapes.filter(({ kind }) => kind === 'line').flatMap((line) => {
    const set = /** @type {import('../core/types.js').Values} */ ({})
    if (line.from && !moved.has(line.from.shape)) set.from = null
    if (line.to && !moved.has(line.to.shape)) set.to = null
    if (Object.keys(set).length === 0) return []
    return [{ shape: line.id, set: { ...set, ...ledAnew(line, pointsOn(line)) } }]
  })
}
