import { Source } from '../basics/source.js'
import type { Connection } from '../network/connection.js'
import type { Shown } from './shown.js'

/**
 * Whether this person may edit the drawing. A view-only link, a view-only role, showing the past, or the deletion of
 * the room forbids it.
 * `change`: the permission has changed.
 */
export class Permission extends Source<{ change: null }> {
  #shown
  #isViewOnly
  #isDeleted = false
  /** Whether the page was opened by a view-only link. Without that, this person may be allowed to edit. */
  readonly isByLink

  constructor(connection: Connection, shown: Shown, isViewOnlyLink: boolean) {
    super()
    this.#shown = shown
    this.#isViewOnly = isViewOnlyLink
    this.isByLink = isViewOnlyLink
    connection.on('effect', (effect) => {
      if (effect.type !== 'state') return
      const [wasViewOnly, wasDeleted] = [this.#isViewOnly, this.#isDeleted]
      this.#isDeleted = effect.state === 'closed' && effect.code === 'no_such_room'
      if (effect.state === 'loading') this.#isViewOnly = isViewOnlyLink || connection.replica.status().role === 'viewer'
      if (wasViewOnly !== this.#isViewOnly || wasDeleted !== this.#isDeleted) this.tell('change', null)
    })
    shown.on('past', () => this.tell('change', null))
  }

  /** Why somebody who was drawing here may not go on. */
  get whyNot() { return this.#isDeleted ? 'This room was deleted' : 'You can only look on now' }
  get isViewOnly() { return this.#isViewOnly }
  get isDeleted() { return this.#isDeleted }
  get mayEdit() { return !this.#isViewOnly && !this.#isDeleted && !this.#shown.isPast }
}
