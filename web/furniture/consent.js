import { counted, within } from '../basics/words.js'

/** So few shapes can soon be drawn again. If there are more, they are not removed without a question. */
const unaskedMax = 5

/**
 * Asks for confirmation before a person empties a canvas that has more than a few shapes, or has other people on it.
 */
export class Consent {
  #presence
  #ownTabs
  #dialogs
  #isAsking = false

  /**
   * @param {import('../state/presence.js').Presence} presence @param {import('../state/own-tabs.js').OwnTabs} ownTabs
   * @param {import('../state/parts.js').LaterPart<typeof import('../elements/dialog.js')>} dialogs
   */
  constructor(presence, ownTabs, dialogs) {
    this.#presence = presence
    this.#ownTabs = ownTabs
    this.#dialogs = dialogs
  }

  /**
   * @param {string} question @param {string} words on the button that says yes @param {() => number} count how many shapes would go
   * @returns {Promise<boolean>} whether everything may go; no while somebody is being asked already, as by a second shake
   */
  async mayEmpty(question, words, count) {
    if (this.#isAlone && count() <= unaskedMax) return true
    if (this.#isAsking) return false
    this.#isAsking = true
    try {
      const dialogs = await this.#dialogs.get()
      for (;;) {
        const [wasAlone, asked] = [this.#isAlone, count()]
        if (!await dialogs?.confirmed(question, `${this.#consequence(asked)} You can undo it.`, words)) return false
        // A yes is valid only for what was asked: meanwhile other people may have come, or more shapes may have been
        // drawn.
        if (!wasAlone || (this.#isAlone && count() <= asked)) return true
      }
    } finally {
      this.#isAsking = false
    }
  }

  get #others() { return this.#presence.people().filter(({ actor }) => !this.#ownTabs.has(actor)) }

  get #isAlone() { return this.#others.length + this.#presence.unnamedCount === 0 }

  /** @param {number} count */
  #consequence(count) {
    if (this.#isAlone) return `All ${counted(count, 'shape')} will be gone.`
    const names = this.#others.map(({ name }) => name)
    return `${whoIs(names, this.#presence.unnamedCount)} here too. The canvas will be empty for everyone.`
  }
}

/**
 * The people and their verb, for the question: `Ann is`, `Ann and Bob are`, `Ann and 1,099 others are`.
 *
 * @param {string[]} names @param {number} unnamed how many there are beside them
 */
function whoIs([first, ...others], unnamed) {
  const rest = others.length + unnamed
  if (first === undefined) return unnamed === 1 ? 'Somebody else is' : `${unnamed.toLocaleString()} others are`
  if (rest === 0) return `${within(first)} is`
  if (others.length === 1 && rest === 1) return `${within(first)} and ${within(others[0])} are`
  return `${within(first)} and ${rest === 1 ? '1 other' : `${rest.toLocaleString()} others`} are`
}
