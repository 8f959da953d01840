import { Source } from '../basics/source.js'
import type { Connection } from './connection.js'

/**
 * The upper bound on the number of bytes that were sent and not acknowledged. At 64 kbit/s they take a third of a
 * second. On a fast connection the acknowledgement comes before the bound is reached.
 */
const unansweredBytesMax = 2500
/** After this number of bytes, the page sends a ping, whose answer acknowledges them. */
const askBytes = 800
/** The shortest time between two pings. */
const askMilliseconds = 100

/**
 * Backpressure for messages that must not be late, such as cursors. Browsers buffer megabytes for a slow connection,
 * and a buffered message can't be replaced by a newer one. So the page pings the server now and then, and holds these
 * messages back while too many bytes are unacknowledged. `free`: messages can be sent again.
 */
export class Pacing extends Source<{ free: null }> {
  #connection
  /** The messages that might still be in transit, from the oldest to the newest. */
  #sent: { at: number, bytes: number }[] = []
  #unanswered = 0
  #unasked = 0
  #isAsking = false
  #askedAt = -Infinity
  #timer = 0
  /** When a message that must not be late was last sent. Null if that message is known to have arrived. */
  #usedAt: number | null = null

  constructor(connection: Connection) {
    super()
    this.#connection = connection
    connection.on('sent', (bytes) => this.#note(bytes))
    connection.on('effect', (effect) => {
      // The ping's answer shows that everything before the ping has arrived. A millisecond is added, because the
      // round-trip time is rounded to milliseconds.
      if (effect.type === 'pong') this.#answered(performance.now() - effect.roundTripMilliseconds + 1)
      // A new connection begins with nothing unacknowledged.
      else if (effect.type === 'state') this.#answered(Infinity)
    })
  }

  get isFree() { return this.#usedAt === null || this.#unanswered <= unansweredBytesMax }

  /**
   * To be called when a message that must not be late is sent. While many edits keep the connection busy, such messages
   * alternate with the edits.
   */
  use() { this.#usedAt = performance.now() }

  #note(bytes: number) {
    this.#sent.push({ at: performance.now(), bytes })
    this.#unanswered += bytes
    this.#unasked += bytes
    if (this.#unasked >= askBytes && !this.#isAsking) this.#askSoon()
  }

  #askSoon() {
    this.#isAsking = true
    const pause = this.#askedAt + askMilliseconds - performance.now()
    if (pause <= 0) this.#ask()
    else this.#timer = setTimeout(() => this.#ask(), pause)
  }

  #ask() {
    this.#askedAt = performance.now()
    this.#unasked = 0
    this.#connection.perform(this.#connection.replica.ping())
  }

  /** @param asked when the answered ping was sent; all messages sent before it have arrived */
  #answered(asked: number) {
    const wasFree = this.isFree
    const first = this.#sent.findIndex(({ at }) => at > asked)
    for (const { bytes } of this.#sent.splice(0, first < 0 ? this.#sent.length : first)) this.#unanswered -= bytes
    if (this.#usedAt !== null && asked >= this.#usedAt) this.#usedAt = null
    if (asked >= this.#askedAt) {
      clearTimeout(this.#timer)
      this.#isAsking = false
      if (this.#unasked >= askBytes && asked < Infinity) this.#askSoon()
    }
    if (asked === Infinity) this.#unasked = 0
    if (!wasFree && this.isFree) this.tell('free', null)
  }
}
