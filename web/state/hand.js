/** How many of the held shapes have their names looked up: more are never told by name. */
const namedMax = 3

/** What the hand holds while a gesture changes shapes, by the names that the shapes had when it took hold of them. */
export class Hand {
  #shown
  #ids = new Set(/** @type {number[]} */ ([]))
  /** @type {Map<number, string>} */
  #names = new Map()

  /** @param {import('./shown.js').Shown} shown */
  constructor(shown) { this.#shown = shown }

  /** @param {number[]} ids none when the hand lets go */
  hold(ids) {
    this.#ids = new Set(ids)
    this.#names = new Map(ids.slice(0, namedMax).map((id) => [id, this.#shown.replica.shownName(id)]))
  }

  /** @param {number} id */
  holds(id) { return this.#ids.has(id) }

  /** @param {number} id @returns {string} empty where it isn't known */
  nameOf(id) { return this.#names.get(id) ?? '' }
}
