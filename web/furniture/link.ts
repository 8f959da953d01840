import { element } from '../elements/element.js'
import { roomLink } from '../network/address.js'
import type { Notices } from '../state/notices.js'
import type { LaterPart } from '../state/parts.js'

/** The link to the room, which this person can give to others. */
export class Link {
  #room
  #notices
  #dialogs

  constructor(room: string, notices: Notices, dialogs: LaterPart<typeof import('../elements/dialog.js')>) {
    this.#room = room
    this.#notices = notices
    this.#dialogs = dialogs
  }

  async copy(isViewOnly: boolean) {
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
