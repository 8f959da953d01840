import { Source } from '../basics/source.js'
import type { Connection } from './connection.js'

/**
 * The upper bound on bytes that are on their way without an answer. A line of 64 kbit/s takes a third of a second to
 * send them. On a quick line the answer comes before the bound is reached.
 */
const unansweredBytesMax = 2500
/** The number of bytes after which the page asks the server for an answer. */
const askBytes = 800
/** The shortest time between two requests for an answer. */
const askMilliseconds = 100

/**
 * Backpressure for messages that are only useful while they are new, such as cursors. A message that was handed to the
 * browser can't be replaced by a newer one any more, and browsers let megabytes wait for a slow line. So the page asks
 * the server for an answer now and then, and while too many bytes are unanswered, the line counts as full. `free`: the
 * line is no longer full.
 */
export class Pacing extends Source<{ free: null }> {
  #connection
  /** The sent bytes that may not have arrived yet, the oldest first. */
  #sent: { at: number, bytes: number }[] = []
  #unanswered = 0
  #unasked = 0
  #isAsking = false
  #askedAt = -Infinity
  #timer = 0
  /** When the line was last used for such a message, if it is not known yet that the message has arrived. */
  #usedAt: number | null = null

  constructor(connection: Connection) {
    super()
    this.#connection = connection
    connection.on('sent', (bytes) => this.#note(bytes))
    connection.on('effect', (effect) => {
      // Everything that was sent before the request has arrived. A millisecond is added, because the round-trip time is
      // in whole milliseconds.
      if (effect.type === 'pong') this.#answered(performance.now() - effect.roundTripMilliseconds + 1)
      // A new connection begins with an empty line.
      else if (effect.type === 'state') this.#answered(Infinity)
    })
  }

  get isFree() { return this.#usedAt === null || this.#unanswered <= unansweredBytesMax }

  /**
   * Notes that such a message is sent because the line is free. If edits alone fill the line, such messages alternate
   * with the edits.
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

  /** @param asked everything sent until then has arrived */
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
