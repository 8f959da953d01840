// Dashed and dotted lines (S11): how long the dashes are, which lines are worth dividing into dashes, and which pieces
// of a long line are visible.

import { dashForms, dashPartsMax } from '../core/table.js'
import type { Box, Point } from '../core/types.js'

/** A part of a line: straight if there is no control point, otherwise a quadratic curve. */
export type Piece = { from: Point, control: Point | null, to: Point }

/** A line with at most this many dashes is painted whole, even if most of it lies outside the view. */
const partsUncut = 1000
/** The upper bound on how often a piece of a line is halved to find out whether it is visible. */
const halvingsMax = 20
/**
 * How many straight pieces replace a quarter of an ellipse. Even for the largest ellipse, the pieces deviate from the
 * curve by only a thousandth of a unit.
 */
const quarterPieces = 64
/**
 * The upper bound on a path's length, as a multiple of the sum of its box's width and height. If a longer path crosses
 * itself often, a browser takes long to paint it.
 */
export const crossings = 16

/**
 * How many more dashes one picture may have.
 *
 * A few hundred bytes can describe a line with so many dashes that painting them would keep a page busy for minutes. So
 * a line is painted solid if its dashes are smaller than a pixel. When the budget is used up, all further lines are
 * painted solid too.
 */
export class DashBudget {
  #left = dashPartsMax


  /**
   * Subtracts this many dashes from the budget, if it has as many left.
   *
   * @returns whether it had
   */
  takes(parts: number): boolean {
    if (!(parts <= this.#left)) return false
    this.#left -= Math.ceil(parts)
    return true
  }
}

/**
 * How to stroke a line. Each path has an offset: its distance from the line's start. The dash pattern is empty for a
 * solid line.
 */
type Strokes = { paths: { path: Path2D, offset: number }[], pattern: number[] }

/**
 * A line to stroke. `length` is an upper bound. `passed`: how long the lines are whose dashes this one continues, each in
 * multiples of its width. `length`, `passed` and `pieces` are used only if the line is dashed or dotted.
 */
export type Line = { path: Path2D, length: number, pieces: () => Piece[], passed?: number }

/** @param view `box`: the visible area in the line's coordinates; `scale`: device pixels for a unit */
export function strokesOf(
  dash: 'solid' | 'dashed' | 'dotted', width: number, { path, length, pieces, passed = 0 }: Line,
  { box, scale, budget }: { box: () => Box, scale: number, budget: DashBudget },
): Strokes {
  const start = passed * width
  const whole = [{ path, offset: start }]
  if (dash === 'solid') return { paths: whole, pattern: [] }
  const { part, step } = dashForms[dash]
  const pattern = step * width * scale >= 1 ? [part * width, (step - part) * width] : []
  const isUncut = length <= partsUncut * step * width
  if (isUncut && pattern.length > 0 && budget.takes(length / (step * width))) return { paths: whole, pattern }
  const view = grown(box(), width)
  const isSolid = isUncut || pattern.length === 0
  if (isSolid && length <= crossings * (view.width + view.height)) return { paths: whole, pattern: [] }
  const seen = new SeenPieces(view, start)
  for (const piece of pieces()) seen.add(piece)
  const isBroken = !isSolid && budget.takes(seen.length / (step * width) + seen.paths.length)
  return { paths: seen.paths, pattern: isBroken ? pattern : [] }
}

const grown = ({ x, y, width, height }: Box, reach: number): Box =>
  ({ x: x - reach, y: y - reach, width: width + 2 * reach, height: height + 2 * reach })

/** Collects the visible pieces of a line. Consecutive pieces become one path. */
class SeenPieces {
  #box
  #passed
  /** The distance along the line at which the current path begins. */
  #start = -Infinity
  paths: Strokes['paths'] = []
  /** The length of the line up to the end of the last piece. */
  length = 0

  /** @param passed where the line begins, if it continues another one */
  constructor(box: Box, passed: number) {
    this.#box = box
    this.#passed = passed
  }

  add(piece: Piece, halvings = 0) {
    const place = placed(piece, this.#box)
    if (place === 'across' && halvings < halvingsMax) {
      for (const half of halves(piece)) this.add(half, halvings + 1)
      return
    }
    const length = pieceLength(piece)
    if (place === 'beyond') this.#start = -Infinity
    else {
      if (this.#passed + length - this.#start > crossings * (this.#box.width + this.#box.height)) {
        this.paths.push({ path: new Path2D(), offset: this.#passed })
        this.paths.at(-1)?.path.moveTo(piece.from.x, piece.from.y)
        this.#start = this.#passed
      }
      const { control, to } = piece
      if (control) this.paths.at(-1)?.path.quadraticCurveTo(control.x, control.y, to.x, to.y)
      else this.paths.at(-1)?.path.lineTo(to.x, to.y)
      this.length += length
    }
    this.#passed += length
  }
}

function placed({ from, control, to }: Piece, { x, y, width, height }: Box): 'within' | 'across' | 'beyond' {
  const middle = control ?? from
  const [left, right] = [Math.min(from.x, middle.x, to.x), Math.max(from.x, middle.x, to.x)]
  const [top, bottom] = [Math.min(from.y, middle.y, to.y), Math.max(from.y, middle.y, to.y)]
  if (right < x || left > x + width || bottom < y || top > y + height) return 'beyond'
  // A piece that is no larger than the visible area has few dashes. So it is 'within', and is not split further.
  return right - left <= width && bottom - top <= height ? 'within' : 'across'
}

function halves({ from, control, to }: Piece): Piece[] {
  if (!control) {
    const middle = between(from, to)
    return [{ from, control, to: middle }, { from: middle, control, to }]
  }
  const [one, other] = [between(from, control), between(control, to)]
  const middle = between(one, other)
  return [{ from, control: one, to: middle }, { from: middle, control: other, to }]
}

const between = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 })

/** The length of a piece, precise enough for placing dashes. */
export function pieceLength({ from, control, to }: Piece) {
  const chord = distance(from, to)
  if (!control) return chord
  const [one, other] = [between(from, control), between(control, to)]
  const middle = between(one, other)
  return lengthOf(from, one, middle) + lengthOf(middle, other, to)
}

const lengthOf = (from: Point, control: Point, to: Point) =>
  (2 * distance(from, to) + distance(from, control) + distance(control, to)) / 3

const distance = (one: Point, other: Point) => Math.hypot(other.x - one.x, other.y - one.y)

/** An upper bound on a piece's length. */
export const pieceBound = ({ from, control, to }: Piece): number =>
  (control ? distance(from, control) + distance(control, to) : distance(from, to))

/** An upper bound on the sum of the pieces' lengths. */
export const piecesLength = (pieces: Piece[]) => pieces.reduce((sum, piece) => sum + pieceBound(piece), 0)

/** Adds the straight pieces between consecutive points. */
export function addStraight(pieces: Piece[], points: Point[]) {
  for (let at = 1; at < points.length; at++) pieces.push({ from: points[at - 1], control: null, to: points[at] })
}

/**
 * Adds quarters of an ellipse, clockwise.
 *
 * @param first where the first quarter begins: 0 right, 1 bottom, 2 left, 3 top
 */
export function addQuarters(
  pieces: Piece[], center: Point, radiusX: number, radiusY: number, first: number, count = 1,
) {
  const step = Math.PI / 2 / quarterPieces
  const at = (turn: number, reach: number) =>
    ({ x: center.x + radiusX * reach * Math.cos(turn), y: center.y + radiusY * reach * Math.sin(turn) })
  // The distance of a piece's control point from the centre, as a multiple of the radius: the tangents at both ends
  // meet there.
  const beyond = 1 / Math.cos(step / 2)
  for (let place = first * quarterPieces; place < (first + count) * quarterPieces; place++) {
    pieces.push({ from: at(place * step, 1), control: at((place + 0.5) * step, beyond), to: at((place + 1) * step, 1) })
  }
}
