import { Source } from '../basics/source.js'
import type { Replica } from '../core/replica.js'
import type { Effect } from '../core/types.js'
import type { Connection } from './connection.js'

/** How often the core looks at the connection. */
const lookMilliseconds = 250

/**
 * Lets the core look whether the connection is alive. Browsers don't report a connection that breaks without closing,
 * for example in a tunnel or during sleep.
 *
 * A hidden page doesn't look, to save the battery. `slow`: the connection has become slow. It is sent once in each slow
 * period.
 */
export class Pulse extends Source<{ change: null, slow: null }> {
  #connection
  #timer = 0
  #isSlow = false

  constructor(connection: Connection) {
    super()
    this.#connection = connection
    connection.replica.watchLine()
    connection.on('effect', ({ type }) => { if (type === 'pong') this.#measured() })
    document.addEventListener('visibilitychange', () => this.#watch())
    addEventListener('online', () => this.#wake())
    this.#watch()
  }

  /** The latest round-trip time in milliseconds; null if none was measured yet. */
  get roundTrip() { return this.#connection.replica.roundTrip || null }

  get isSlow() { return this.#isSlow }

  #watch() {
    clearInterval(this.#timer)
    if (document.visibilityState !== 'visible') return
    // The person has come back to this tab. Browsers freeze hidden pages to save power, and pages that somebody has left.
    if (this.#connection.isElsewhere) this.#connection.start()
    this.#wake()
    this.#timer = setInterval(() => this.#perform((replica) => replica.lookAtLine()), lookMilliseconds)
  }

  /** Called after a time without network or without the page running. The connection is most likely broken. */
  #wake() { this.#perform((replica) => replica.wakeLine()) }

  #perform(look: (replica: Replica) => Effect[]) {
    if (this.#connection.isEnded) return
    const effects = look(this.#connection.replica)
    // Otherwise each look would make the page draw a frame.
    if (effects.length > 0) this.#connection.perform(effects)
  }

  #measured() {
    const wasSlow = this.#isSlow
    this.#isSlow = this.#connection.replica.isLineSlow
    this.tell('change', null)
    if (this.#isSlow && !wasSlow) this.tell('slow', null)
  }
}
