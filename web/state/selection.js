/** Which shapes are selected. Dispatches `change`. */
export class Selection extends EventTarget {
  #ids = new Set()

  get size() { return this.#ids.size }
  /** @returns {number[]} */
  ids() { return [...this.#ids] }
  has(id) { return this.#ids.has(id) }

  /** @param {Iterable<number>} ids */
  set(ids) {
    const next = new Set(ids)
    if (next.size === this.#ids.size && [...next].every((id) => this.#ids.has(id))) return
    this.#ids = next
    this.dispatchEvent(new Event('change'))
  }

  /** @param {...number} ids */
  add(...ids) { this.set([...this.#ids, ...ids.flat()]) }
  /** @param {...number} ids */
  remove(...ids) {
    const gone = new Set(ids.flat())
    this.set(this.ids().filter((id) => !gone.has(id)))
  }
  toggle(id) { this.has(id) ? this.remove(id) : this.add(id) }
  clear() { this.set([]) }

  /** Drops what is gone. @param {import('../core/types.js').Changes} changes @param {(id: number) => boolean} isLive */
  follow(changes, isLive) {
    if (this.#ids.size === 0) return
    if (changes.reset) this.set(this.ids().filter(isLive))
    else if (changes.shapes.some(({ id, shape }) => !shape && this.#ids.has(id))) {
      this.remove(changes.shapes.filter(({ shape }) => !shape).map(({ id }) => id))
    }
  }
}
