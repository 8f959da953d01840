import { Source } from '../basics/source.js'

/**
 * Whether this person may edit the drawing. They may not with a view-only link or role, nor while the past is shown.
 * `change`: the permission has changed.
 *
 * @extends {Source<{change: null}>}
 */
export class Permission extends Source {
  #shown
  #isViewOnly

  /**
   * @param {import('../network/connection.js').Connection} connection
   * @param {import('./shown.js').Shown} shown
   * @param {boolean} isViewOnlyLink
   */
  constructor(connection, shown, isViewOnlyLink) {
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
