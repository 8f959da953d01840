import { changedBit } from '../core/table.js'
import { within } from '../basics/words.js'

/** Somebody who writes over a text so soon after it was written can hardly have read it. */
const soonMilliseconds = 15_000
const shownMilliseconds = 30_000
/** The texts of so many shapes are remembered. */
const keptMax = 500

/**
 * Two people may write in one text at the same time. The later writer's stands. This tells the other one, with what was lost, and
 * offers to put it back.
 */
export class TextLosses {
  #shown
  #editing
  #notices
  #names
  /**
   * What was written here last, by shape.
   *
   * @type {Map<number, {text: string, at: number}>}
   */
  #own = new Map()

  /**
   * @param {{connection: import('../network/connection.js').Connection, shown: import('../state/shown.js').Shown,
   *   editing: import('../state/editing.js').Editing, notices: import('../state/notices.js').Notices,
   *   names: import('../panels/names.js').Names}} parts
   */
  constructor({ connection, shown, editing, notices, names }) {
    this.#shown = shown
    this.#editing = editing
    this.#notices = notices
    this.#names = names
    shown.on('changes', ({ shapes }) => {
      if (shown.isPast) return
      for (const change of shapes) if ((change.changed & changedBit.text) !== 0) this.#follow(change)
    })
    connection.on('effect', (effect) => {
      if (effect.type !== 'superseded') return
      for (const { shape, property, by } of effect.values) if (property === 'text') this.#lost(shape, by)
    })
  }

  /** @param {import('../core/types.js').ShapeChange} change */
  #follow({ id, shape, by }) {
    const own = this.#own.get(id)
    if (by === this.#shown.live.actor) {
      this.#own.delete(id)
      if (shape?.written) this.#own.set(id, { text: shape.text, at: Date.now() })
      for (const [oldest] of this.#own) {
        if (this.#own.size <= keptMax) break
        this.#own.delete(oldest)
      }
    } else if (own && by > 0 && shape && shape.text !== own.text && Date.now() - own.at < soonMilliseconds) {
      this.#lost(id, by)
    }
  }

  /** @param {number} id @param {number} by */
  #lost(id, by) {
    const own = this.#own.get(id)
    const { live } = this.#shown
    const shape = live.shape(id)
    if (!own || !shape || shape.text === own.text || by === live.actor) return
    this.#own.delete(id)
    const group = `lost text ${id}`
    const lost = own.text.replaceAll('\n', ' ')
    const beginning = lost.length > 60 ? `${lost.slice(0, 59)}…` : lost
    this.#notices.say(`${this.#names.of(by)} wrote over your text in ${within(live.shownName(id))}: “${within(beginning)}”`, {
      group, milliseconds: shownMilliseconds,
      action: {
        words: 'Put mine back',
        run: () => {
          this.#notices.withdraw(group)
          this.#editing.edit((replica) => replica.edit([{ shape: id, set: { text: own.text } }]))
        },
      },
    })
  }
}
