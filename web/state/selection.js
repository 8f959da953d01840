import { Source } from '../basics/source.js'

/**
 * Which shapes are selected. `change`: the selection has changed. A deleted shape leaves the selection by itself.
 *
 * @extends {Source<{change: number[]}>}
 */
export class Selection extends Source {
  #ids = new Set(/** @type {number[]} */ ([]))
  #shown

  /** @param {import('./shown.js').Shown} shown */
  constructor(shown) {
    super()
    this.#shown = shown
    shown.on('changes', (changes) => this.#follow(changes))
  }

  get size() { return this.#ids.size }
  /** @returns {number[]} */
  ids() { return [...this.#ids] }
  /** @param {number} id */
  has(id) { return this.#ids.has(id) }

  /** @param {Iterable<number>} ids */
  set(ids) {
    const next = new Set(ids)
    if (next.size === this.#ids.size && [...next].every((id) => this.#ids.has(id))) return
    this.#ids = next
    this.tell('change', this.ids())
  }

  /** @param {...number} ids */
  add(...ids) { this.set([...this.#ids, ...ids]) }
  /** @param {...number} ids */
  remove(...ids) {
    const gone = new Set(ids)
    this.set(this.ids().filter((id) => !gone.has(id)))
  }
  /** @param {...number} ids of which all are removed, if all are selected */
  toggle(...ids) { ids.every((id) => this.has(id)) ? this.remove(...ids) : this.add(...ids) }
  clear() { this.set([]) }

  /** @param {import('../core/types.js').Changes} changes */
  #follow(changes) {
    if (this.#ids.size === 0) return
    if (changes.reset) this.set(this.ids().filter((id) => this.#shown.replica.shape(id) !== null))
    else if (changes.shapes.some(({ id, shape }) => !shape && this.#ids.has(id))) {
      this.remove(...changes.shapes.filter(({ shape }) => !shape).map(({ id }) => id))
    }
  }
}
