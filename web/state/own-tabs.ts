import { Source } from '../basics/source.js'
import type { Connection } from '../network/connection.js'

/**
 * Knows which actors in the room are other tabs of this browser, and so belong to the same person. `change`: these tabs
 * have changed.
 */
export class OwnTabs extends Source<{ change: null }> {
  #actors = new Set<number>()

  constructor(room: string, connection: Connection) {
    super()
    if (!('BroadcastChannel' in globalThis)) return
    const channel = new BroadcastChannel(`canvas actors ${room}`)
    /** @param asks whether the other tabs should answer with their actors */
    const introduce = (asks: boolean) => channel.postMessage({ actor: connection.replica.actor, asks })
    channel.addEventListener('message', ({ data: { actor, asks } }) => {
      if (asks) introduce(false)
      if (this.#actors.has(actor)) return
      this.#actors.add(actor)
      this.tell('change', null)
    })
    // The server may give this tab another actor each time that the tab enters the room.
    connection.on('effect', (effect) => { if (effect.type === 'state' && effect.state === 'live') introduce(true) })
  }

  has(actor: number) { return this.#actors.has(actor) }
}
