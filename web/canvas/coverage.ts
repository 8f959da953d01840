// Finds the parts of a picture that are hidden by shapes above them. A few hundred bytes can describe thousands of
// shapes that lie on top of each other. Painting the hidden ones too would keep a page busy for minutes.

import type { Point } from '../core/types.js'
import { crossings, type Piece } from './dashes.js'
import type { Drawn } from './drawn.js'
import { type DrawnLine, isStroke, pathAlong } from './lines.js'
import type { Area } from './tiles.js'
import type { Pixels } from './view.js'
import { WorkBudget, pathPoints, plainWorkOf, strokeWork, workOf } from './work.js'

/**
 * The picture is divided into a square grid of cells, with this many cells on each side. A row of cells is the bits of
 * one 32-bit number.
 */
const side = 32
/**
 * A cell counts as hidden if less than this fraction of what lies below it shines through, which no screen can show.
 */
const faintest = 1 / 1024
/** In device pixels: the width of the smoothed edge of a shape, where it is not fully opaque. */
const edge = 1
/**
 * Only a stroke with more points than this is searched for visible parts. For fewer points, the search would cost more
 * than painting the whole stroke.
 */
const pointsMin = 8
/** In device pixels: consecutive parts of a stroke are painted together if their widths differ by less than this. */
const widthStep = 0.25
/** The upper bound on the number of discs by which a piece of a stroke is approximated. */
const discsMax = 12

/** A part of a stroke of ink that is painted with one width. */
export type InkStroke = { path: Path2D, width: number }

/**
 * What to paint of a shape. `strokes` are the visible parts of ink that has many points, and null for other shapes.
 * `isPlain`: the shape is painted by a single fill or line, because the budget of work is used up.
 */
export type Seen = { area: Area, strokes: InkStroke[] | null, work: number, isPlain: boolean }

/** Takes shapes from the front to the back, and returns which part of each is visible. */
export class Coverage {
  #pixels
  #area
  #budget
  #width
  #height
  /** The transparency of all shapes so far, for each cell: the fraction of what lies below that can still be seen. */
  #through = new Float32Array(side * side).fill(1)
  /** The cells that are hidden so far: a number for each row, a bit for each cell. */
  #hidden = new Uint32Array(side)
  /** The cells that the current shape covers: a number for each row, a bit for each cell. */
  #covered = new Uint32Array(side)

  /**
   * @param area the painted part of the picture, in device pixels
   * @param budget the work that is left for the picture
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
   * @returns null if all of the shape is hidden
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
    if (filled && !isStroke(kind) && kind !== 'text') this.#coverInside(drawn)
    this.#cover(drawn.opacity)
    const [whole, plain] = [strokes ? strokes.work : workOf(drawn, sight), plainWorkOf(drawn, sight)]
    const way = this.#budget.take(whole, plain)
    if (!way) return null
    const isPlain = way === 'plain'
    return { area, strokes: isPlain ? null : strokes?.made() ?? null, work: isPlain ? plain : whole, isPlain }
  }

  /** The bounding box of the cells that a box touches and that are not hidden yet; null if there are none. */
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

  /** @returns the first and the last row of cells that this range touches */
  #rows(top: number, bottom: number): [number, number] {
    const over = this.#area.top
    return [Math.max(0, Math.floor((top - over) / this.#height)), Math.min(side - 1, Math.floor((bottom - over) / this.#height))]
  }

  /** The cells of a row that a range touches, as bits. */
  #meeting(left: number, right: number) {
    const from = this.#area.left
    return bits(Math.floor((left - from) / this.#width), Math.floor((right - from) / this.#width))
  }

  /** The cells of a row that lie completely within a range, as bits. */
  #within(left: number, right: number) {
    const from = this.#area.left
    return bits(Math.ceil((left - from) / this.#width), Math.floor((right - from) / this.#width) - 1)
  }

  /**
   * Updates the cells that the current shape covers.
   *
   * @param opacity of the current shape
   */
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
   * Marks the cells that lie completely inside a filled shape. A polygon or a star is replaced by an ellipse inside it.
   * A convex form contains a cell if it contains the cell's four corners.
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
      // One bit for each column: whether both upper corners of this row's cell are inside the shape.
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
   * Returns the parts of a stroke that are covered neither by other shapes nor by earlier parts of the same stroke.
   * Marks the cells that the stroke covers.
   */
  #seenInk(drawn: Drawn) {
    const { scale, x, y } = this.#pixels
    const size = scale * drawn.growth
    const turn = drawn.rotation * Math.PI / 180
    const [cosine, sine] = [Math.cos(turn) * size, Math.sin(turn) * size]
    const [middleX, middleY] = [drawn.centerX * scale + x, drawn.centerY * scale + y]
    const place = (point: Point) =>
      ({ x: cosine * point.x - sine * point.y + middleX, y: sine * point.x + cosine * point.y + middleY })
    const line = drawn.line
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
      // Midway between two discs, the stroke reaches furthest from their centres.
      const widest = reach + edge + (discs === 0 ? 0 : length / discs / 2)
      if (!points.some((point) => this.#isDiscOpen(point, widest))) continue
      seen.add(piece, widths[at], length)
      for (const point of points) this.#coverDisc(point, reach - edge)
    }
    return seen
  }

  /** Whether a box touches a cell that is not hidden and that the current shape doesn't cover yet. */
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

/** Collects the visible pieces of a stroke. Consecutive pieces of about the same width are joined. */
class SeenStrokes {
  #line
  #size
  #most
  #strokes: { pieces: Piece[], width: number, length: number }[] = []
  #count = 0

  /**
   * @param size device pixels for a unit
   * @param most upper bounds in device pixels: `longest` on the length of a joined part, `pixels` on the area that it
   *   covers
   */
  constructor(line: DrawnLine, size: number, most: { longest: number, pixels: number }) {
    this.#line = line
    this.#size = size
    this.#most = most
  }

  /** @param length in device pixels */
  add(piece: Piece, width: number, length: number) {
    this.#count += 1
    const open = this.#strokes.at(-1)
    const follows = open?.pieces.at(-1)?.to === piece.from && Math.abs(open.width - width) * this.#size < widthStep
    if (open && follows && open.length + length <= this.#most.longest) {
      open.pieces.push(piece)
      open.length += length
    } else this.#strokes.push({ pieces: [piece], width, length })
  }

  get work() {
    return this.#strokes.reduce((sum, { pieces, width, length }) =>
      sum + strokeWork(pieces.length / pathPoints, length, width * this.#size, this.#most.pixels), 0)
  }

  /** Makes the paths. If all of the line is visible, the paths are cached in the line. */
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

/** @returns a number in which the bits from `first` to `last` are set */
function bits(first: number, last: number): number {
  const [from, to] = [Math.max(first, 0), Math.min(last, side - 1)]
  return from > to ? 0 : (-1 >>> (side - 1 - (to - from))) << from
}
