// Lines and ink, by the same rules as in the core (docs/PROTOCOL.md, S14 and S15). Each is a sequence of pieces, with
// arrows and dots at the ends. All coordinates are relative to the centre of the shape's box, before rotation.

import type { PathPoint, Shape } from '../core/table.js'
import type { Frame, Point } from '../core/types.js'
import type { InkStroke } from './coverage.js'
import { addStraight, crossings, type Line, type Piece, pieceBound, piecesLength } from './dashes.js'
import type { Drawn } from './drawn.js'

/** The coordinate in a path that stands for the right or the bottom edge of the shape's box. */
export const boxEnd = 65535

export const isStroke = (kind: string) => kind === 'line' || kind === 'ink'

/** The length and the width of an arrowhead. `dotLength` is the diameter of a dot. */
const arrowLength = (width: number) => 3 * width + 6
const dotLength = (width: number) => 2 * width + 4

/**
 * How far a line's painted area extends beyond its points.
 *
 * @param width of the stroke
 */
export const strokeReach = (width: number) => Math.max(width, arrowLength(width) / 2, dotLength(width) / 2)

/** The path of a line that stores no path: from the upper left corner of its box to the lower right one. */
const diagonal: PathPoint[] = [[0, 0, 100], [boxEnd, boxEnd, 100]]

export const pathOf = ({ path }: { path: PathPoint[] }) => (path.length > 0 ? path : diagonal)

/**
 * A line as it is painted. `pieces` are consecutive. `runs` join consecutive pieces of the same width. `heads` are the
 * filled shapes at the line's ends. `whole` is the line as one path, for hit tests.
 */
export interface DrawnLine {
  pieces: Piece[]
  /** The width of each piece. */
  widths: number[]
  runs: Run[]
  /** Whether there is only one run. */
  isOne: boolean
  heads: Path2D | null
  whole: Path2D
  widest: number
  /** An upper bound on the line's length. */
  length: number
  /** The cached paths for painting all of the line at a certain scale. */
  seen?: { size: number, strokes: InkStroke[] }
}

type Run = Line & { width: number }

export function lineOf({ shape, width, height, strokeWidth }: Drawn): DrawnLine {
  const points = pathOf(shape).map(([x, y]) => ({ x: (x / boxEnd - 0.5) * width, y: (y / boxEnd - 0.5) * height }))
  const isBroken = shape.dash !== 'solid'
  // A dashed or dotted line becomes one path, because its dash pattern would begin anew in each further path.
  const longest = isBroken ? Infinity : crossings * (width + height)
  return shape.kind === 'ink' ? inkOf(points, pathOf(shape).map(([, , hundredths]) => strokeWidth * hundredths / 100), longest)
    : straightLine(points, strokeWidth, shape, longest)
}

/** @param longest the upper bound on a run's length */
function straightLine(points: Point[], width: number, { fromEnd, toEnd }: Shape, longest: number): DrawnLine {
  const heads = new Path2D()
  const last = points.length - 1
  const led = [...points]
  led[0] = addHead(heads, fromEnd, points[0], points[1], width)
  led[last] = addHead(heads, toEnd, points[last], points[last - 1], width)
  const pieces: Piece[] = []
  addStraight(pieces, led)
  const hasHeads = fromEnd !== 'plain' || toEnd !== 'plain'
  return lineAlong(pieces, pieces.map(() => width), hasHeads ? heads : null, longest)
}

/**
 * Adds an arrowhead or a dot.
 *
 * @returns where the line itself ends: inside the arrowhead, so that the line doesn't show beside the tip
 */
function addHead(heads: Path2D, head: 'plain' | 'arrow' | 'dot', end: Point, before: Point, width: number): Point {
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
 * The curve through some points. It is straight to the middle between the first two points, and straight from the
 * middle between the last two. Between these, it leads from middle to middle, with each point as a control point.
 *
 * @param longest the upper bound on a run's length
 */
function inkOf(points: Point[], widths: number[], longest: number): DrawnLine {
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
 * @param widths of the pieces
 * @param longest the upper bound on a run's length
 */
function lineAlong(pieces: Piece[], widths: number[], heads: Path2D | null, longest: number): DrawnLine {
  const length = piecesLength(pieces)
  const isOne = length <= longest && widths.every((width) => width === widths[0])
  let runs: Run[] | null = null
  let whole: Path2D | null = null
  return {
    pieces, widths, heads, length, isOne, widest: Math.max(...widths),
    // The runs are made only when needed: there can be a thousand, and none is needed for a hidden stroke.
    get runs() { return runs ??= runsAlong(pieces, widths, longest) },
    get whole() { return isOne ? this.runs[0].path : whole ??= pathAlong(pieces) },
  }
}

/**
 * @param widths of the pieces
 * @param longest the upper bound on a run's length
 */
function runsAlong(pieces: Piece[], widths: number[], longest: number): Run[] {
  const runs: Run[] = []
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

function runOf(pieces: Piece[], width: number, length: number): Run {
  let path: Path2D | null = null
  return { get path() { return path ??= pathAlong(pieces) }, width, length, pieces: () => pieces }
}

export function pathAlong(pieces: Piece[]) {
  const path = new Path2D()
  path.moveTo(pieces[0].from.x, pieces[0].from.y)
  for (const { control, to } of pieces) {
    if (control) path.quadraticCurveTo(control.x, control.y, to.x, to.y)
    else path.lineTo(to.x, to.y)
  }
  return path
}

/** The upper bound on the number of points of a rough path. */
export const roughPoints = 12

/**
 * A simplified path of a line or of ink, for hit tests. A hit test with the real path could take long, because a wide
 * line can cross itself a thousand times.
 */
export function roughPath({ shape, width, height }: Drawn) {
  const points = pathOf(shape)
  const path = new Path2D()
  for (let at = 0; at < points.length; at += Math.ceil(points.length / roughPoints)) {
    const [x, y] = points[at]
    path.lineTo((x / boxEnd - 0.5) * width, (y / boxEnd - 0.5) * height)
  }
  return path
}

/** The points of a line in canvas coordinates. */
export function pointsOn(shape: Frame & { path: PathPoint[] }): Point[] {
  return pathOf(shape).map(([x, y]) => pointIn(shape, x, y))
}

/**
 * Converts a position in a shape's box to canvas coordinates.
 *
 * @param x from 0 to `boxEnd`
 */
export function pointIn({ x: left, y: top, width, height, rotation }: Frame, x: number, y: number): Point {
  const turn = rotation * Math.PI / 180
  const [across, down] = [(x / boxEnd - 0.5) * width, (y / boxEnd - 0.5) * height]
  return {
    x: left + width / 2 + across * Math.cos(turn) - down * Math.sin(turn),
    y: top + height / 2 + across * Math.sin(turn) + down * Math.cos(turn),
  }
}

/**
 * The position in a shape's box that is nearest to a point of the canvas, as fractions of the box's width and height.
 *
 * @returns each from 0 to 1
 */
export function placeIn({ x, y, width, height, rotation }: Frame, point: Point): Point {
  const turn = -rotation * Math.PI / 180
  const [dx, dy] = [point.x - x - width / 2, point.y - y - height / 2]
  const part = (value: number) => Math.max(0, Math.min(1, value))
  return {
    x: part((dx * Math.cos(turn) - dy * Math.sin(turn)) / width + 0.5),
    y: part((dx * Math.sin(turn) + dy * Math.cos(turn)) / height + 0.5),
  }
}

/**
 * The values for a line through some points of the canvas: the box around the points, and the path relative to that
 * box.
 *
 * @param widths in hundredths of the stroke's width
 */
export function leading(points: Point[], widths?: number[]): { position: [number, number], size: [number, number],
  path: number[][] } {
  const rounded = (value: number) => Math.round(value * 100) / 100
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [left, top] = [rounded(least(xs)), rounded(least(ys))]
  const [width, height] = [Math.max(1, rounded(-least(xs.map((x) => -x)) - left)), Math.max(1, rounded(-least(ys.map((y) => -y)) - top))]
  const along = (value: number, side: number) => Math.max(0, Math.min(boxEnd, Math.round(value / side * boxEnd)))
  return {
    position: [left, top],
    size: [width, height],
    path: points.map(({ x, y }, index) => [along(x - left, width), along(y - top, height), ...widths ? [widths[index]] : []]),
  }
}

/**
 * The values that give a line new points. They also reset its rotation to 0.
 *
 * @param line before the change
 * @param points in canvas coordinates
 */
export const ledAnew = ({ rotation }: { rotation: number }, points: Point[]) =>
  ({ ...leading(points), ...rotation !== 0 && { rotation: 0 } })

const least = (values: number[]) => values.reduce((smallest, value) => Math.min(smallest, value), Infinity)
