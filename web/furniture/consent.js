import { within } from '../basics/words.js'

/** Asks before somebody empties a canvas on which others are. Who is alone isn't asked: it can be undone. */
export class Consent {
  #presence
  #ownTabs
  #dialogs

  /**
   * @param {import('../state/presence.js').Presence} presence @param {import('../state/own-tabs.js').OwnTabs} ownTabs
   * @param {import('../state/parts.js').LaterPart<typeof import('../elements/dialog.js')>} dialogs
   */
  constructor(presence, ownTabs, dialogs) {
    this.#presence = presence
    this.#ownTabs = ownTabs
    this.#dialogs = dialogs
  }

  /** @returns {Promise<boolean>} whether everything may go into the black hole */
  async toSwallowAll() {
    const others = this.#presence.people().filter(({ actor }) => !this.#ownTabs.has(actor))
    if (others.length === 0) return true
    const rest = others.length - 1
    const who = rest === 0 ? `${within(others[0].name)} is`
      : `${within(others[0].name)} and ${rest === 1 ? within(others[1].name) : `${rest} others`} are`
    const dialogs = await this.#dialogs.get()
    return await dialogs?.confirmed('Drop everything into the black hole?',
      `${who} here too. The canvas will be empty for everyone. You can undo it.`, 'Drop everything') ?? false
  }
}
