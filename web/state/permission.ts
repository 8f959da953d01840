import { Source } from '../basics/source.js'
import type { Connection } from '../network/connection.js'
import type { Shown } from './shown.js'

/**
 * Whether this person may edit the drawing. A view-only link, a view-only role, or showing the past forbids it.
 * `change`: the permission has changed.
 */
export class Permission extends Source<{ change: null }> {
  #shown
  #isViewOnly

  constructor(connection: Connection, shown: Shown, isViewOnlyLink: boolean) {
    super()
    this.#shown = shown
    this.#isViewOnly = isViewOnlyLink
    connection.on('effect', (effect) => {
      if (effect.type !== 'state' || effect.state !== 'loading') return
      const isViewOnly = isViewOnlyLink || connection.replica.status().role === 'viewer'
      if (isViewOnly === this.#isViewOnly) return
      this.#isViewOnly = isViewOnly
      this.tell('change', null)
    })
    shown.on('past', () => this.tell('change', null))
  }

  get isViewOnly() { return this.#isViewOnly }
  get mayEdit() { return !this.#isViewOnly && !this.#shown.isPast }
}
