/** In device pixels: the side of a tile. It is small, so that moving a shape makes few other pixels stale. */
const side = 64

/** In device pixels, as integers. */
export type Area = { left: number, top: number, right: number, bottom: number }

/** The stale tiles of a picture, which have to be repainted. */
export class Tiles {
  #columns
  #rows
  #marks
  #count = 0
  readonly width
  readonly height

  /** @param height in device pixels */
  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#columns = Math.ceil(width / side)
    this.#rows = Math.ceil(height / side)
    this.#marks = new Uint8Array(this.#columns * this.#rows)
  }

  /** The fraction of the tiles that are stale. */
  get part() { return this.#count / this.#marks.length }

  mark(left: number, top: number, right: number, bottom: number) {
    const { columns, rows } = this.#within(left, top, right, bottom)
    for (let row = rows.first; row <= rows.last; row++) {
      for (let column = columns.first; column <= columns.last; column++) {
        const at = row * this.#columns + column
        if (this.#marks[at] === 0) this.#count += 1
        this.#marks[at] = 1
      }
    }
  }

  /** Whether all tiles that a box touches are stale. */
  covers(left: number, top: number, right: number, bottom: number) {
    const { columns, rows } = this.#within(left, top, right, bottom)
    for (let row = rows.first; row <= rows.last; row++) {
      for (let column = columns.first; column <= columns.last; column++) {
        if (this.#marks[row * this.#columns + column] === 0) return false
      }
    }
    return true
  }

  #within(left: number, top: number, right: number, bottom: number) {
    return {
      columns: { first: Math.max(0, Math.floor(left / side)), last: Math.min(this.#columns - 1, Math.floor(right / side)) },
      rows: { first: Math.max(0, Math.floor(top / side)), last: Math.min(this.#rows - 1, Math.floor(bottom / side)) },
    }
  }

  /** The stale tiles, joined into rectangles. The number of rectangles is small, but not always minimal. */
  areas(): Area[] {
    type Run = { first: number, last: number, firstRow: number, lastRow: number }
    const areas: Run[] = []
    let open: Run[] = []
    for (let row = 0; row < this.#rows; row++) {
      const next: Run[] = []
      for (let column = 0; column < this.#columns; column++) {
        if (this.#marks[row * this.#columns + column] === 0) continue
        const first = column
        while (column + 1 < this.#columns && this.#marks[row * this.#columns + column + 1] === 1) column += 1
        // A run of tiles extends the rectangle above it, if both span the same columns.
        const above = open.find((run) => run.first === first && run.last === column)
        if (above) above.lastRow = row
        const run = above ?? { first, last: column, firstRow: row, lastRow: row }
        if (!above) areas.push(run)
        next.push(run)
      }
      open = next
    }
    return areas.map(({ first, last, firstRow, lastRow }) => ({
      left: first * side,
      top: firstRow * side,
      right: Math.min((last + 1) * side, this.width),
      bottom: Math.min((lastRow + 1) * side, this.height),
    }))
  }
}
