import { shapesOf } from './grasp.js'

/**
 * The shapes that a gesture has hold of, as they were when it began. What someone else deletes meanwhile is let go, so
 * that nothing is written to what is gone.
 */
export class Held {
  #app
  #start

  /** @param {import('../state/app.js').App} app @param {Iterable<number>} ids */
  constructor(app, ids) {
    this.#app = app
    this.#start = shapesOf(app.session, ids)
  }

  get isEmpty() { return this.#start.length === 0 }
  /** As they were. @returns {import('../core/types.js').Shape[]} */
  get start() { return this.#start }
  /** @returns {number[]} */
  get ids() { return this.#start.map(({ id }) => id) }
  /** As they are. */
  get now() { return shapesOf(this.#app.session, this.ids) }

  /** @param {import('../core/types.js').Changes} changes */
  follow(changes) {
    if (changes.reset) {
      this.#start = this.#start.filter(({ id }) => this.#app.session.shape(id))
    } else if (changes.shapes.some(({ shape }) => !shape)) {
      const gone = new Set(changes.shapes.filter(({ shape }) => !shape).map(({ id }) => id))
      this.#start = this.#start.filter(({ id }) => !gone.has(id))
    }
  }

  /** @param {import('./transform.js').Place[]} places */
  place(places) {
    if (places.length > 0) this.#app.edit((session) => session.place(places))
  }

  /** All as they were. */
  putBack() {
    this.place(this.#start.map(({ id, x, y, width, height, rotation }) => ({ id, x, y, width, height, rotation })))
  }
}
