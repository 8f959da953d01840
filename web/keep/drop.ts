import { element, isWithin } from '../elements/element.js'
import type { LaterPart } from '../state/parts.js'
import type { Permission } from '../state/permission.js'
import type { Files } from './files.js'

/** Accepts files and text that are dropped on the page. */
export class Drop {
  #veil = element('div', { class: 'drop-veil', hidden: true }, element('p', { class: 'floating' }, 'Drop to import'))
  #depth = 0

  constructor(permission: Permission, files: LaterPart<Files>) {
    document.body.append(this.#veil)
    addEventListener('dragenter', (event) => {
      if (!hasFile(event)) return
      this.#depth += 1
      this.#veil.hidden = !permission.mayEdit
    })
    addEventListener('dragleave', (event) => {
      if (hasFile(event) && --this.#depth <= 0) this.#end()
    })
    addEventListener('dragover', (event) => {
      if (hasFile(event)) event.preventDefault()
    })
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

  #end() {
    this.#depth = 0
    this.#veil.hidden = true
  }
}

/** Whether the page handles the drop. It handles files everywhere, and text unless a text field would take it. */
const hasFile = ({ dataTransfer, target }: DragEvent) =>
  [...dataTransfer?.types ?? []].some((type) => type === 'Files' || (type === 'text/plain' && !isWithin(target, 'input, textarea')))
