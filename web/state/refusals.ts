import { listIn } from '../basics/lists.js'
import { Source } from '../basics/source.js'
import { counted } from '../basics/words.js'
import type { Effect } from '../core/types.js'
import type { Connection } from '../network/connection.js'
import { givenMilliseconds, type Notices } from './notices.js'

type Rejected = Extract<Effect, { type: 'rejected' }>

const gatherMilliseconds = 300

/** The reasons for which the server rejects a change, in words for people. */
const reasons: Record<string, string> = {
  room_full: 'the room is full',
  read_only: 'this link is view-only',
  too_old: 'too much time has passed since',
  clock_ahead: 'the clock of this device is ahead',
  bad_value: 'a value was out of range',
  quota_exceeded: 'more was drawn from here today than the server allows',
}

/**
 * Tells the person which changes the server has rejected and why, because these changes disappear from the canvas. A
 * text that goes with them can be copied.
 * `full`: a change was rejected because the room is full.
 */
export class Refusals extends Source<{ full: null }> {
  #notices
  #refused: Rejected[] = []
  #timer = 0

  constructor(connection: Connection, notices: Notices) {
    super()
    this.#notices = notices
    connection.on('effect', (effect) => {
      if (effect.type === 'presenceTooLong') {
        notices.say('You selected more shapes than we can show to others.', { group: 'presence' })
      }
      if (effect.type === 'rejected') this.take(effect)
    })
  }

  take(effect: Rejected) {
    if (effect.code === 'room_full') this.tell('full', null)
    this.#refused.push(effect)
    if (this.#timer === 0) this.#timer = setTimeout(() => this.#say(), gatherMilliseconds)
  }

  #say() {
    this.#timer = 0
    /** By code and by whether they were an undo or a redo. */
    const refusals = new Map<string, Rejected[]>()
    for (const refused of this.#refused) listIn(refusals, `refused ${refused.code} ${refused.origin ?? ''}`).push(refused)
    this.#refused = []
    for (const [group, list] of refusals) {
      const [{ code, message, origin }] = list
      const reason = reasons[code] ?? message
      if (origin) {
        this.#notices.say(`The ${origin} was not taken: ${reason}. You can try it again.`, { kind: 'refused', group })
        continue
      }
      const texts = list.flatMap(({ set: { text } }) => (typeof text === 'string' && text.trim() !== '' ? [text] : []))
      const words = `${counted(list.length, 'change was', 'changes were')} taken back: ${reason}.`
      this.#notices.say(texts.length === 1 ? `${words} You wrote: “${texts[0]}”` : words, {
        kind: 'refused', group,
        ...texts.length > 0 && { isWhole: true, isKept: true, milliseconds: givenMilliseconds, action: this.#notices.copying(texts.join('\n')) },
      })
    }
  }
}
