import { properties } from '../core/table.js'
import { identifierText } from '../core/values.js'
import { within } from '../basics/words.js'

/** @typedef {import('../core/replica.js').Replica} Replica */
/** @typedef {{actor: number, milliseconds: number}} Written who wrote something, and when */

/** The names of everybody who has been in the room since the page was opened. */
export class Names {
  #shown
  /** @type {Map<number, string>} */
  #known = new Map()

  /** @param {import('../state/shown.js').Shown} shown @param {import('../state/presence.js').Presence} presence */
  constructor(shown, presence) {
    this.#shown = shown
    const learn = () => {
      for (const { actor, name } of presence.people()) this.#known.set(actor, within(name))
    }
    presence.on('people', learn)
    learn()
  }

  /**
   * A person's name, to begin a sentence with.
   *
   * @param {number} actor
   */
  of(actor) {
    if (actor === this.#shown.live.actor) return 'You'
    return this.#known.get(actor) ?? `Someone (${identifierText(actor).slice(-3)})`
  }
}

const place = properties.filter(({ decidesOutline }) => decidesOutline).map(({ name }) => name)

/**
 * When a shape was last moved, resized or turned, and by whom.
 *
 * @param {Replica} replica @param {number} id @returns {Written | null}
 */
function lastMoved(replica, id) {
  /** @type {Written | null} */
  let last = null
  for (const property of place) {
    const written = replica.written(id, property)
    if (written && (!last || written.milliseconds > last.milliseconds)) last = written
  }
  return last
}

/**
 * Returns a function that says who last moved one of two shapes, which is when the two began to overlap. Each shape is
 * read once, however many others it overlaps.
 *
 * @param {Replica} replica @returns {(first: number, second: number) => Written | null}
 */
export function lastMovers(replica) {
  /** @type {Map<number, Written | null>} */
  const known = new Map()
  /** @param {number} id */
  const moved = (id) => {
    const found = known.get(id) ?? lastMoved(replica, id)
    known.set(id, found)
    return found
  }
  return (first, second) => {
    const one = moved(first)
    const other = moved(second)
    if (!one || !other) return one ?? other
    return one.milliseconds > other.milliseconds ? one : other
  }
}

/**
 * How long ago a moment was, in words: `just now`, `3 min ago`.
 *
 * @param {number} milliseconds @param {number} now
 */
export function ago(milliseconds, now) {
  const seconds = Math.max(0, (now - milliseconds) / 1000)
  if (seconds < 45) return 'just now'
  if (seconds < 3570) return `${Math.max(1, Math.round(seconds / 60))} min ago`
  if (seconds < 84600) return `${Math.round(seconds / 3600)} h ago`
  if (seconds < 86400 * 7) return `${Math.round(seconds / 86400)} d ago`
  return `on ${new Date(milliseconds).toLocaleDateString()}`
}
