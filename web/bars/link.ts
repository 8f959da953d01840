import { openDialog } from '../elements/dialog.js'
import { element } from '../elements/element.js'
import { hasToken, roomLink } from '../network/address.js'
import type { Notices } from '../state/notices.js'

/** What a view-only link doesn't do. The server holds only what a viewer's token allows. */
export const viewOnlyHint = () => (hasToken()
  ? 'Others need a token too. Only a viewer’s token keeps them from editing.'
  : 'Anyone who removes “?view” from the address can edit.')

/** The button that copies a link to the room, so that the person can invite others. */
export class Link {
  #room
  #notices

  constructor(room: string, notices: Notices) {
    this.#room = room
    this.#notices = notices
  }

  async copy(isViewOnly: boolean) {
    const link = roomLink(this.#room, isViewOnly)
    try {
      await navigator.clipboard.writeText(link)
      this.#notices.say(isViewOnly ? 'View-only link copied.' : 'Link copied.', { group: 'link' })
    } catch {
      // The browser refuses access to the clipboard, for example on a page without HTTPS. So the link is shown in a
      // field, and people can copy it from there.
      const field = element('input', { class: 'field', value: link, readonly: true, 'aria-label': 'Link to this room' })
      openDialog('Link to this room', element('div', {}, field, isViewOnly && element('p', { class: 'small-text quiet' }, viewOnlyHint())))
      field.select()
    }
  }
}
