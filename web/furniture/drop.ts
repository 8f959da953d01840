import { element, isWithin } from '../elements/element.js'
import type { LaterPart } from '../state/parts.js'
import type { Permission } from '../state/permission.js'
import type { Files } from './files.js'

/** Takes files and text that are dropped on the page, and passes them on so that drawings are read from them. */
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
      // Dropped data can be read only during the event, so it is read now.
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

/**
 * Whether the drop is for the page. Files always are. Text is too, unless it is dropped on a field, which takes the
 * text itself.
 */
const hasFile = ({ dataTransfer, target }: DragEvent) =>
  [...dataTransfer?.types ?? []].some((type) => type === 'Files' || (type === 'text/plain' && !isWithin(target, 'input, textarea')))
