import { element, isWithin } from '../elements/element.js'
import type { LaterPart } from '../state/parts.js'
import type { Permission } from '../state/permission.js'
import type { Files } from './files.js'

/** Accepts files and text that are dropped on the page. */
export class Drop {
  #veil = element('div', { class: 'drop-veil', hidden: true }, element('p', { class: 'floating' }, 'Drop to import'))

  constructor(permission: Permission, files: LaterPart<Files>) {
    document.body.append(this.#veil)
    addEventListener('dragover', (event) => {
      this.#veil.hidden = !hasFile(event) || !permission.mayEdit
      if (hasFile(event)) event.preventDefault()
    })
    // `relatedTarget` is where the drag goes on. There is nothing outside of the page, or if the drag ends.
    addEventListener('dragleave', ({ relatedTarget }) => { if (!relatedTarget) this.#end() })
    addEventListener('dragend', () => this.#end())
    addEventListener('drop', async (event) => {
      this.#end()
      if (!hasFile(event)) return
      event.preventDefault()
      // This must be read during the event, because the browser doesn't give access to it later.
      const dropped = [...event.dataTransfer?.files ?? []]
      const text = event.dataTransfer?.getData('text/plain') ?? ''
      const reader = await files.get()
      if (dropped.length > 0) reader?.take(dropped)
      else reader?.read(text)
    })
  }

  #end() { this.#veil.hidden = true }
}

/** Whether the page handles the drop. It handles files everywhere, and text unless a text field would take it. */
const hasFile = ({ dataTransfer, target }: DragEvent) =>
  [...dataTransfer?.types ?? []].some((type) => type === 'Files' || (type === 'text/plain' && !isWithin(target, 'input, textarea')))
