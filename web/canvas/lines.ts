// Lines and ink (docs/PROTOCOL.md, S14, S15 and S17), as the core draws them: a sequence of pieces, with arrows and dots
// at the ends. All coordinates are relative to the centre of the shape's box, before rotation.

import type { PathPoint, Shape } from '../core/table.js'
import type { Frame, Point, Values } from '../core/types.js'
import { rowOf } from '../core/values.js'
import type { InkStroke } from './coverage.js'
import { type Line, type Piece, pieceBound, pieceLength, piecesLength } from './dashes.js'
import type { Drawn } from './drawn.js'

/** The coordinate in a path that stands for the right or the bottom edge of the shape's box. */
export const boxEnd = 65535

/** Whether a line has pieces that are curves, two between each two points. */
export const isCurve = ({ route, path }: Shape) => route === 'curved' && path.length > 2

export const isStroke = (kind: string) => kind === 'line' || kind === 'ink'

/**
 * How far a line's painted area extends beyond its points: by half the width of an arrowhead.
 *
 * @param width of the stroke
 */
export const strokeReach = (width: number) => (3 * width + 6) / 2

/** The path of a line that stores no path: from the upper left corner of its box to the lower right one. */
const diagonal: PathPoint[] = [[0, 0, 100], [boxEnd, boxEnd, 100]]

export const pathOf = ({ path }: { path: PathPoint[] }) => (path.length > 0 ? path : diagonal)

type Run = Line & { width: number }

/** A line as it is painted. Its pieces are consecutive. */
export class DrawnLine {
  pieces: Piece[] = []
  /** The width of each piece. */
  widths: number[] = []
  /** The filled shapes at the line's ends. */
  heads: Path2D | null = null
  /** An upper bound on the line's length. */
  length
  /** Whether there is only one run. */
  isOne
  widest
  /** The cached paths for painting all of the line at a certain scale. */
  seen?: { size: number, strokes: InkStroke[] }
  /** The cached path through the line's points, by which the overlay marks it. */
  way?: Path2D
  #longest
  #runs: Run[] | null = null
  #whole: Path2D | null = null

  /**
   * @param numbers from `Replica.drawnLine`
   * @param longest the upper bound on a run's length
   */
  constructor(numbers: Float64Array, longest: number) {
    const [count, x, y] = numbers
    const headsAt = 3 + 5 * count
    let from = { x, y }
    for (let at = 3; at < headsAt; at += 5) {
      const to = { x: numbers[at + 2], y: numbers[at + 3] }
      this.pieces.push({ from, control: Number.isNaN(numbers[at]) ? null : { x: numbers[at], y: numbers[at + 1] }, to })
      this.widths.push(numbers[at + 4])
      from = to
    }
    if (numbers.length > headsAt) this.heads = headsOf(numbers, headsAt)
    this.length = piecesLength(this.pieces)
    this.widest = Math.max(...this.widths)
    this.isOne = this.length <= longest && this.widths.every((width) => width === this.widths[0])
    this.#longest = longest
  }

  /**
   * Consecutive pieces of the same width, joined. They are made only when needed: there can be a thousand, and none is
   * needed for a hidden stroke.
   */
  get runs() { return this.#runs ??= runsAlong(this.pieces, this.widths, this.#longest) }

  /** The line as one path, for hit tests. */
  get whole() { return this.isOne ? this.runs[0].path : this.#whole ??= pathAlong(this.pieces) }
}

function headsOf(numbers: Float64Array, start: number): Path2D {
  const heads = new Path2D()
  for (let at = start; at < numbers.length; at += 6) {
    const [x, y, x2, y2, x3, y3] = numbers.subarray(at, at + 6)
    heads.moveTo(Number.isNaN(y2) ? x + x2 : x, y)
    if (Number.isNaN(y2)) heads.arc(x, y, x2, 0, 2 * Math.PI)
    else {
      heads.lineTo(x2, y2)
      heads.lineTo(x3, y3)
      heads.closePath()
    }
  }
  return heads
}

/**
 * @param widths of the pieces
 * @param longest the upper bound on a run's length
 */
function runsAlong(pieces: Piece[], widths: number[], longest: number): Run[] {
  const runs: Run[] = []
  let [start, length, next, passed] = [0, 0, pieceBound(pieces[0]), 0]
  for (let end = 1; end <= pieces.length; end++) {
    length += next
    next = end < pieces.length ? pieceBound(pieces[end]) : Infinity
    if (widths[end] === widths[start] && length + next <= longest) continue
    const run = pieces.slice(start, end)
    runs.push(runOf(run, widths[start], length, passed))
    // A dashed or dotted line's runs have any length: see `Drawn.line`.
    if (longest === Infinity) for (const piece of run) passed += pieceLength(piece) / widths[start]
    start = end
    length = 0
  }
  return runs
}

function runOf(pieces: Piece[], width: number, length: number, passed: number): Run {
  let path: Path2D | null = null
  return { get path() { return path ??= pathAlong(pieces) }, width, length, pieces: () => pieces, passed }
}

export function pathAlong(pieces: Piece[]) {
  const path = new Path2D()
  path.moveTo(pieces[0].from.x, pieces[0].from.y)
  for (const { control, to } of pieces) {
    if (control) path.quadraticCurveTo(control.x, control.y, to.x, to.y)
    else path.lineTo(to.x, to.y)
  }
  if (piecesLength(pieces) === 0) path.lineTo(pieces[0].from.x + dotLength, pieces[0].from.y)
  return path
}

/** The length of a dot's path: browsers paint nothing for a path without a length. */
export const dotLength = 0.01

/** The upper bound on the number of points of a rough path. */
export const roughPoints = 12

/**
 * A simplified path of a line or of ink, for hit tests. A hit test with the real path could take long, because a wide
 * line can cross itself a thousand times.
 */
export const roughPath = (drawn: Drawn) => straightPath(drawn, Math.ceil(pathOf(drawn.shape).length / roughPoints))

/**
 * A path through the points of a line or of ink, without its curves.
 *
 * @param step 1 for all points, 2 for every second one, and so on
 */
export function straightPath({ shape, width, height }: Drawn, step = 1) {
  const points = pathOf(shape)
  const path = new Path2D()
  for (let at = 0; at < points.length; at += step) {
    const [x, y] = points[at]
    path.lineTo((x / boxEnd - 0.5) * width, (y / boxEnd - 0.5) * height)
  }
  return path
}

/** The points of a line that a person can set, in canvas coordinates. An elbow line finds its own way between its ends. */
export function setPointsOf(line: Frame & Pick<Shape, 'path' | 'route'>): Point[] {
  const points = pointsOn(line)
  return line.route === 'elbow' ? [points[0], points[points.length - 1]] : points
}

/** The points through which a line is drawn, in canvas coordinates. */
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

export const sideMax = rowOf('size')?.max ?? 0

/**
 * The values for a line through some points of the canvas: the box around the points, and the path relative to that
 * box. Points that are too far away are moved to the edge of the largest box that a shape can have.
 *
 * @param widths in hundredths of the stroke's width
 * @param kept the points that stay where they are in any case
 */
export function leading(points: Point[], widths?: number[], kept = points.slice(0, 1)): { position: [number, number],
  size: [number, number], path: number[][] } {
  const rounded = (value: number) => Math.round(value * 100) / 100
  const range = (axis: 'x' | 'y') => {
    const start = rounded(Math.max(least(points, axis), most(kept, axis) - sideMax))
    return [start, Math.min(sideMax, Math.max(1, rounded(most(points, axis) - start)))]
  }
  const [left, width] = range('x')
  const [top, height] = range('y')
  const along = (value: number, side: number) => Math.max(0, Math.min(boxEnd, Math.round(value / side * boxEnd)))
  return {
    position: [left, top],
    size: [width, height],
    path: points.map(({ x, y }, index) => [along(x - left, width), along(y - top, height), ...widths ? [widths[index]] : []]),
  }
}

/**
 * The points of a line that was drawn or given its route by a person. A curved line without bends gets one, since it
 * would be straight.
 *
 * @param points in canvas coordinates
 */
export function bent(points: Point[], route: Shape['route']): Point[] {
  if (route !== 'curved' || points.length > 2) return points
  const [from, to] = points
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  return [from, { x: (from.x + to.x) / 2 + dy * bow, y: (from.y + to.y) / 2 - dx * bow }, to]
}

/** How far a curved line bends to the side at first, as a fraction of its length. */
const bow = 0.2

/** The values that give a line a route. A curved line with a single bend loses it when it is no longer curved. */
export function routed(line: Shape, route: Shape['route']): Values {
  const points = setPointsOf(line)
  const isBow = line.route === 'curved' && points.length === 3
  const next = route === 'curved' ? bent(points, route) : isBow ? [points[0], points[2]] : points
  return { route, ...(next !== points || line.route === 'elbow') && ledAnew(line, next) }
}

/**
 * The values that give a line new points. They also reset its rotation to 0.
 *
 * @param line before the change
 * @param points in canvas coordinates
 * @param kept as of `leading`
 */
export const ledAnew = ({ rotation }: { rotation: number }, points: Point[], kept?: Point[]) =>
  ({ ...leading(points, undefined, kept), ...rotation !== 0 && { rotation: 0 } })

const least = (points: Point[], axis: 'x' | 'y') => points.reduce((value, point) => Math.min(value, point[axis]), Infinity)
const most = (points: Point[], axis: 'x' | 'y') => points.reduce((value, point) => Math.max(value, point[axis]), -Infinity)
