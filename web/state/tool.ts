import { Source } from '../basics/source.js'
import type { Permission } from './permission.js'

/** The name of the current tool, one of `tools/toolbox.ts`. `change`: another tool was chosen. */
export class Tool extends Source<{ change: string }> {
  #permission
  #name = 'select'

  constructor(permission: Permission) {
    super()
    this.#permission = permission
    permission.on('change', () => { if (permission.isViewOnly) this.choose('select') })
  }

  get name() { return this.#name }

  /** @param name of the tool; a person without the right to edit can't choose a drawing tool */
  choose(name: string) {
    if (this.#permission.isViewOnly && name !== 'select' && name !== 'hand') return
    if (this.#name === name) return
    this.#name = name
    this.tell('change', name)
  }
}
