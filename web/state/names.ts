import { within } from '../basics/words.js'
import type { Replica } from '../core/replica.js'
import { properties } from '../core/table.js'
import { identifierText } from '../core/values.js'
import type { Presence } from './presence.js'
import type { Shown } from './shown.js'

/** The actor and the time of an edit. */
type Written = { actor: number, milliseconds: number }

/** The names of all people who were in the room since the page was opened. */
export class Names {
  #shown
  #known = new Map<number, string>()

  constructor(shown: Shown, presence: Presence) {
    this.#shown = shown
    const learn = () => {
      for (const { actor, name } of presence.people()) this.#known.set(actor, within(name))
    }
    presence.on('people', learn)
    learn()
  }

  /** A person's name, for the beginning of a sentence. */
  of(actor: number) {
    if (actor === this.#shown.live.actor) return 'You'
    return this.#known.get(actor) ?? `Someone (${identifierText(actor).slice(-3)})`
  }
}

const place = properties.filter(({ decidesOutline }) => decidesOutline).map(({ name }) => name)

/** Who last moved, resized or rotated a shape, and when. */
function lastMoved(replica: Replica, id: number): Written | null {
  let last: Written | null = null
  for (const property of place) {
    const written = replica.written(id, property)
    if (written && (!last || written.milliseconds > last.milliseconds)) last = written
  }
  return last
}

/**
 * Returns a function that finds the last move of one of two overlapping shapes, because that is when the overlap began.
 * Each shape is read only once.
 */
export function lastMovers(replica: Replica): (first: number, second: number) => Written | null {
  const known = new Map<number, Written | null>()
  const moved = (id: number) => {
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

/** How long ago something was: `just now`, `3 min ago`. */
export function ago(milliseconds: number, now: number) {
  const seconds = Math.max(0, (now - milliseconds) / 1000)
  if (seconds < 45) return 'just now'
  if (seconds < 3570) return `${Math.max(1, Math.round(seconds / 60))} min ago`
  if (seconds < 84600) return `${Math.round(seconds / 3600)} h ago`
  if (seconds < 86400 * 7) return `${Math.round(seconds / 86400)} d ago`
  return `on ${new Date(milliseconds).toLocaleDateString()}`
}
