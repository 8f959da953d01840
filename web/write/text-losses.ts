import type { Reach } from '../arrange/reach.js'
import { within } from '../basics/words.js'
import type { fittedTo } from '../canvas/fitted.js'
import { changedBits, type Shape } from '../core/table.js'
import type { Changes, Effect } from '../core/types.js'
import type { keepBeside } from '../draw/making.js'
import { mentionOf } from '../state/labels.js'
import type { Names } from '../state/names.js'

export type Loss = Extract<Effect, { type: 'textLost' }>

const texts = changedBits(({ name }) => name === 'text')

/**
 * Tells this person that somebody has overwritten their text, and offers to put it back. The core decides when a text
 * is lost to somebody who wrote. A text is also lost if somebody puts theirs back over it, however much later: presence
 * says so. A person who doesn't see the current drawing is told when they do.
 */
export class TextLosses {
  #reach
  #losses
  /** What this person wrote last in each shape: what is there now, and what somebody has replaced. */
  #own = new Map<number, string>()
  #replaced = new Map<number, string>()
  /** The shapes in which this person wrote last, as they were then. */
  #shapes = new Map<number, Shape>()

  /**
   * @param reach `fittedTo`, `keepBeside`: those of the room's script, because only that one's measure bold words
   * @param losses those that the core tells, to which more are added
   */
  constructor(
    reach: Pick<Reach, 'editing' | 'notices' | 'presence' | 'scene' | 'shown' | 'view'>
      & { names: Names, fittedTo: typeof fittedTo, keepBeside: typeof keepBeside },
    losses: Loss[],
  ) {
    this.#reach = reach
    this.#losses = losses
    const { presence, scene, shown } = reach
    for (const { shape } of scene.order) if (shape.written) this.#note(shape.id)
    shown.on('changes', (changes) => { if (!shown.isPast) this.#follow(changes) })
    presence.on('change', () => this.#compare())
    document.addEventListener('visibilitychange', () => this.tell())
    shown.on('past', () => this.tell())
  }

  /** Tells the losses that aren't told yet. */
  tell() {
    if (document.hidden || this.#reach.shown.isPast) return
    for (const loss of this.#losses.splice(0)) {
      this.#own.delete(loss.shape)
      this.#say(loss)
    }
  }

  #follow({ reset, shapes }: Changes) {
    const changed = reset ? [...this.#own.keys()] : shapes.filter(({ changed }) => changed & texts).map(({ id }) => id)
    for (const id of changed) this.#note(id)
    this.#compare()
  }

  #note(id: number) {
    const { live } = this.#reach.shown
    const own = this.#own.get(id)
    this.#own.delete(id)
    const shape = live.shape(id)
    if (shape && live.written(id, 'text')?.actor === live.actor) {
      this.#own.set(id, shape.text)
      this.#shapes.set(id, shape)
      this.#replaced.delete(id)
    } else if (own) this.#replaced.set(id, own)
  }

  /** Finds the texts of this person over which somebody has put theirs back. */
  #compare() {
    const { presence, shown: { live } } = this.#reach
    const isAnyPutBack = presence.people().some(({ putBack }) => putBack.length > 0)
    for (const [shape, text] of isAnyPutBack ? this.#replaced : []) {
      const { actor: by = 0, milliseconds = 0 } = live.written(shape, 'text') ?? {}
      if (!presence.person(by)?.putBack.includes(milliseconds)) continue
      this.#replaced.delete(shape)
      this.#losses.push({ type: 'textLost', shape, text, by })
    }
    this.tell()
  }

  #say({ shape: id, text, by }: Loss) {
    const { editing, fittedTo, keepBeside, names, notices, presence, shown: { live } } = this.#reach
    const shape = live.shape(id)
    if (!shape) return this.#sayDeleted(id, text, by)
    const putBack = () => {
      const now = live.shape(id)
      if (!now) return keepBeside(this.#reach, shape, text)
      const done = editing.edit((replica) => replica.edit([{ shape: id, set: { text, ...fittedTo(now, text, false) } }]))
      const written = done && live.written(id, 'text')
      if (written) presence.addPutBack(written.milliseconds)
      return done
    }
    notices.say(`${names.of(by)} wrote over your text in ${mentionOf(live, id)}: “${within(text)}”`, {
      group: `lost text ${id}`, isWhole: true, isKept: true,
      action: { words: 'Put mine back', run: () => putBack() !== undefined },
    })
  }

  /** Somebody has deleted the shape without having got this person's text. */
  #sayDeleted(id: number, text: string, by: number) {
    const { keepBeside, names, notices } = this.#reach
    notices.say(`${names.of(by)} deleted the shape in which you had written: “${within(text)}”`, {
      group: `lost text ${id}`, isWhole: true, isKept: true,
      action: { words: 'Keep the text', run: () => keepBeside(this.#reach, this.#shapes.get(id), text) !== undefined },
    })
  }
}
