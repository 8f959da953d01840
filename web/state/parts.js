import { NewerPage } from '../network/freshness.js'

const missingWords = 'That part of the page can’t be loaded right now. Try again once the server is back.'
const newerWords = 'There’s a newer version of this page. Reload to use that. Everything you drew is kept.'

/** Loads parts of the page that are not needed at first. */
export class Parts {
  #freshness
  #notices

  /**
   * @param {import('../network/freshness.js').Freshness} freshness
   * @param {import('./notices.js').Notices} notices
   */
  constructor(freshness, notices) {
    this.#freshness = freshness
    this.#notices = notices
  }

  /**
   * A part that is loaded when it is first needed.
   *
   * @template Loaded, Made
   * @param {() => Promise<Loaded>} load
   * @param {(loaded: Loaded) => Made | Promise<Made>} make makes what is needed from it. It isn't called with a part of
   * a newer page.
   * @returns {LaterPart<Made>}
   */
  later(load, make) {
    return new LaterPart(
      () => load().then((loaded) => this.#freshness.ofThisPage(loaded)).then(make),
      (error) => this.#notices.say(
        error instanceof NewerPage ? newerWords : missingWords, { kind: 'refused', group: 'missing' }),
    )
  }
}

/** @template Made */
export class LaterPart {
  #load
  #sayMissing
  /** @type {Promise<Made> | null} */
  #part = null

  /** @param {() => Promise<Made>} load @param {(error: unknown) => void} sayMissing */
  constructor(load, sayMissing) {
    this.#load = load
    this.#sayMissing = sayMissing
  }

  /** @returns {Promise<Made | null>} null if it can't be loaded, which a notice says; the next call tries again */
  async get() { return this.#get(this.#sayMissing) }

  /**
   * Loads the part ahead of time, because it may be needed soon. If loading fails, no notice is shown.
   *
   * @returns {Promise<Made | null>}
   */
  async prepare() { return this.#get(() => {}) }

  /** @param {(error: unknown) => void} failed @returns {Promise<Made | null>} */
  async #get(failed) {
    this.#part ??= this.#load()
    try {
      return await this.#part
    } catch (error) {
      this.#part = null
      failed(error)
      return null
    }
  }
}
