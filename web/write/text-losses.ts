import { within } from '../basics/words.js'
import { fittedTo } from '../canvas/fitted.js'
import type { Effect } from '../core/types.js'
import type { Connection } from '../network/connection.js'
import type { Editing } from '../state/editing.js'
import { mentionOf } from '../state/labels.js'
import type { Names } from '../state/names.js'
import { givenMilliseconds, type Notices } from '../state/notices.js'
import type { Shown } from '../state/shown.js'
import { textInPlaceOf } from './writing.js'

type Loss = Extract<Effect, { type: 'textLost' }>

/**
 * Tells this person that somebody has overwritten their text, and offers to put it back. The core decides when a text
 * is lost. A person who doesn't see the current drawing is told when they do.
 */
export class TextLosses {
  #shown
  #editing
  #notices
  #names
  #losses: Loss[] = []

  constructor({ connection, shown, editing, notices, names }: {
    connection: Connection, shown: Shown, editing: Editing, notices: Notices, names: Names,
  }) {
    this.#shown = shown
    this.#editing = editing
    this.#notices = notices
    this.#names = names
    connection.on('effect', (effect) => {
      if (effect.type !== 'textLost') return
      this.#losses.push(effect)
      this.#tell()
    })
    document.addEventListener('visibilitychange', () => this.#tell())
    shown.on('past', () => this.#tell())
  }

  #tell() {
    if (document.hidden || this.#shown.isPast) return
    for (const loss of this.#losses.splice(0)) this.#say(loss)
  }

  #say({ shape: id, text, by }: Loss) {
    const { live } = this.#shown
    const shape = live.shape(id)
    if (!shape) return
    this.#notices.say(`${this.#names.of(by)} wrote over your text in ${mentionOf(live, id)}: “${within(text)}”`, {
      group: `lost text ${id}`, isWhole: true, isKept: true, milliseconds: givenMilliseconds,
      action: {
        words: 'Put mine back',
        run: () => this.#editing.edit((replica) => {
          const now = replica.shape(id)
          return now ? replica.edit([{ shape: id, set: { text, ...fittedTo(now, text, false) } }])
            : replica.add(textInPlaceOf(shape, text)).effects
        }) !== undefined,
      },
    })
  }
}
