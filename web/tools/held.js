/**
 * The shapes that a gesture has hold of, as they were when it began. A shape that someone else deletes meanwhile is let go,
 * so that nothing is written to a deleted shape.
 */
export class Held {
  #shown
  #editing
  #start

  /** @param {Pick<import('./reach.js').Reach, 'shown' | 'editing'>} reach @param {Iterable<number>} ids */
  constructor({ shown, editing }, ids) {
    this.#shown = shown
    this.#editing = editing
    this.#start = shown.replica.shapesOf(ids)
  }

  get isEmpty() { return this.#start.length === 0 }
  /**
   * The shapes as they were when the gesture began.
   *
   * @returns {import('../core/types.js').Shape[]}
   */
  get start() { return this.#start }
  /** @returns {number[]} */
  get ids() { return this.#start.map(({ id }) => id) }
  /** The shapes as they are now. */
  get now() { return this.#shown.replica.shapesOf(this.ids) }

  /** @param {import('../core/types.js').Changes} changes */
  follow(changes) {
    if (changes.reset) {
      this.#start = this.#start.filter(({ id }) => this.#shown.replica.shape(id))
    } else if (changes.shapes.some(({ shape }) => !shape)) {
      const gone = new Set(changes.shapes.filter(({ shape }) => !shape).map(({ id }) => id))
      this.#start = this.#start.filter(({ id }) => !gone.has(id))
    }
  }

  /** @param {import('../core/types.js').Place[]} places */
  place(places) {
    if (places.length > 0) this.#editing.edit((replica) => replica.place(places))
  }

  /** Puts all shapes back where they were. */
  putBack() {
    this.place(this.#start.map(({ id, x, y, width, height, rotation }) => ({ id, x, y, width, height, rotation })))
  }
}
