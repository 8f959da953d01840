import { Held } from './held.js'
import { moved } from './transform.js'

/** In milliseconds: presses of the arrow keys that follow each other within this time are one step of undo. */
const pauseMax = 600

/** Moves shapes by the arrow keys. */
export class Nudging {
  #reach
  #timer = 0
  /** @type {import('../state/editing.js').Step | null} */
  #step = null

  /** @param {Pick<import('./reach.js').Reach, 'shown' | 'editing'>} reach */
  constructor(reach) { this.#reach = reach }

  /** @param {number[]} ids @param {number} dx @param {number} dy */
  by(ids, dx, dy) {
    const held = new Held(this.#reach, ids)
    if (held.isEmpty) return
    this.#step ??= this.#reach.editing.openStep()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.end(), pauseMax)
    held.place(moved(held.start, dx, dy))
  }

  end() {
    clearTimeout(this.#timer)
    this.#step?.end()
    this.#step = null
  }
}
