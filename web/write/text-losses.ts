import { within } from '../basics/words.js'
import type { Reach } from '../arrange/reach.js'
import { fittedTo } from '../canvas/fitted.js'
import type { Effect } from '../core/types.js'
import { keepBeside } from '../draw/making.js'
import type { Connection } from '../network/connection.js'
import { mentionOf } from '../state/labels.js'
import type { Names } from '../state/names.js'
import { givenMilliseconds } from '../state/notices.js'

type Loss = Extract<Effect, { type: 'textLost' }>

/**
 * Tells this person that somebody has overwritten their text, and offers to put it back. The core decides when a text
 * is lost. A person who doesn't see the current drawing is told when they do.
 */
export class TextLosses {
  #reach
  #losses: Loss[] = []

  constructor(reach: Pick<Reach, 'editing' | 'notices' | 'scene' | 'shown' | 'view'> & { connection: Connection, names: Names }) {
    this.#reach = reach
    reach.connection.on('effect', (effect) => {
      if (effect.type !== 'textLost') return
      this.#losses.push(effect)
      this.#tell()
    })
    document.addEventListener('visibilitychange', () => this.#tell())
    reach.shown.on('past', () => this.#tell())
  }

  #tell() {
    if (document.hidden || this.#reach.shown.isPast) return
    for (const loss of this.#losses.splice(0)) this.#say(loss)
  }

  #say({ shape: id, text, by }: Loss) {
    const { editing, names, notices, shown: { live } } = this.#reach
    const shape = live.shape(id)
    if (!shape) return
    const putBack = () => {
      const now = live.shape(id)
      return now ? editing.edit((replica) => replica.edit([{ shape: id, set: { text, ...fittedTo(now, text, false) } }]))
        : keepBeside(this.#reach, shape, text)
    }
    notices.say(`${names.of(by)} wrote over your text in ${mentionOf(live, id)}: “${within(text)}”`, {
      group: `lost text ${id}`, isWhole: true, isKept: true, milliseconds: givenMilliseconds,
      action: { words: 'Put mine back', run: () => putBack() !== undefined },
    })
  }
}
