import { Source } from '../basics/source.js'
import type { Connection } from '../network/connection.js'
import type { Shown } from '../state/shown.js'

export type Pair = [number, number]

/** At most this many pairs wait, because `Overlaps` may never be loaded. The newest are kept. */
const pairsMax = 20_000

/**
 * Gathers the overlaps that have begun since the page entered the room, until `Overlaps`, which is loaded later, tells
 * the person about them. `begun`: there are some.
 */
export class FreshOverlaps extends Source<{ begun: null }> {
  #pairs: Pair[] = []
  #isLive = false
  #isSettled = false

  constructor({ connection, shown }: { connection: Connection, shown: Shown }) {
    super()
    connection.on('effect', (effect) => {
      if (effect.type !== 'state') return
      this.#isLive = effect.state === 'live'
      // Overlaps that existed before the page entered the room are not reported.
      if (!this.#isLive) this.#isSettled = false
    })
    shown.on('changes', ({ reset, pairs }) => {
      const before = this.#pairs.length
      if (this.#isSettled && !reset) {
        for (const { first, second, overlaps } of pairs) if (overlaps) this.#pairs.push([first, second])
      }
      this.#isSettled = this.#isLive && !shown.isPast
      if (this.#pairs.length === before) return
      this.#pairs.splice(0, this.#pairs.length - pairsMax)
      this.tell('begun', null)
    })
  }

  take(): Pair[] { return this.#pairs.splice(0) }
}
