import { Source } from '../basics/source.js'
import type { Permission } from './permission.js'

/** The tools that change nothing, so a person without the right to edit has them too. */
const harmless = ['select', 'hand', 'laser']

/** The name of the current tool, one of `tools/toolbox.ts`. `change`: another tool was chosen. */
export class Tool extends Source<{ change: string }> {
  #permission
  #name = 'select'

  constructor(permission: Permission) {
    super()
    this.#permission = permission
    permission.on('change', () => { if (permission.isViewOnly && !harmless.includes(this.#name)) this.choose('select') })
  }

  get name() { return this.#name }

  /** @param name of the tool; a person without the right to edit can't choose a drawing tool */
  choose(name: string) {
    if (this.#permission.isViewOnly && !harmless.includes(name)) return
    if (this.#name === name) return
    this.#name = name
    this.tell('change', name)
  }
}
