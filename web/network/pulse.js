import { Source } from '../basics/source.js'

/** After so long without a message, the server is asked for one. */
const quietMilliseconds = 2000
/** How long it may then take to answer. Together that is how soon a line that died without a word is noticed. */
const answerMilliseconds = 2500
/** The same after the page comes back from sleep, when the line has most likely died. */
const wakingMilliseconds = 700
/** A line that only looked dead may be a slow one with something long on it. The patience grows, so that it isn't cut off for ever. */
const patienceMax = 16
/** How often it is looked at. */
const lookMilliseconds = 250
/** A way there and back that takes so long is felt. */
const slowMilliseconds = 800

/**
 * Whether the line is alive, and how long a message takes there and back.
 *
 * Browsers don't tell when a line dies without closing, as behind a tunnel or after sleep: the socket stays open for
 * minutes, and what is drawn goes nowhere. So the server is asked for a sign of life where nothing has come for a while,
 * and a connection that stays silent is made anew. While nobody looks at the page nothing is asked, for the battery's sake.
 *
 * `slow` tells, once for each slow time, that the line has become slow.
 *
 * @extends {Source<{change: null, slow: null}>}
 */
export class Pulse extends Source {
  #connection
  #timer = 0
  /**
   * When the server was asked; null if it need not answer.
   *
   * @type {number | null}
   */
  #askedAt = null
  #patience = answerMilliseconds
  #factor = 1
  /**
   * The newest ways there and back, in milliseconds.
   *
   * @type {number[]}
   */
  #roundTrips = []
  #isSlow = false

  /** @param {import('./connection.js').Connection} connection */
  constructor(connection) {
    super()
    this.#connection = connection
    connection.on('effect', (effect) => {
      if (effect.type === 'pong') this.#answered(effect.roundTripMilliseconds)
    })
    document.addEventListener('visibilitychange', () => this.#watch())
    addEventListener('online', () => this.#ask(wakingMilliseconds))
    // Windows that are seen all the time are frozen too, when the machine sleeps.
    addEventListener('pageshow', () => this.#ask(wakingMilliseconds))
    this.#watch()
  }

  /** The newest way there and back, in milliseconds; null if it isn't known. */
  get roundTrip() { return this.#roundTrips.at(-1) ?? null }

  get isSlow() { return this.#isSlow }

  get #isLive() { return this.#connection.replica.status().state === 'live' }

  #watch() {
    clearInterval(this.#timer)
    if (document.visibilityState !== 'visible') return
    this.#askedAt = null
    this.#ask(wakingMilliseconds)
    let lookedAt = performance.now()
    this.#timer = setInterval(() => {
      const now = performance.now()
      // Nothing ran for so long: the machine slept.
      if (now - lookedAt > quietMilliseconds) this.#ask(wakingMilliseconds)
      lookedAt = now
      this.#look(now)
    }, lookMilliseconds)
  }

  /** @param {number} now */
  #look(now) {
    if (!this.#isLive) {
      this.#askedAt = null
      return
    }
    const heardAt = this.#connection.heardAt
    if (this.#askedAt !== null && heardAt > this.#askedAt) this.#askedAt = null
    if (this.#askedAt === null) {
      if (now - heardAt >= quietMilliseconds) this.#ask(answerMilliseconds)
    } else if (now - this.#askedAt >= this.#patience * this.#factor) {
      this.#askedAt = null
      this.#factor = Math.min(patienceMax, this.#factor * 2)
      this.#connection.renew()
    }
  }

  /** @param {number} patience */
  #ask(patience) {
    if (!this.#isLive) return
    this.#patience = patience
    this.#askedAt = performance.now()
    this.#connection.perform(this.#connection.replica.ping())
  }

  /** @param {number} milliseconds */
  #answered(milliseconds) {
    this.#factor = 1
    this.#roundTrips = [...this.#roundTrips.slice(-2), milliseconds]
    const wasSlow = this.#isSlow
    // One late answer is no slow line, and one quick answer no fast one.
    if (this.#roundTrips.length === 3) {
      if (this.#roundTrips.every((one) => one >= slowMilliseconds)) this.#isSlow = true
      if (this.#roundTrips.every((one) => one < slowMilliseconds / 2)) this.#isSlow = false
    }
    this.tell('change', null)
    if (this.#isSlow && !wasSlow) this.tell('slow', null)
  }
}
