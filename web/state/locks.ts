import { counted } from '../basics/words.js'
import type { Editing } from './editing.js'
import { mentionOf } from './labels.js'
import type { Notices } from './notices.js'
import type { Shown } from './shown.js'

/**
 * Knows which shapes are locked. Clicks go through locked shapes, and actions that would change them are refused with a
 * notice (S12).
 */
export class Locks {
  #shown
  #editing
  #notices
  #locked = new Set<number>()
  /** The shapes of which the notice says that they are locked. */
  #told: number[] = []

  constructor({ shown, editing, notices }: { shown: Shown, editing: Editing, notices: Notices }) {
    this.#shown = shown
    this.#editing = editing
    this.#notices = notices
    shown.on('changes', ({ reset, shapes }) => {
      if (reset) this.#locked.clear()
      for (const { id, shape } of shapes) {
        if (shape?.locked) this.#locked.add(id)
        else this.#locked.delete(id)
      }
      if (this.#told.length > 0 && !this.hasAny(this.#told)) {
        this.#told = []
        notices.withdraw('locked')
      }
    })
  }

  has(id: number) { return this.#locked.has(id) }

  hasAny(ids: number[]) { return ids.some((id) => this.has(id)) }

  /**
   * If any of these shapes is locked, shows a notice with a button that unlocks them.
   *
   * @returns whether any is locked
   */
  refuse(ids: number[]): boolean {
    const locked = ids.filter((id) => this.has(id))
    if (locked.length === 0) return false
    this.#told = locked
    const who = locked.length === 1 ? `${mentionOf(this.#shown.replica, locked[0])} is` : `${counted(locked.length, 'shape')} are`
    this.#notices.say(`${who} locked.`, {
      kind: 'refused', group: 'locked', action: { words: 'Unlock', run: () => this.set(locked.filter((id) => this.has(id)), false) },
    })
    return true
  }

  set(ids: number[], locked: boolean) {
    this.#notices.withdraw('locked')
    if (ids.length === 0) return
    return this.#editing.edit((replica) => replica.edit(ids.map((shape) => ({ shape, set: { locked } }))))
  }
}
