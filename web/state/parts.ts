import { type Freshness, NewerPage } from '../network/freshness.js'
import type { Notices } from './notices.js'

const missingWords = 'That part of the page can’t be loaded right now. Try again once the server is back.'
const newerWords = 'There’s a newer version of this page. Reload to use that. Everything you drew is kept.'

/** Loads parts of the page that are not needed at first. */
export class Parts {
  #freshness
  #notices

  constructor(freshness: Freshness, notices: Notices) {
    this.#freshness = freshness
    this.#notices = notices
  }

  /**
   * A part that is loaded when it is first needed.
   *
   * @param make makes what is needed from it. It isn't called with a part of a newer page.
   */
  later<Loaded, Made>(load: () => Promise<Loaded>, make: (loaded: Loaded) => Made | Promise<Made>): LaterPart<Made> {
    return new LaterPart(
      () => load().then((loaded) => this.#freshness.ofThisPage(loaded)).then(make),
      (error) => this.#notices.say(
        error instanceof NewerPage ? newerWords : missingWords, { kind: 'refused', group: 'missing' }),
    )
  }
}

export class LaterPart<Made> {
  #load
  #sayMissing
  #part: Promise<Made> | null = null

  constructor(load: () => Promise<Made>, sayMissing: (error: unknown) => void) {
    this.#load = load
    this.#sayMissing = sayMissing
  }

  /** @returns null if it can't be loaded, which a notice says; the next call tries again */
  async get(): Promise<Made | null> { return this.#get(this.#sayMissing) }

  /** Loads the part ahead of time, because it may be needed soon. If loading fails, no notice is shown. */
  async prepare(): Promise<Made | null> { return this.#get(() => {}) }

  async #get(failed: (error: unknown) => void): Promise<Made | null> {
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
