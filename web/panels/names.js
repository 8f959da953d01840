import { identifierText } from '../core/values.js'
import { within } from '../elements/element.js'

/** By which names one knows actors, also those who have left since. */
export class Names {
  #app
  #known = new Map()

  /** @param {import('../state/app.js').App} app */
  constructor(app) {
    this.#app = app
    const learn = () => {
      for (const { actor, name } of app.presence.people()) this.#known.set(actor, within(name))
    }
    app.addEventListener('people', learn)
    learn()
  }

  /** As a sentence begins with it. @param {number} actor */
  of(actor) {
    if (actor === this.#app.live.actor) return 'You'
    return this.#known.get(actor) ?? `Someone (${identifierText(actor).slice(-3)})`
  }
}

const place = ['position', 'size', 'rotation', 'kind', 'visible', 'cornerRadius', 'points', 'innerRatio']

/** Who last changed where a shape is. @returns {{actor: number, milliseconds: number} | null} */
export function lastMoved(session, id) {
  let last = null
  for (const property of place) {
    const written = session.written(id, property)
    if (written && (!last || written.milliseconds > last.milliseconds)) last = written
  }
  return last
}

/** Of two shapes, whoever moved one of them last: by then they have overlapped. */
export function lastMovedOf(session, first, second) {
  const one = lastMoved(session, first)
  const other = lastMoved(session, second)
  if (!one || !other) return one ?? other
  return one.milliseconds > other.milliseconds ? one : other
}

/** `just now`, `3 min ago` @param {number} milliseconds @param {number} now */
export function ago(milliseconds, now) {
  const seconds = Math.max(0, (now - milliseconds) / 1000)
  if (seconds < 45) return 'just now'
  if (seconds < 3570) return `${Math.max(1, Math.round(seconds / 60))} min ago`
  if (seconds < 84600) return `${Math.round(seconds / 3600)} h ago`
  if (seconds < 86400 * 7) return `${Math.round(seconds / 86400)} d ago`
  return `on ${new Date(milliseconds).toLocaleDateString()}`
}
