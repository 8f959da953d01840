import type { Reach } from '../arrange/reach.js'
import { within } from '../basics/words.js'
import type { fittedTo } from '../canvas/fitted.js'
import { changedBits, type Shape } from '../core/table.js'
import type { Changes, Effect } from '../core/types.js'
import type { keepBeside } from '../draw/making.js'
import { mentionOf } from '../state/labels.js'
import type { Names } from '../state/names.js'
import type { Person } from '../state/presence.js'

export type Loss = Extract<Effect, { type: 'textLost' }>

/**
 * A text of this person that isn't there any more. `shape`: the shape as it was with that text. `by`, `milliseconds`: who
 * wrote the text that is there now, and the time of its stamp. `since`: when the page saw that it was replaced.
 */
type Replaced = { shape: Shape, by: number, milliseconds: number, since: number }

/**
 * At most this many replaced texts are remembered, each for this long. When somebody puts a text back, their presence
 * says so at once, or when they are connected again.
 */
const replacedMax = 500
const replacedMilliseconds = 3_600_000

const texts = changedBits(({ name }) => name === 'text')

/** A notice holds the only copy of its text. So another text of the same shape doesn't take its place. */
const groupOf = (shape: number, text: string) => `lost text ${shape} ${text}`

/**
 * Tells this person that somebody has overwritten their text, and offers to put it back. The core decides when a text
 * is lost to somebody who wrote. A text is also lost if somebody puts theirs back over it, however much later: presence
 * says so. A person who looks at the past is told when they are back.
 */
export class TextLosses {
  #reach
  #losses
  /** The shapes whose text is this person's, as they were when it was written. */
  #own = new Map<number, Shape>()
  /** What this person wrote last in other shapes. The text that was replaced last is the last one. */
  #replaced = new Map<number, Replaced>()
  /** The stamps' times of the texts that this person has put back and that are still there, by shape. */
  #putBack = new Map<number, number>()

  /**
   * @param reach `fittedTo`, `keepBeside`: those of the room's script, because only that one's measure bold words
   * @param losses those that the core tells, to which more are added
   */
  constructor(
    reach: Pick<Reach, 'editing' | 'locks' | 'notices' | 'presence' | 'scene' | 'shown' | 'view'>
      & { names: Names, fittedTo: typeof fittedTo, keepBeside: typeof keepBeside },
    losses: Loss[],
  ) {
    this.#reach = reach
    this.#losses = losses
    const { presence, scene, shown } = reach
    for (const { shape } of scene.order) if (shape.written) this.#note(shape.id)
    shown.on('changes', (changes) => { if (!shown.isPast) this.#follow(changes) })
    presence.on('putBack', (person) => {
      for (const [id, replaced] of this.#replaced) this.#compare(id, replaced, person)
      this.tell()
    })
    shown.on('past', () => this.tell())
  }

  /** Tells the losses that aren't told yet. */
  tell() {
    if (this.#reach.shown.isPast) return
    for (const loss of this.#losses.splice(0)) {
      const shape = this.#own.get(loss.shape) ?? this.#replaced.get(loss.shape)?.shape
      this.#own.delete(loss.shape)
      this.#replaced.delete(loss.shape)
      this.#say(loss, shape)
    }
  }

  #follow({ reset, shapes }: Changes) {
    const changed = reset
      ? [...this.#own.keys(), ...this.#replaced.keys()] : shapes.filter(({ changed }) => changed & texts).map(({ id }) => id)
    for (const id of changed) this.#note(id)
    const past = Date.now() - replacedMilliseconds
    for (const [id, { since }] of this.#replaced) {
      if (this.#replaced.size <= replacedMax && since > past) break
      this.#replaced.delete(id)
    }
    this.tell()
  }

  #note(id: number) {
    const { presence, shown: { live } } = this.#reach
    const shape = live.shape(id)
    const { actor: by = 0, milliseconds = 0 } = live.written(id, 'text') ?? {}
    if (milliseconds !== this.#putBack.get(id) && this.#putBack.delete(id)) presence.setPutBack([...this.#putBack.values()])
    const { shape: former, since } = this.#replaced.get(id) ?? { shape: this.#own.get(id), since: Date.now() }
    this.#own.delete(id)
    if (shape && by === live.actor) {
      this.#own.set(id, shape)
      // Somebody else could take their text back unnoticed.
      this.#reach.notices.withdraw(groupOf(id, shape.text))
    }
    // This person can't lose a text that they have deleted.
    const isLosable = former?.text && (shape ? by !== live.actor : live.written(id, 'deleted')?.actor !== live.actor)
    if (isLosable) {
      const replaced = { shape: former, by, milliseconds, since }
      this.#replaced.set(id, replaced)
      this.#compare(id, replaced, presence.person(by))
    } else this.#replaced.delete(id)
  }

  /** Notes a loss if this person's text was replaced by one that somebody has put back. */
  #compare(shape: number, { shape: { text }, by, milliseconds }: Replaced, person: Person | null) {
    if (person?.actor !== by || !person.putBack.includes(milliseconds)) return
    this.#replaced.delete(shape)
    this.#losses.push({ type: 'textLost', shape, text, by })
  }

  #say({ shape: id, text, by }: Loss, former?: Shape) {
    const { editing, fittedTo, keepBeside, locks, names, notices, presence, shown: { live } } = this.#reach
    const shape = live.shape(id)
    if (!shape) return this.#sayDeleted(id, text, by, former)
    const putBack = () => {
      const now = live.shape(id)
      if (!now) return keepBeside(this.#reach, shape, text)
      if (locks.refuse([id])) return undefined
      const done = editing.edit((replica) => replica.edit([{ shape: id, set: { text, ...fittedTo(now, text, false) } }]))
      const written = done && live.written(id, 'text')
      if (written) {
        this.#putBack.delete(id)
        presence.setPutBack([...this.#putBack.set(id, written.milliseconds).values()])
      }
      return done
    }
    notices.say(`${names.of(by)} wrote over your text in ${mentionOf(live, id)}: “${within(text)}”`, {
      group: groupOf(id, text), isWhole: true, holds: text,
      action: { words: 'Put mine back', run: () => putBack() !== undefined },
    })
  }

  /** Somebody has deleted the shape without having got this person's text. */
  #sayDeleted(id: number, text: string, by: number, former?: Shape) {
    const { keepBeside, names, notices } = this.#reach
    notices.say(`${names.of(by)} deleted the shape in which you had written: “${within(text)}”`, {
      group: groupOf(id, text), isWhole: true, holds: text,
      action: { words: 'Keep the text', run: () => keepBeside(this.#reach, former, text) !== undefined },
    })
  }
}
