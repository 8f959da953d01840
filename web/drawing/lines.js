// Lines and ink on a canvas, by the same rules as in the core (docs/PROTOCOL.md, S14 and S15): pieces one after the
// other, with arrows and dots at the ends. All coordinates are relative to the middle of the shape's box, before it is
// turned.

import { addStraight, crossings, pieceBound, piecesLength } from './dashes.js'

/** @typedef {import('../core/types.js').Point} Point */
/** @typedef {import('../core/table.js').PathPoint} PathPoint */
/** @typedef {import('./dashes.js').Piece} Piece */

/** The coordinate that stands for the right or the lower side of a box. */
export const boxEnd = 65535

/** @param {string} kind */
export const isStroke = (kind) => kind === 'line' || kind === 'ink'

/** The length of an arrow, which is also the arrow's width and a dot's diameter. */
const arrowLength = (/** @type {number} */ width) => 3 * width + 6
const dotLength = (/** @type {number} */ width) => 2 * width + 4

/**
 * How far a line of this width reaches beyond its points.
 *
 * @param {number} width of the stroke
 */
export const strokeReach = (width) => Math.max(width, arrowLength(width) / 2, dotLength(width) / 2)

/** A line without a path leads from one corner of its box to the opposite one. */
const diagonal = /** @type {PathPoint[]} */ ([[0, 0, 100], [boxEnd, boxEnd, 100]])

/** @param {{path: PathPoint[]}} shape */
export const pathOf = ({ path }) => (path.length > 0 ? path : diagonal)

/**
 * A line in pieces, each of which begins where the one before it ends; its parts, each with one width, in order; the
 * filled shapes at the line's ends; and the whole line as one path, for hit tests.
 *
 * @typedef {object} DrawnLine
 * @property {Piece[]} pieces
 * @property {number[]} widths of the pieces
 * @property {Run[]} runs
 * @property {boolean} isOne whether it is one run
 * @property {Path2D | null} heads
 * @property {Path2D} whole
 * @property {number} widest
 * @property {number} length it is no longer
 * @property {{size: number, strokes: import('./coverage.js').InkStroke[]}} [seen] as it was last painted, at that scale
 */

/** @typedef {import('./dashes.js').Line & {width: number}} Run */

/** @param {import('./drawn.js').Drawn} drawn @returns {DrawnLine} */
export function lineOf({ shape, width, height, strokeWidth }) {
  const points = pathOf(shape).map(([x, y]) => ({ x: (x / boxEnd - 0.5) * width, y: (y / boxEnd - 0.5) * height }))
  const isBroken = shape.dash !== 'solid'
  // Consecutive parts of a broken line are joined, because otherwise its pattern would begin anew at each part.
  const longest = isBroken ? Infinity : crossings * (width + height)
  return shape.kind === 'ink' ? inkOf(points, pathOf(shape).map(([, , hundredths]) => strokeWidth * hundredths / 100), longest)
    : straightLine(points, strokeWidth, shape, longest)
}

/**
 * @param {Point[]} points @param {number} width @param {import('../core/types.js').Shape} shape @param {number} longest a part
 * @returns {DrawnLine}
 */
function straightLine(points, width, { fromEnd, toEnd }, longest) {
  const heads = new Path2D()
  const last = points.length - 1
  const led = [...points]
  led[0] = addHead(heads, fromEnd, points[0], points[1], width)
  led[last] = addHead(heads, toEnd, points[last], points[last - 1], width)
  const pieces = /** @type {Piece[]} */ ([])
  addStraight(pieces, led)
  const hasHeads = fromEnd !== 'plain' || toEnd !== 'plain'
  return lineAlong(pieces, pieces.map(() => width), hasHeads ? heads : null, longest)
}

/**
 * @param {Path2D} heads @param {'plain' | 'arrow' | 'dot'} head @param {Point} end @param {Point} before @param {number} width
 * @returns {Point} where the line ends: below an arrow, so that it doesn't show beside the tip
 */
function addHead(heads, head, end, before, width) {
  if (head === 'dot') {
    heads.moveTo(end.x + dotLength(width) / 2, end.y)
    heads.arc(end.x, end.y, dotLength(width) / 2, 0, 2 * Math.PI)
  }
  const length = Math.hypot(end.x - before.x, end.y - before.y)
  if (head !== 'arrow' || length === 0) return end
  const arrow = arrowLength(width)
  const along = { x: (end.x - before.x) / length * arrow, y: (end.y - before.y) / length * arrow }
  heads.moveTo(end.x, end.y)
  heads.lineTo(end.x - along.x + along.y / 2, end.y - along.y - along.x / 2)
  heads.lineTo(end.x - along.x - along.y / 2, end.y - along.y + along.x / 2)
  heads.closePath()
  const part = Math.min(arrow, length) / arrow
  return { x: end.x - along.x * part, y: end.y - along.y * part }
}

/**
 * The curve through some points: it leads straight to the middle between the first two points, then from middle to
 * middle, bent towards the point between them, and straight to the last point.
 *
 * @param {Point[]} points @param {number[]} widths @param {number} longest a part @returns {DrawnLine}
 */
function inkOf(points, widths, longest) {
  let from = points[0]
  const pieces = points.map((point, index) => {
    const next = points[index + 1]
    const to = next ? { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 } : point
    const piece = { from, control: index > 0 && next ? point : null, to }
    from = to
    return piece
  })
  return lineAlong(pieces, widths, null, longest)
}

/**
 * @param {Piece[]} pieces @param {number[]} widths of the pieces @param {Path2D | null} heads @param {number} longest a part
 * @returns {DrawnLine}
 */
function lineAlong(pieces, widths, heads, longest) {
  const length = piecesLength(pieces)
  const isOne = length <= longest && widths.every((width) => width === widths[0])
  /** @type {Run[] | null} */
  let runs = null
  /** @type {Path2D | null} */
  let whole = null
  return {
    pieces, widths, heads, length, isOne, widest: Math.max(...widths),
    // A stroke may have a thousand runs, and where something lies over it, none is painted.
    get runs() { return runs ??= runsAlong(pieces, widths, longest) },
    get whole() { return isOne ? this.runs[0].path : whole ??= pathAlong(pieces) },
  }
}

/** @param {Piece[]} pieces @param {number[]} widths of the pieces @param {number} longest a run @returns {Run[]} */
function runsAlong(pieces, widths, longest) {
  const runs = /** @type {Run[]} */ ([])
  let [start, length, next] = [0, 0, pieceBound(pieces[0])]
  for (let end = 1; end <= pieces.length; end++) {
    length += next
    next = end < pieces.length ? pieceBound(pieces[end]) : Infinity
    if (widths[end] === widths[start] && length + next <= longest) continue
    runs.push(runOf(pieces.slice(start, end), widths[start], length))
    start = end
    length = 0
  }
  return runs
}

/** @param {Piece[]} pieces @param {number} width @param {number} length @returns {Run} */
function runOf(pieces, width, length) {
  /** @type {Path2D | null} */
  let path = null
  return { get path() { return path ??= pathAlong(pieces) }, width, length, pieces: () => pieces }
}

/** @param {Piece[]} pieces */
export function pathAlong(pieces) {
  const path = new Path2D()
  path.moveTo(pieces[0].from.x, pieces[0].from.y)
  for (const { control, to } of pieces) {
    if (control) path.quadraticCurveTo(control.x, control.y, to.x, to.y)
    else path.lineTo(to.x, to.y)
  }
  return path
}

/** The upper bound on the points of a rough path. */
export const roughPoints = 12

/**
 * A rough path of a line or of ink, for hit tests: if a wide line crosses itself a thousand times, a browser takes long
 * to find the area that the real path covers.
 *
 * @param {import('./drawn.js').Drawn} drawn
 */
export function roughPath({ shape, width, height }) {
  const points = pathOf(shape)
  const path = new Path2D()
  for (let at = 0; at < points.length; at += Math.ceil(points.length / roughPoints)) {
    const [x, y] = points[at]
    path.lineTo((x / boxEnd - 0.5) * width, (y / boxEnd - 0.5) * height)
  }
  return path
}

/**
 * The points of a line on the canvas.
 *
 * @param {import('../core/types.js').Frame & {path: PathPoint[]}} shape @returns {Point[]}
 */
export function pointsOn(shape) {
  return pathOf(shape).map(([x, y]) => pointIn(shape, x, y))
}

/**
 * A place in a shape's box, as a point of the canvas.
 *
 * @param {import('../core/types.js').Frame} box @param {number} x 0…`boxEnd` @param {number} y @returns {Point}
 */
export function pointIn({ x: left, y: top, width, height, rotation }, x, y) {
  const turn = rotation * Math.PI / 180
  const [across, down] = [(x / boxEnd - 0.5) * width, (y / boxEnd - 0.5) * height]
  return {
    x: left + width / 2 + across * Math.cos(turn) - down * Math.sin(turn),
    y: top + height / 2 + across * Math.sin(turn) + down * Math.cos(turn),
  }
}

/**
 * The place in a shape's box that is nearest to a point of the canvas, as fractions of the box's sides.
 *
 * @param {import('../core/types.js').Frame} box @param {Point} point @returns {Point} each 0…1
 */
export function placeIn({ x, y, width, height, rotation }, point) {
  const turn = -rotation * Math.PI / 180
  const [dx, dy] = [point.x - x - width / 2, point.y - y - height / 2]
  const part = (/** @type {number} */ value) => Math.max(0, Math.min(1, value))
  return {
    x: part((dx * Math.cos(turn) - dy * Math.sin(turn)) / width + 0.5),
    y: part((dx * Math.sin(turn) + dy * Math.cos(turn)) / height + 0.5),
  }
}

/**
 * The values that make a line lead through some points of the canvas: the box around the points, and the path in that
 * box.
 *
 * @param {Point[]} points @param {number[]} [widths] hundredths of the stroke's
 * @returns {{position: [number, number], size: [number, number], path: number[][]}}
 */
export function leading(points, widths) {
  const rounded = (/** @type {number} */ value) => Math.round(value * 100) / 100
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [left, top] = [rounded(least(xs)), rounded(least(ys))]
  const [width, height] = [Math.max(1, rounded(-least(xs.map((x) => -x)) - left)), Math.max(1, rounded(-least(ys.map((y) => -y)) - top))]
  const along = (/** @type {number} */ value, /** @type {number} */ side) => Math.max(0, Math.min(boxEnd, Math.round(value / side * boxEnd)))
  return {
    position: [left, top],
    size: [width, height],
    path: points.map(({ x, y }, index) => [along(x - left, width), along(y - top, height), ...widths ? [widths[index]] : []]),
  }
}

/**
 * The values that give a line new points. The line's box is no longer turned.
 *
 * @param {{rotation: number}} line as it was @param {Point[]} points of the canvas
 */
export const ledAnew = ({ rotation }, points) => ({ ...leading(points), ...rotation !== 0 && { rotation: 0 } })

/** @param {number[]} values */
const least = (values) => values.reduce((smallest, value) => Math.min(smallest, value), Infinity)
