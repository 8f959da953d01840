import { type Freshness, NewerPage } from '../network/freshness.js'
import type { Notices } from './notices.js'

const missingWords = 'That part of the page can’t be loaded right now. Try again once the server is back.'
const newerWords = 'There’s a newer version of this page. Reload to use that.'

/** After how long a part that is needed is asked for again. */
const againMilliseconds = 5_000
/** After how long it is asked for again though the first request goes on. */
const patienceMilliseconds = 60_000
/** At most this many of its requests are under way, because a browser makes only a few at a time. */
const triesMax = 3

/** Loads parts of the page that are not needed at the start. */
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
   * @param make makes the result from the loaded module; it isn't called if the module is of a newer version than the
   *   page
   */
  later<Loaded, Made>(load: () => Promise<Loaded>, make: (loaded: Loaded) => Made | Promise<Made>): LaterPart<Made> {
    return new LaterPart(
      () => load().finally(() => this.#freshness.expectSame()).then(make),
      (error) => this.#notices.say(
        error instanceof NewerPage ? newerWords : missingWords, { kind: 'refused', group: 'missing' }),
    )
  }
}

export class LaterPart<Made> {
  #load
  #sayMissing
  #part: Promise<Made> | null = null
  #needing: Promise<Made | null> | null = null

  constructor(load: () => Promise<Made>, sayMissing: (error: unknown) => void) {
    this.#load = load
    this.#sayMissing = sayMissing
  }

  /** @returns null if loading fails; then a notice says so, and the next call tries again */
  async get(): Promise<Made | null> { return this.#get(this.#sayMissing) }

  /** Loads the part in advance, because it will probably be needed. Shows no notice if that fails. */
  async prepare(): Promise<Made | null> { return this.#get(() => {}) }

  /**
   * Loads the part for something that must not be forgotten: tries again until it is there. If a request doesn't end for
   * long, another one is made beside it, and then the part can be made twice.
   *
   * @returns null if the server only has a newer version of it. The page then offers to reload it.
   */
  needed(): Promise<Made | null> {
    return this.#needing ??= this.#untilThere().finally(() => { this.#needing = null })
  }

  async #untilThere(): Promise<Made | null> {
    let isNewer = false
    const tries = new Set<Promise<Made | null>>()
    for (;;) {
      if (tries.size < triesMax) {
        const latest = this.#get((error) => { isNewer = error instanceof NewerPage })
        tries.add(latest)
        latest.then((made) => made || tries.delete(latest))
      }
      const made = await Promise.race([...tries, new Promise<'late'>((resolve) => setTimeout(resolve, patienceMilliseconds, 'late'))])
      if (made !== 'late' && (made || isNewer)) return made
      this.#part = null
      await new Promise((resolve) => setTimeout(resolve, againMilliseconds))
    }
  }

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
