import { counted, within } from '../basics/words.js'

/** This few shapes can soon be drawn again. More than this are not removed without a question. */
const unaskedMax = 5

/** Asks before somebody empties a canvas with more than a few shapes, or with other people on it. */
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
   * @param {string} question @param {string} words on the button that says yes @param {number} count how many shapes would go
   * @returns {Promise<boolean>} whether everything may be removed; false if a question is already open, for example
   * after a second shake
   */
  async mayEmpty(question, words, count) {
    const others = this.#presence.people().filter(({ actor }) => !this.#ownTabs.has(actor))
    const unnamed = this.#presence.unnamedCount
    const isAlone = others.length + unnamed === 0
    if (isAlone && count <= unaskedMax) return true
    if (this.#isAsking) return false
    this.#isAsking = true
    try {
      const dialogs = await this.#dialogs.get()
      const what = isAlone ? `All ${counted(count, 'shape')} will be gone.`
        : `${whoIs(others.map(({ name }) => name), unnamed)} here too. The canvas will be empty for everyone.`
      return await dialogs?.confirmed(question, `${what} You can undo it.`, words) ?? false
    } finally {
      this.#isAsking = false
    }
  }
}

/**
 * `Ann is`, `Ann and Bob are`, `Ann and 1,099 others are`
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
