import { Source } from '../basics/source.js'

/**
 * The current tool: `select`, `hand`, or the kind of shape that a drag draws. `change`: another tool is chosen.
 *
 * @extends {Source<{change: string}>}
 */
export class Tool extends Source {
  #permission
  #name = 'select'

  /** @param {import('./permission.js').Permission} permission */
  constructor(permission) {
    super()
    this.#permission = permission
    permission.on('change', () => { if (permission.isViewOnly) this.choose('select') })
  }

  get name() { return this.#name }

  /** @param {string} name of the tool; without the right to edit, only those that don't draw */
  choose(name) {
    if (this.#permission.isViewOnly && name !== 'select' && name !== 'hand') return
    if (this.#name === name) return
    this.#name = name
    this.tell('change', name)
  }
}
