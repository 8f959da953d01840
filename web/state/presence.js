import { identifierNumber, identifierText } from '../core/values.js'

/** More than anyone follows with the eye, and few enough for what a room takes as presence. */
const shapesToldMax = 150

/**
 * What others see of one, and what one sees of them. Dispatches `people` when someone came, went or is called otherwise,
 * and `change` whenever anything of anyone changed.
 *
 * What peers say of themselves is any JSON whatever; only what has the expected form leaves this class.
 */
export class Presence extends EventTarget {
  #app
  #own = {}
  #people = new Map()

  /** @param {import('./app.js').App} app */
  constructor(app) {
    super()
    this.#app = app
  }

  /**
   * Who else is here.
   * @returns {{actor: number, name: string, color: string, cursor: {x: number, y: number} | null, selection: number[],
   *   lifted: number[], view: {x: number, y: number, width: number, height: number} | null}[]}
   */
  people() { return [...this.#people.values()] }

  /** @param {number} actor */
  person(actor) { return this.#people.get(actor) ?? null }

  /** A point of the canvas, or null where the pointer has left it. @param {{x: number, y: number} | null} point */
  setCursor(point) { this.#tell({ cursor: point ? [round(point.x), round(point.y)] : undefined }) }
  /** @param {number[]} ids */
  setSelection(ids) { this.#tell({ selection: ids.length ? ids.slice(0, shapesToldMax).map(identifierText) : undefined }) }
  /** @param {number[]} ids */
  setLifted(ids) { this.#tell({ lifted: ids.length ? ids.slice(0, shapesToldMax).map(identifierText) : undefined }) }
  /** @param {{x: number, y: number, width: number, height: number}} box */
  setView({ x, y, width, height }) { this.#tell({ view: [x, y, width, height].map(round) }) }

  /** @param {import('../core/types.js').Effect} effect */
  take(effect) {
    switch (effect.type) {
      case 'peers':
        this.#people = new Map(effect.peers.map((peer) => [peer.actor, person(peer)]))
        return this.#changed(true)
      case 'joined':
        this.#people.set(effect.peer.actor, person(effect.peer))
        return this.#changed(true)
      case 'presence':
        this.#people.set(effect.peer.actor, person(effect.peer))
        return this.#changed(false)
      case 'left':
        this.#people.delete(effect.actor)
        return this.#changed(true)
    }
  }

  #tell(part) {
    const next = { ...this.#own, ...part }
    if (JSON.stringify(next) === JSON.stringify(this.#own)) return
    this.#own = next
    this.#app.perform(this.#app.live.setPresence(next))
  }

  #changed(people) {
    this.dispatchEvent(new Event('change'))
    if (people) this.dispatchEvent(new Event('people'))
  }
}

const round = (number) => Math.round(number * 10) / 10

/** Beyond this there is no canvas, only arithmetic that goes wrong. */
const farthest = 1e8
const smallest = 1e-2

const numbers = (value, count) =>
  Array.isArray(value) && value.length === count
  && value.every((number) => Number.isFinite(number) && Math.abs(number) <= farthest) ? value : null

const identifiers = (value) =>
  Array.isArray(value)
    ? value.slice(0, shapesToldMax).map((text) => identifierNumber(String(text))).filter(Number.isFinite) : []

function person({ actor, name, color, state }) {
  const cursor = numbers(state?.cursor, 2)
  const view = numbers(state?.view, 4)
  return {
    actor,
    name: name || 'Someone',
    color: /^#[0-9A-Fa-f]{6}$/.test(color) ? color : '#6B6A66',
    cursor: cursor && { x: cursor[0], y: cursor[1] },
    selection: identifiers(state?.selection),
    lifted: identifiers(state?.lifted),
    view: view && view[2] >= smallest && view[3] >= smallest ? { x: view[0], y: view[1], width: view[2], height: view[3] } : null,
  }
}
