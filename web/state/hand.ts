import { mentionOf } from './labels.js'
import type { Shown } from './shown.js'

/** The names of at most this many held shapes are looked up, because no notice lists more. */
const namedMax = 3

/** The shapes that a gesture holds, with the names that they had at the gesture's beginning. */
export class Hand {
  #shown
  #held = new Set<number>()
  #tied = new Set<number>()
  #names = new Map<number, string>()

  constructor(shown: Shown) { this.#shown = shown }

  /** @param ids `held`: the shapes that the gesture changes; `tied`: the shapes to which it ties a line */
  hold({ held, tied }: { held: number[], tied: number[] }) {
    const before = this.#names
    this.#held = new Set(held)
    this.#tied = new Set(tied)
    this.#names = new Map([...tied, ...held.slice(0, namedMax)].map((id) => [id, before.get(id) ?? mentionOf(this.#shown.replica, id)]))
  }

  letGo() { this.hold({ held: [], tied: [] }) }

  /**
   * The words for what the gesture does to a shape, for example “held” in “while you held it”. Null if the gesture does
   * nothing to the shape.
   */
  deedTo(id: number) {
    if (this.#held.has(id)) return 'held'
    return this.#tied.has(id) ? 'tied a line to' : null
  }

  /** @returns empty if the name is unknown */
  nameOf(id: number): string { return this.#names.get(id) ?? '' }
}
