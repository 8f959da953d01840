import { Source } from '../basics/source.js'
import type { Connection } from './connection.js'

/** After this long without a message, the page pings the server. */
const quietMilliseconds = 2000
/**
 * After this long without a message, the page pings the server if edits are unacknowledged. The time is shorter than
 * `quietMilliseconds`, because silence more likely means a broken connection when an acknowledgement is due.
 */
const unansweredMilliseconds = 700
/**
 * How long the answer to a ping may take. Together with the silence before the ping, this is the time in which a broken
 * connection is noticed.
 */
const answerMilliseconds = 2500
/**
 * How long the answer to a ping may take after the computer slept. This timeout is shorter than the usual one, because
 * after sleep the connection is most likely broken.
 */
const wakingMilliseconds = 500
/**
 * How long opening a connection may take. If packets are lost, the system retries after ever longer pauses, so a new
 * attempt can be faster.
 */
const openingMilliseconds = 5000
const openingMillisecondsMax = 10_000
/**
 * How long the welcome message may take, and then each part of the drawing. No other message extends this time. It is
 * long enough for slow connections, where a part takes seconds.
 */
const greetingMilliseconds = 5000
const loadingMilliseconds = 10_000
/**
 * The upper bound on the factor by which all timeouts of this file grow after a failure. Without that growth, the page
 * would give up every new connection over a slow network.
 */
const patienceMax = 16
/** How often the connection is checked. */
const lookMilliseconds = 250
/** How often the round-trip time is measured, even if messages keep arriving. */
const measureMilliseconds = 5000
/** A round-trip time of this length or more is noticeable. */
const slowMilliseconds = 800
/** Slow measurements within this time count as one, so that a single delay doesn't count as a slow connection. */
const momentMilliseconds = 1000

/**
 * Checks whether the connection is alive, and measures its round-trip time.
 *
 * Browsers don't report a connection that breaks without closing, for example in a tunnel or during sleep. The socket
 * stays open for minutes, and edits get lost in it. So the page pings the server if nothing has arrived for some time,
 * and replaces the connection if there is no answer. A hidden page sends no pings, to save the battery. The terminal's
 * `LinePulse.swift` has the same rules, so change both.
 *
 * `slow`: the connection has become slow. It is sent once in each slow period.
 */
export class Pulse extends Source<{ change: null, slow: null }> {
  #connection
  #timer = 0
  #state = 'offline'
  /** When the connection entered its present state. */
  #stateSince = 0
  /** When the last ping was sent; null if it was answered. */
  #askedAt: number | null = null
  /** Whether only the answer to the ping shows that the connection is alive, and no other message does. */
  #wantsAnswer = false
  #measuredAt = -Infinity
  #patience = answerMilliseconds
  #factor = 1
  #openingPatience = openingMilliseconds
  #roundTrip: number | null = null
  /** The latest round-trip times, in milliseconds. */
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
    // Browsers freeze hidden pages to save power. After a person has left a page, browsers can also freeze it and show
    // it again when the person goes back. In both cases the connection might be broken.
    addEventListener('pageshow', ({ persisted }) => { if (persisted) this.#wake() })
    document.addEventListener('resume', () => this.#wake())
    this.#watch()
  }

  /** The latest round-trip time in milliseconds; null if none was measured yet. */
  get roundTrip() { return this.#roundTrip }

  get isSlow() { return this.#isSlow }

  #watch() {
    clearInterval(this.#timer)
    this.#askedAt = null
    if (document.visibilityState !== 'visible') return
    this.#wake()
    // Detects that the computer slept, by the wall clock. A window that is visible all the time gets no event for that,
    // and `performance.now()` can stand still during sleep.
    let lookedAt = Date.now()
    this.#timer = setInterval(() => {
      const slept = Date.now() - lookedAt > quietMilliseconds
      lookedAt = Date.now()
      if (slept) this.#wake()
      this.#look()
    }, lookMilliseconds)
  }

  /** Called after a time without network or without the page running. The connection is most likely broken. */
  #wake() {
    const milliseconds = Math.max(wakingMilliseconds, 2 * (this.#roundTrip ?? 0))
    if (this.#state === 'live') {
      this.#ask(milliseconds)
      // Messages might have arrived shortly before the page was suspended. So only an answer to this ping shows that
      // the connection is still alive.
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

  /** Replaces the connection, because it is most likely broken. */
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
    // A millisecond is added, because the round-trip time is rounded to milliseconds.
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
