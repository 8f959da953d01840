import { element } from '../elements/element.js'

/** Takes what is dropped on the page to where drawings are read. */
export class Drop {
  #veil = element('div', { class: 'drop-veil', hidden: true }, element('p', { class: 'floating' }, 'Drop it here'))
  #depth = 0

  /** @param {import('../state/app.js').App} app @param {() => Promise<import('./files.js').Files | null>} exchange */
  constructor(app, exchange) {
    document.body.append(this.#veil)
    const hasFile = (event) => [...event.dataTransfer?.types ?? []].some((type) => type === 'Files' || type === 'text/plain')
    addEventListener('dragenter', (event) => {
      if (!hasFile(event)) return
      this.#depth += 1
      this.#veil.hidden = app.viewOnly || app.isPast
    })
    addEventListener('dragleave', (event) => {
      if (hasFile(event) && --this.#depth <= 0) this.#end()
    })
    addEventListener('dragover', (event) => {
      if (hasFile(event)) event.preventDefault()
    })
    addEventListener('drop', (event) => {
      this.#end()
      if (!hasFile(event)) return
      event.preventDefault()
      // What is dropped is there for as long as the event is.
      const files = [...event.dataTransfer.files]
      const text = event.dataTransfer.getData('text/plain')
      exchange().then((exchange) => {
        if (files.length > 0) exchange?.take(files)
        else exchange?.read(text, 'What you dropped')
      })
    })
  }

  #end() {
    this.#depth = 0
    this.#veil.hidden = true
  }
}
