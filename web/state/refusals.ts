import { Source } from '../basics/source.js'
import type { Effect } from '../core/types.js'
import type { Connection } from '../network/connection.js'
import type { Notices } from './notices.js'
import type { LaterPart } from './parts.js'

export type Rejected = Extract<Effect, { type: 'rejected' }>

type Words = typeof import('./refusal-notices.js')

const gatherMilliseconds = 300

/**
 * Tells the person which changes the server has rejected and why, because these changes disappear from the canvas. A
 * text that goes with them can be copied.
 * `full`: a change was rejected because the room is full.
 */
export class Refusals extends Source<{ full: null }> {
  #notices
  #words
  /** The words, once they are loaded. */
  #loaded: Words | null = null
  #refused: Rejected[] = []
  #timer = 0
  /** Whether the browser keeps what this person may not send. */
  isKept = false

  constructor(connection: Connection, notices: Notices, words: LaterPart<Words>) {
    super()
    this.#notices = notices
    this.#words = words
    connection.on('effect', (effect) => {
      if (effect.type === 'presenceTooLong') {
        notices.say('You selected more shapes than we can show to others.')
      }
      if (effect.type === 'rejected') this.take(effect)
    })
    // The page can't wait for the words then.
    addEventListener('pagehide', () => this.#say(this.#loaded))
  }

  take(effect: Rejected) {
    if (effect.code === 'room_full') this.tell('full', null)
    this.#refused.push(effect)
    if (this.#timer === 0) this.#timer = setTimeout(async () => this.#say(this.#loaded = await this.#words.needed()), gatherMilliseconds)
  }

  /** Loads the words in advance: a server that has a newer page doesn't give them. */
  async prepare() { this.#loaded = await this.#words.prepare() }

  #say(words: Words | null) {
    this.#timer = 0
    const refused = this.#refused.splice(0)
    if (refused.length === 0) return
    if (words) return words.say(this.#notices, refused, this.isKept)
    const texts = refused.map(({ set: { text } }) => text).filter(Boolean).join('\n')
    this.#notices.say(`The server didn’t take some of your changes. ${texts && `You wrote: “${texts}”`}`, {
      kind: 'refused', isWhole: true, holds: texts,
    })
  }
}
