import { counted, within } from '../basics/words.js'
import { confirmed } from '../elements/dialog.js'
import type { OwnTabs } from '../state/own-tabs.js'
import type { Presence } from '../state/presence.js'

/** The page asks for confirmation before it removes more shapes than this. */
const unaskedMax = 5

/**
 * Asks for confirmation before a person removes many shapes at once, or clears a canvas while others are in the room.
 */
export class Consent {
  #presence
  #ownTabs
  #isAsking = false

  constructor(presence: Presence, ownTabs: OwnTabs) {
    this.#presence = presence
    this.#ownTabs = ownTabs
  }

  /**
   * Asks, if that is necessary, whether all shapes may be removed.
   *
   * @param words - The text on the button that confirms.
   * @param count - A function that returns how many shapes there are now.
   * @returns Whether the person agreed. If another question is already open, the answer is no.
   */
  async mayEmpty(question: string, words: string, count: () => number): Promise<boolean> {
    return (this.#isAlone && count() <= unaskedMax) || this.#agrees(question, words, count, (shapes) => (this.#isAlone
      ? `All ${counted(shapes, 'shape')} will be gone.` : `${this.#whoIsHere} The canvas will be empty for everyone.`))
  }

  /**
   * Asks whether the shapes that were drawn after an older state may be removed, to restore that state. Doesn't ask if
   * these shapes are few.
   */
  async mayGoBack(question: string, words: string, count: () => number): Promise<boolean> {
    return count() <= unaskedMax || this.#agrees(question, words, count, (shapes) =>
      `${counted(shapes, 'shape that was', 'shapes that were')} drawn since will be gone.${this.#isAlone ? '' : ` ${this.#whoIsHere}`}`)
  }

  async #agrees(question: string, words: string, count: () => number, consequence: (shapes: number) => string) {
    if (this.#isAsking) return false
    this.#isAsking = true
    try {
      for (;;) {
        const [wasAlone, asked] = [this.#isAlone, count()]
        if (!await confirmed(question, `${consequence(asked)} You can undo it.`, words)) return false
        // The person has agreed only to what the question said. If other people have come or more shapes were drawn
        // since then, the question is asked again.
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
 * The people and a verb, as the subject of a question: `Ann is`, `Ann and Bob are`, `Ann and 1,099 others are`.
 *
 * @param unnamed how many more people are in the room without being listed
 */
function whoIs([first, ...others]: string[], unnamed: number) {
  const rest = others.length + unnamed
  if (first === undefined) return unnamed === 1 ? 'Somebody else is' : `${unnamed.toLocaleString()} others are`
  if (rest === 0) return `${within(first)} is`
  if (others.length === 1 && rest === 1) return `${within(first)} and ${within(others[0])} are`
  return `${within(first)} and ${rest === 1 ? '1 other' : `${rest.toLocaleString()} others`} are`
}
