import { Source } from '../basics/source.js'

/**
 * Knows which of the others in the room are this browser's other tabs: the same person, as another actor. `change`:
 * these tabs have changed.
 *
 * @extends {Source<{change: null}>}
 */
export class OwnTabs extends Source {
  #actors = new Set(/** @type {number[]} */ ([]))

  /** @param {string} room @param {import('../network/connection.js').Connection} connection */
  constructor(room, connection) {
    super()
    if (!('BroadcastChannel' in globalThis)) return
    const channel = new BroadcastChannel(`canvas actors ${room}`)
    /** @param {boolean} asks whether the others are to answer */
    const introduce = (asks) => channel.postMessage({ actor: connection.replica.actor, asks })
    channel.addEventListener('message', ({ data: { actor, asks } }) => {
      if (asks) introduce(false)
      if (this.#actors.has(actor)) return
      this.#actors.add(actor)
      this.tell('change', null)
    })
    // The server may give this tab another actor each time that it enters the room.
    connection.on('effect', (effect) => { if (effect.type === 'state' && effect.state === 'live') introduce(true) })
  }

  /** @param {number} actor */
  has(actor) { return this.#actors.has(actor) }
}
