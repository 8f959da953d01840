import { Source } from '../basics/source.js'

/** After this long without a message, the server is asked for one. */
const quietMilliseconds = 2000
/** The same while edits wait for their answer, when silence means more. */
const unansweredMilliseconds = 700
/** How long the answer may then take. Both times together are how soon a dead line is noticed. */
const answerMilliseconds = 2500
/** The same after the page comes back from sleep, when the line is most likely dead. */
const wakingMilliseconds = 500
/**
 * How long a connection may take to open. If packets are lost, the system repeats the first one after ever longer
 * pauses, so a new try is quicker once the network is back.
 */
const openingMilliseconds = 5000
const openingMillisecondsMax = 10_000
/**
 * How long the welcome may take, whatever else arrives, and each part of the drawing. On a thin line a part takes
 * seconds.
 */
const greetingMilliseconds = 5000
const loadingMilliseconds = 10_000
/**
 * A line that looked dead may just be a slow one with a long message on it. So the patience grows by up to this factor,
 * and the line isn't cut off for ever.
 */
const patienceMax = 16
/** How often the line is checked. */
const lookMilliseconds = 250
/** How often the round trip is measured, even if messages come all the time. */
const measureMilliseconds = 5000
/** A round trip of this length is noticeable. */
const slowMilliseconds = 800
/** Measurements closer together than this count as one. A single bad moment doesn't make a slow line. */
const momentMilliseconds = 1000

/**
 * The heartbeat of the line, and its round trip.
 *
 * Browsers don't report it when a line dies without closing, for example in a tunnel or after sleep: the socket stays
 * open for minutes, and edits go nowhere. So the server is asked for a sign of life if nothing has come for a while,
 * and a connection that stays silent is replaced. While the page is hidden nothing is asked, to save the battery. The
 * terminal's `LinePulse.swift` has the same rules: change both together.
 *
 * `slow`: the line has become slow. Once for each slow period.
 *
 * @extends {Source<{change: null, slow: null}>}
 */
export class Pulse extends Source {
  #connection
  #timer = 0
  #state = 'offline'
  /** Since when the connection has been in this state. */
  #stateSince = 0
  /**
   * When the server was asked; null if no answer is due.
   *
   * @type {number | null}
   */
  #askedAt = null
  /** Whether only the answer itself counts, and not any message. */
  #wantsAnswer = false
  #measuredAt = -Infinity
  #patience = answerMilliseconds
  #factor = 1
  #openingPatience = openingMilliseconds
  /** @type {number | null} */
  #roundTrip = null
  /**
   * The newest round trips, in milliseconds.
   *
   * @type {number[]}
   */
  #moments = []
  #momentAt = -Infinity
  #isSlow = false

  /** @param {import('./connection.js').Connection} connection */
  constructor(connection) {
    super()
    this.#connection = connection
    connection.on('effect', (effect) => {
      if (effect.type === 'pong') this.#answered(effect.roundTripMilliseconds)
      if (effect.type === 'state') this.#enter(effect.state)
    })
    document.addEventListener('visibilitychange', () => this.#watch())
    addEventListener('online', () => this.#wake())
    // Browsers freeze pages to save power, and keep pages that were left in case one comes back.
    addEventListener('pageshow', ({ persisted }) => { if (persisted) this.#wake() })
    document.addEventListener('resume', () => this.#wake())
    this.#watch()
  }

  /** The newest round trip, in milliseconds; null if it isn't known. */
  get roundTrip() { return this.#roundTrip }

  get isSlow() { return this.#isSlow }

  #watch() {
    clearInterval(this.#timer)
    this.#askedAt = null
    if (document.visibilityState !== 'visible') return
    this.#wake()
    // A window that is visible all the time gets no event when the machine sleeps. The clock of `performance` may have
    // stood still meanwhile, too.
    let lookedAt = Date.now()
    this.#timer = setInterval(() => {
      const slept = Date.now() - lookedAt > quietMilliseconds
      lookedAt = Date.now()
      if (slept) this.#wake()
      this.#look()
    }, lookMilliseconds)
  }

  /** The page or the network was away for some time: what was in progress before has most likely failed. */
  #wake() {
    const milliseconds = Math.max(wakingMilliseconds, 2 * (this.#roundTrip ?? 0))
    if (this.#state === 'live') {
      this.#ask(milliseconds)
      // The first messages may have arrived before the sleep.
      this.#wantsAnswer = true
      setTimeout(() => this.#look(), milliseconds * this.#factor)
    } else if (this.#state === 'connecting' && performance.now() - this.#stateSince > milliseconds) {
      this.#connection.renew()
    } else this.#connection.hurry()
  }

  /** @param {string} state */
  #enter(state) {
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

  /** The line is most likely dead. */
  #leave() {
    this.#factor = Math.min(patienceMax, this.#factor * 2)
    this.#connection.renew()
  }

  /** @param {number} patience */
  #ask(patience) {
    this.#patience = patience
    this.#wantsAnswer = false
    this.#askedAt = performance.now()
    this.#measuredAt = this.#askedAt
    this.#connection.perform(this.#connection.replica.ping())
  }

  /** @param {number} milliseconds */
  #answered(milliseconds) {
    const now = performance.now()
    // The round trip is in whole milliseconds.
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
