/** In device pixels: the side of a tile. It is so small that a dragged shape makes little stale beside itself. */
const side = 64

/** Device pixels, whole numbers. */
export type Area = { left: number, top: number, right: number, bottom: number }

/** The stale tiles of a picture: those in which anything has changed. */
export class Tiles {
  #columns
  #rows
  #marks
  #count = 0
  readonly width
  readonly height

  /** @param height device pixels */
  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#columns = Math.ceil(width / side)
    this.#rows = Math.ceil(height / side)
    this.#marks = new Uint8Array(this.#columns * this.#rows)
  }

  /** The fraction of the picture that is marked as stale. */
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

  /** Whether every tile that a box touches in the picture is marked. */
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

  /** The marked tiles, joined into few upright areas, though not always into the fewest possible. */
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
        // A run of tiles below an area of the same width extends that area.
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
