// Finds the parts of a picture that are hidden by shapes above them. A few hundred bytes can describe thousands of
// shapes and strokes on top of each other over a whole view. Painting all of them would keep a page busy for minutes,
// and nobody would see a difference.

import type { Point } from '../core/types.js'
import { crossings, type Piece } from './dashes.js'
import type { Drawn } from './drawn.js'
import { type DrawnLine, isStroke, lineOf, pathAlong } from './lines.js'
import type { Area } from './tiles.js'
import type { Pixels } from './view.js'
import { WorkBudget, pathPoints, plainWorkOf, strokeWork, workOf } from './work.js'

/** How many cells a row of the picture has, and how many rows it has. Each cell is a bit of its row's number. */
const side = 32
/** If a smaller fraction than this of what lies below shines through a cell, no screen can show it. */
const faintest = 1 / 1024
/** In device pixels: this far inside its edge, a shape has its full opacity. */
const edge = 1
/**
 * A stroke with more points than this is painted only where it is visible. For a shorter one, finding the visible parts
 * would cost more than painting all of it.
 */
const pointsMin = 8
/** In device pixels: parts of a stroke whose widths differ by less than this are painted as one part. */
const widthStep = 0.25
/** The upper bound on the number of discs that approximate a part of a stroke. */
const discsMax = 12

/** A part of a stroke of ink that is equally wide, as far as an eye can tell. */
export type InkStroke = { path: Path2D, width: number }

/**
 * What to paint of a shape: the visible area; for ink with many points, the visible parts of the stroke; how much work
 * painting is; and whether the shape is painted in the plain way.
 */
export type Seen = { area: Area, strokes: InkStroke[] | null, work: number, isPlain: boolean }

/** Takes shapes from the front to the back, and returns which part of each is visible. */
export class Coverage {
  #pixels
  #area
  #budget
  #width
  #height
  /** For each cell, the fraction of what lies below that shines through. */
  #through = new Float32Array(side * side).fill(1)
  /** The cells through which nothing shines from below, as a number for each row. */
  #hidden = new Uint32Array(side)
  /** The cells that the current shape covers, as a number for each row. */
  #covered = new Uint32Array(side)

  /**
   * @param area device pixels
   * @param budget of the picture
   */
  constructor(pixels: Pixels, area: Area, budget: WorkBudget = new WorkBudget()) {
    this.#budget = budget
    this.#pixels = pixels
    this.#area = area
    this.#width = Math.max(area.right - area.left, 1) / side
    this.#height = Math.max(area.bottom - area.top, 1) / side
  }

  /**
   * Takes the next shape, which lies below all shapes before it.
   *
   * @returns null if nothing of it is seen
   */
  take(drawn: Drawn): Seen | null {
    const { scale, x, y } = this.#pixels
    const area = this.#open(drawn.left * scale + x - edge, drawn.top * scale + y - edge,
      drawn.right * scale + x + edge, drawn.bottom * scale + y + edge)
    if (!area) return null
    this.#covered.fill(0)
    const { kind, dash, path, filled } = drawn.shape
    const sight = { pixels: this.#pixels, area }
    const strokes = kind === 'ink' && dash === 'solid' && path.length > pointsMin ? this.#seenInk(drawn) : null
    if (strokes?.isEmpty) return null
    if (filled && !isStroke(kind) && kind !== 'text') this.#coverInside(drawn)
    this.#cover(drawn.opacity)
    const [whole, plain] = [strokes ? strokes.work : workOf(drawn, sight), plainWorkOf(drawn, sight)]
    const way = this.#budget.take(whole, plain)
    if (!way) return null
    const isPlain = way === 'plain'
    return { area, strokes: isPlain ? null : strokes?.made() ?? null, work: isPlain ? plain : whole, isPlain }
  }

  /** The part of the picture around those cells that the box meets and in which the box would be visible. */
  #open(left: number, top: number, right: number, bottom: number): Area | null {
    const columns = this.#meeting(left, right)
    const [first, last] = this.#rows(top, bottom)
    let open = 0
    let [above, below] = [side, -1]
    for (let row = first; row <= last; row++) {
      const here = columns & ~this.#hidden[row]
      if (here === 0) continue
      open |= here
      above = Math.min(above, row)
      below = row
    }
    if (open === 0) return null
    const { left: from, top: over } = this.#area
    const [least, greatest] = [31 - Math.clz32(open & -open), 31 - Math.clz32(open)]
    return {
      left: Math.floor(from + least * this.#width),
      top: Math.floor(over + above * this.#height),
      right: Math.min(this.#area.right, Math.ceil(from + (greatest + 1) * this.#width)),
      bottom: Math.min(this.#area.bottom, Math.ceil(over + (below + 1) * this.#height)),
    }
  }

  /** @returns the first and the last row that meet this */
  #rows(top: number, bottom: number): [number, number] {
    const over = this.#area.top
    return [Math.max(0, Math.floor((top - over) / this.#height)), Math.min(side - 1, Math.floor((bottom - over) / this.#height))]
  }

  /** @param right the cells of a row that meet this */
  #meeting(left: number, right: number) {
    const from = this.#area.left
    return bits(Math.floor((left - from) / this.#width), Math.floor((right - from) / this.#width))
  }

  /** @param right the cells of a row that lie in this */
  #within(left: number, right: number) {
    const from = this.#area.left
    return bits(Math.ceil((left - from) / this.#width), Math.floor((right - from) / this.#width) - 1)
  }

  /** @param opacity of what covers the covered cells */
  #cover(opacity: number) {
    for (let row = 0; row < side; row++) {
      for (let cells = this.#covered[row]; cells !== 0; cells &= cells - 1) {
        const column = 31 - Math.clz32(cells & -cells)
        const left = this.#through[row * side + column] *= 1 - opacity
        if (left < faintest) this.#hidden[row] |= 1 << column
      }
    }
  }

  /**
   * Notes the cells that lie completely inside a filled shape, or at least inside an ellipse or a rectangle in the
   * shape. A convex form contains a cell if it contains the cell's four corners.
   */
  #coverInside(drawn: Drawn) {
    const { scale, x, y } = this.#pixels
    const { shape: { kind, points } } = drawn
    const size = scale * drawn.growth
    const [halfWidth, halfHeight] = [drawn.width / 2 * size - edge, drawn.height / 2 * size - edge]
    if (Math.min(halfWidth, halfHeight) * 2 < Math.min(this.#width, this.#height)) return
    const radius = kind === 'roundedRectangle' ? Math.min(drawn.cornerRadius * size, halfWidth, halfHeight) : 0
    const isAngular = kind === 'rectangle' || kind === 'roundedRectangle'
    const inscribed = kind === 'ellipse' ? 1 : Math.cos(Math.PI / points) * (kind === 'star' ? drawn.innerRatio : 1)
    const turn = drawn.rotation * Math.PI / 180
    const [cosine, sine] = [Math.cos(turn), Math.sin(turn)]
    const [middleX, middleY] = [drawn.centerX * scale + x, drawn.centerY * scale + y]
    const holds = (column: number, row: number) => {
      const [dx, dy] = [this.#area.left + column * this.#width - middleX, this.#area.top + row * this.#height - middleY]
      const [across, down] = [Math.abs(cosine * dx + sine * dy), Math.abs(cosine * dy - sine * dx)]
      if (!isAngular) return (across / (halfWidth * inscribed)) ** 2 + (down / (halfHeight * inscribed)) ** 2 <= 1
      return across <= halfWidth && down <= halfHeight && (across <= halfWidth - radius || down <= halfHeight - radius)
    }
    const [first, last] = this.#rows(drawn.top * scale + y, drawn.bottom * scale + y)
    let above = 0
    for (let row = first; row <= last + 1; row++) {
      // The corners above a row of cells, as bits. The last corner has no bit, since a row has one more corner than it
      // has cells.
      let below = 0
      let isLastHeld = holds(0, row)
      for (let column = 0; column < side; column++) {
        const isHeld = holds(column + 1, row)
        if (isLastHeld && isHeld) below |= 1 << column
        isLastHeld = isHeld
      }
      if (row > first) this.#covered[row - 1] |= above & below
      above = below
    }
  }

  // MARK: Ink

  /**
   * Returns the parts of a stroke that lie neither below other shapes nor below earlier parts of the same stroke. Notes
   * the cells that the stroke covers.
   */
  #seenInk(drawn: Drawn) {
    const { scale, x, y } = this.#pixels
    const size = scale * drawn.growth
    const turn = drawn.rotation * Math.PI / 180
    const [cosine, sine] = [Math.cos(turn) * size, Math.sin(turn) * size]
    const [middleX, middleY] = [drawn.centerX * scale + x, drawn.centerY * scale + y]
    const place = (point: Point) =>
      ({ x: cosine * point.x - sine * point.y + middleX, y: sine * point.x + cosine * point.y + middleY })
    const line = drawn.line ??= lineOf(drawn)
    const { pieces, widths } = line
    const { left, top, right, bottom } = this.#area
    const seen = new SeenStrokes(line, size, {
      longest: crossings * (drawn.width + drawn.height) * size, pixels: (right - left) * (bottom - top),
    })
    let end = place(pieces[0].from)
    for (const [at, piece] of pieces.entries()) {
      const [from, to] = [end, place(piece.to)]
      end = to
      const control = piece.control ? place(piece.control) : between(from, to)
      const reach = widths[at] / 2 * size
      if (!this.#isOpen(Math.min(from.x, control.x, to.x) - reach - edge, Math.min(from.y, control.y, to.y) - reach - edge,
        Math.max(from.x, control.x, to.x) + reach + edge, Math.max(from.y, control.y, to.y) + reach + edge)) continue
      const length = distance(from, control) + distance(control, to)
      if (reach * 2 <= Math.hypot(this.#width, this.#height)) {
        seen.add(piece, widths[at], length)
        continue
      }
      const discs = Math.min(discsMax, Math.ceil(length / reach * 2))
      const points = Array.from({ length: discs + 1 }, (_, disc) => along(from, control, to, discs === 0 ? 0 : disc / discs))
      // Between two discs the stroke's edge lies furthest from their middles, so this distance counts.
      const widest = reach + edge + (discs === 0 ? 0 : length / discs / 2)
      if (!points.some((point) => this.#isDiscOpen(point, widest))) continue
      seen.add(piece, widths[at], length)
      for (const point of points) this.#coverDisc(point, reach - edge)
    }
    return seen
  }

  /** Whether a box meets a cell that neither the shapes above nor the current shape cover. */
  #isOpen(left: number, top: number, right: number, bottom: number) {
    const columns = this.#meeting(left, right)
    const [first, last] = this.#rows(top, bottom)
    for (let row = first; row <= last; row++) if ((columns & ~(this.#hidden[row] | this.#covered[row])) !== 0) return true
    return false
  }

  #isDiscOpen({ x, y }: Point, radius: number) {
    const [first, last] = this.#rows(y - radius, y + radius)
    for (let row = first; row <= last; row++) {
      const above = this.#area.top + row * this.#height - y
      const off = Math.max(0, above, -above - this.#height)
      const half = Math.sqrt(Math.max(0, radius * radius - off * off))
      if ((this.#meeting(x - half, x + half) & ~(this.#hidden[row] | this.#covered[row])) !== 0) return true
    }
    return false
  }

  #coverDisc({ x, y }: Point, radius: number) {
    const [first, last] = this.#rows(y - radius, y + radius)
    for (let row = first; row <= last; row++) {
      const above = this.#area.top + row * this.#height - y
      const off = Math.max(Math.abs(above), Math.abs(above + this.#height))
      if (off >= radius) continue
      const half = Math.sqrt(radius * radius - off * off)
      this.#covered[row] |= this.#within(x - half, x + half)
    }
  }
}

/** Joins consecutive pieces of a stroke that look equally wide. */
class SeenStrokes {
  #line
  #size
  #most
  #strokes: { pieces: Piece[], width: number, length: number }[] = []
  #count = 0

  /**
   * @param size device pixels for a unit
   * @param most the greatest length of a stroke and the greatest area that it may cover, in device pixels
   */
  constructor(line: DrawnLine, size: number, most: { longest: number, pixels: number }) {
    this.#line = line
    this.#size = size
    this.#most = most
  }

  get isEmpty() { return this.#count === 0 }

  /** @param length of the piece, in device pixels */
  add(piece: Piece, width: number, length: number) {
    this.#count += 1
    const open = this.#strokes.at(-1)
    const follows = open?.pieces.at(-1)?.to === piece.from && Math.abs(open.width - width) * this.#size < widthStep
    if (open && follows && open.length + length <= this.#most.longest) {
      open.pieces.push(piece)
      open.length += length
    } else this.#strokes.push({ pieces: [piece], width, length })
  }

  /** The work of painting these strokes. */
  get work() {
    return this.#strokes.reduce((sum, { pieces, width, length }) =>
      sum + strokeWork(pieces.length / pathPoints, length, width * this.#size, this.#most.pixels), 0)
  }

  /** @returns the line keeps them if all of it is visible */
  made(): InkStroke[] {
    const line = this.#line
    const isWhole = this.#count === line.pieces.length
    if (isWhole && line.seen?.size === this.#size) return line.seen.strokes
    const strokes = this.#strokes.map(({ pieces, width }) => ({ path: pathAlong(pieces), width }))
    if (isWhole) line.seen = { size: this.#size, strokes }
    return strokes
  }
}

const between = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 })

const distance = (one: Point, other: Point) => Math.hypot(other.x - one.x, other.y - one.y)

function along(from: Point, control: Point, to: Point, part: number): Point {
  const rest = 1 - part
  const [first, second, third] = [rest * rest, 2 * rest * part, part * part]
  return { x: first * from.x + second * control.x + third * to.x, y: first * from.y + second * control.y + third * to.y }
}

/** @returns a number with these bits, as far as there are any */
function bits(first: number, last: number): number {
  const [from, to] = [Math.max(first, 0), Math.min(last, side - 1)]
  return from > to ? 0 : (-1 >>> (side - 1 - (to - from))) << from
}
