import { element } from '../elements/element.js'
import { roomLink } from '../network/address.js'

/** The link to the room, which this person can give to others. */
export class Link {
  #room
  #notices
  #dialogs

  /**
   * @param {string} room @param {import('../state/notices.js').Notices} notices
   * @param {import('../state/parts.js').LaterPart<typeof import('../elements/dialog.js')>} dialogs
   */
  constructor(room, notices, dialogs) {
    this.#room = room
    this.#notices = notices
    this.#dialogs = dialogs
  }

  /** @param {boolean} isViewOnly */
  async copy(isViewOnly) {
    const link = roomLink(this.#room, isViewOnly)
    try {
      await navigator.clipboard.writeText(link)
      this.#notices.say(isViewOnly ? 'View-only link copied.' : 'Link copied.', { group: 'link' })
    } catch {
      // If the browser doesn't let the page write to the clipboard, because the page isn't served securely, people copy
      // the link from a field.
      const field = element('input', { class: 'field', value: link, readonly: true, 'aria-label': 'Link to this room' })
      const dialogs = await this.#dialogs.get()
      dialogs?.openDialog('Link to this room', field)
      field.select()
    }
  }
}
