import { loosened } from './ties.js'

/**
 * Whether a shape that a gesture is changing has been deleted by somebody.
 *
 * @param {Pick<import('./reach.js').Reach, 'shown'>} reach @param {import('../core/types.js').Changes} changes
 * @param {number | null} id
 */
export function isGone({ shown }, { reset, shapes }, id) {
  return id !== null && (reset ? !shown.replica.shape(id) : shapes.some((change) => change.id === id && !change.shape))
}

/**
 * The shapes that a gesture holds, and how they were when it began. A shape that somebody else deletes meanwhile is
 * dropped, so that nothing is written to a deleted shape.
 */
export class Held {
  #shown
  #editing
  #start
  /** Whether the held lines have been untied from shapes that stay. */
  #isLoose = false

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
    if (places.length === 0) return
    this.#loosen()
    this.#editing.edit((replica) => replica.place(places))
  }

  /** Unties lines that are moved without the shapes that they are tied to. */
  #loosen() {
    if (this.#isLoose) return
    this.#isLoose = true
    const edits = loosened(this.#start)
    if (edits.length > 0) this.#editing.edit((replica) => replica.edit(edits))
  }
}
