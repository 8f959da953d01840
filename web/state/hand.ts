import type { Shown } from './shown.js'

/** For how many of the held shapes the name is looked up. No notice names more shapes than that. */
const namedMax = 3

/** The shapes that a gesture holds, with the names that they had when the gesture began. */
export class Hand {
  #shown
  #held = new Set<number>()
  #tied = new Set<number>()
  #names = new Map<number, string>()

  constructor(shown: Shown) { this.#shown = shown }

  /** @param ids the shapes that the gesture changes, and those that it ties a line to */
  hold({ held, tied }: { held: number[], tied: number[] }) {
    const before = this.#names
    this.#held = new Set(held)
    this.#tied = new Set(tied)
    this.#names = new Map([...tied, ...held.slice(0, namedMax)].map((id) => [id, before.get(id) ?? this.#shown.replica.shownName(id)]))
  }

  letGo() { this.hold({ held: [], tied: [] }) }

  /** What the hand is doing to a shape, as in "while you held it"; null if it isn't doing anything. */
  deedTo(id: number) {
    if (this.#held.has(id)) return 'held'
    return this.#tied.has(id) ? 'tied a line to' : null
  }

  /** @returns empty if it isn't known */
  nameOf(id: number): string { return this.#names.get(id) ?? '' }
}
