import { counted, within } from '../basics/words.js'
import type { OwnTabs } from '../state/own-tabs.js'
import type { LaterPart } from '../state/parts.js'
import type { Presence } from '../state/presence.js'

/**
 * A drawing with at most this many shapes can soon be drawn again. If there are more shapes, the page asks before it
 * removes them.
 */
const unaskedMax = 5

/**
 * Asks for confirmation before a person removes more than a few shapes at once, or empties a canvas that has other people
 * on it.
 */
export class Consent {
  #presence
  #ownTabs
  #dialogs
  #isAsking = false

  constructor(presence: Presence, ownTabs: OwnTabs, dialogs: LaterPart<typeof import('../elements/dialog.js')>) {
    this.#presence = presence
    this.#ownTabs = ownTabs
    this.#dialogs = dialogs
  }

  /**
   * @param words on the button that says yes
   * @param count how many shapes would go
   * @returns whether everything may go; no while somebody is being asked already, as by a second shake
   */
  async mayEmpty(question: string, words: string, count: () => number): Promise<boolean> {
    return (this.#isAlone && count() <= unaskedMax) || this.#agrees(question, words, count, (shapes) => (this.#isAlone
      ? `All ${counted(shapes, 'shape')} will be gone.` : `${this.#whoIsHere} The canvas will be empty for everyone.`))
  }

  /** The same for a part of the drawing: what was drawn since the moment that somebody restores. */
  async mayGoBack(question: string, words: string, count: () => number): Promise<boolean> {
    return count() <= unaskedMax || this.#agrees(question, words, count, (shapes) =>
      `${counted(shapes, 'shape that was', 'shapes that were')} drawn since will be gone.${this.#isAlone ? '' : ` ${this.#whoIsHere}`}`)
  }

  async #agrees(question: string, words: string, count: () => number, consequence: (shapes: number) => string) {
    if (this.#isAsking) return false
    this.#isAsking = true
    try {
      const dialogs = await this.#dialogs.get()
      for (;;) {
        const [wasAlone, asked] = [this.#isAlone, count()]
        if (!await dialogs?.confirmed(question, `${consequence(asked)} You can undo it.`, words)) return false
        // A yes is valid only for the drawing that the question was about. While the question was open, other people
        // may have come, or more shapes may have been drawn.
        if (!wasAlone || (this.#isAlone && count() <= asked)) return true
      }
    } finally {
      this.#isAsking = false
    }
  }

  get #others() { return this.#presence.people().filter(({ actor }) => !this.#ownTabs.has(actor)) }

  get #isAlone() { return this.#others.length + this.#presence.unnamedCount === 0 }

  get #whoIsHere() { return `${whoIs(this.#others.map(({ name }) => name), this.#presence.unnamedCount)} here too.` }
}

/**
 * The people and their verb, for the question: `Ann is`, `Ann and Bob are`, `Ann and 1,099 others are`.
 *
 * @param unnamed how many there are beside them
 */
function whoIs([first, ...others]: string[], unnamed: number) {
  const rest = others.length + unnamed
  if (first === undefined) return unnamed === 1 ? 'Somebody else is' : `${unnamed.toLocaleString()} others are`
  if (rest === 0) return `${within(first)} is`
  if (others.length === 1 && rest === 1) return `${within(first)} and ${within(others[0])} are`
  return `${within(first)} and ${rest === 1 ? '1 other' : `${rest.toLocaleString()} others`} are`
}
