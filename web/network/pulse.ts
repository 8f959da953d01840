import { Source } from '../basics/source.js'
import type { Connection } from './connection.js'

/** After this long without a message, the page pings the server. */
const quietMilliseconds = 2000
/** The same time while edits wait for their answer, because then a silence more likely means a broken connection. */
const unansweredMilliseconds = 700
/** How long the answer to that ping may take. A broken connection is noticed within the sum of both times. */
const answerMilliseconds = 2500
/** The same time after the page comes back from sleep, when the connection is most likely broken. */
const wakingMilliseconds = 500
/**
 * How long a connection may take to open. If packets are lost, the system repeats the first packet after ever longer
 * pauses, so a new attempt is quicker once the network is back.
 */
const openingMilliseconds = 5000
const openingMillisecondsMax = 10_000
/**
 * How long the welcome may take, and then each part of the drawing. Other messages that arrive meanwhile don't extend
 * this time. It allows for slow lines, where a part takes seconds.
 */
const greetingMilliseconds = 5000
const loadingMilliseconds = 10_000
/**
 * The upper bound on the factor by which the page's patience grows. A connection that seems broken may just be slow,
 * with a long message on it. Without more patience, the page would give up every new connection too.
 */
const patienceMax = 16
/** How often the line is checked. */
const lookMilliseconds = 250
/** How often the round-trip time is measured, even while messages come all the time. */
const measureMilliseconds = 5000
/** A round-trip time of this length or more is noticeable. */
const slowMilliseconds = 800
/**
 * Measurements that are closer together than this count as one, so that a single bad moment doesn't make a slow line.
 */
const momentMilliseconds = 1000

/**
 * Checks whether the connection is alive, and measures its round-trip time.
 *
 * Browsers don't report it when a connection breaks without closing, for example in a tunnel or during sleep: the
 * socket stays open for minutes, and edits get lost in it. So the page pings the server if nothing has come for a
 * while, and replaces a connection that stays silent. While the page is hidden it sends no pings, to save the battery.
 * The terminal's `LinePulse.swift` has the same rules: change both together.
 *
 * `slow`: the line has become slow. It is sent once in each slow period.
 */
export class Pulse extends Source<{ change: null, slow: null }> {
  #connection
  #timer = 0
  #state = 'offline'
  /** Since when the connection has been in its present state. */
  #stateSince = 0
  /** When the last ping was sent; null if no answer is awaited. */
  #askedAt: number | null = null
  /** Whether only the answer itself is a sign of life, and not any other message. */
  #wantsAnswer = false
  #measuredAt = -Infinity
  #patience = answerMilliseconds
  #factor = 1
  #openingPatience = openingMilliseconds
  #roundTrip: number | null = null
  /** The newest round-trip times, in milliseconds. */
  #moments: number[] = []
  #momentAt = -Infinity
  #isSlow = false

  constructor(connection: Connection) {
    super()
    this.#connection = connection
    connection.on('effect', (effect) => {
      if (effect.type === 'pong') this.#answered(effect.roundTripMilliseconds)
      if (effect.type === 'state') this.#enter(effect.state)
    })
    document.addEventListener('visibilitychange', () => this.#watch())
    addEventListener('online', () => this.#wake())
    // Browsers freeze pages to save power. They also keep pages that a person has left, in case the person returns to
    // them.
    addEventListener('pageshow', ({ persisted }) => { if (persisted) this.#wake() })
    document.addEventListener('resume', () => this.#wake())
    this.#watch()
  }

  /** The newest round-trip time, in milliseconds; null if none was measured. */
  get roundTrip() { return this.#roundTrip }

  get isSlow() { return this.#isSlow }

  #watch() {
    clearInterval(this.#timer)
    this.#askedAt = null
    if (document.visibilityState !== 'visible') return
    this.#wake()
    // Shows whether the machine slept. Without this check, a window that is visible all the time would not notice a
    // sleep, because it gets no event. The clock of `performance` may stand still during sleep, so the wall clock is
    // used.
    let lookedAt = Date.now()
    this.#timer = setInterval(() => {
      const slept = Date.now() - lookedAt > quietMilliseconds
      lookedAt = Date.now()
      if (slept) this.#wake()
      this.#look()
    }, lookMilliseconds)
  }

  /**
   * Called when the page or the network was away for some time: whatever was in progress before has most likely failed.
   */
  #wake() {
    const milliseconds = Math.max(wakingMilliseconds, 2 * (this.#roundTrip ?? 0))
    if (this.#state === 'live') {
      this.#ask(milliseconds)
      // The first messages may have arrived before the sleep, so only an answer counts.
      this.#wantsAnswer = true
      setTimeout(() => this.#look(), milliseconds * this.#factor)
    } else if (this.#state === 'connecting' && performance.now() - this.#stateSince > milliseconds) {
      this.#connection.renew()
    } else this.#connection.hurry()
  }

  #enter(state: string) {
    this.#state = state
    this.#stateSince = performance.now()
    this.#askedAt = null
    if (state === 'live') this.#openingPatience = openingMilliseconds
  }

  #look() {
    if (document.visibilityState !== 'visible') return
    const now = performance.now()
    if (this.#state === 'connecting' && now - this.#stateSince >= this.#openingPatience) {
      this.#openingPatience = openingMillisecondsMax
      this.#connection.renew()
    }
    const { heardAt, replica } = this.#connection
    if (this.#state === 'greeting' && now - this.#stateSince >= greetingMilliseconds * this.#factor) this.#leave()
    if (this.#state === 'loading' && now - Math.max(heardAt, this.#stateSince) >= loadingMilliseconds * this.#factor) this.#leave()
    if (this.#state !== 'live') return
    if (this.#askedAt !== null && heardAt > this.#askedAt && !this.#wantsAnswer) this.#askedAt = null
    if (this.#askedAt === null) {
      const quiet = replica.unsentCount > 0 ? unansweredMilliseconds : quietMilliseconds
      if (now - heardAt >= quiet || now - this.#measuredAt >= measureMilliseconds) this.#ask(answerMilliseconds)
    } else if (now - this.#askedAt >= this.#patience * this.#factor) this.#leave()
  }

  /** Gives up the connection, because it is most likely broken. */
  #leave() {
    this.#factor = Math.min(patienceMax, this.#factor * 2)
    this.#connection.renew()
  }

  #ask(patience: number) {
    this.#patience = patience
    this.#wantsAnswer = false
    this.#askedAt = performance.now()
    this.#measuredAt = this.#askedAt
    this.#connection.perform(this.#connection.replica.ping())
  }

  #answered(milliseconds: number) {
    const now = performance.now()
    // A millisecond is added, because the round-trip time is in whole milliseconds.
    if (this.#askedAt !== null && now - milliseconds + 1 >= this.#askedAt) this.#askedAt = null
    this.#factor = 1
    this.#roundTrip = milliseconds
    this.#measuredAt = now
    const wasSlow = this.#isSlow
    if (now - this.#momentAt >= momentMilliseconds) {
      this.#momentAt = now
      this.#moments = [...this.#moments.slice(-2), milliseconds]
    }
    if (this.#moments.length === 3) {
      if (this.#moments.every((one) => one >= slowMilliseconds)) this.#isSlow = true
      if (this.#moments.every((one) => one < slowMilliseconds / 2)) this.#isSlow = false
    }
    this.tell('change', null)
    if (this.#isSlow && !wasSlow) this.tell('slow', null)
  }
}
