import { counted } from '../basics/words.js'

/**
 * Knows which shapes are locked. Pointers pass through locked shapes, and actions that would change them are refused
 * with a notice (S12).
 */
export class Locks {
  #shown
  #editing
  #notices
  /** @type {Set<number>} */
  #locked = new Set()

  /**
   * @param {{shown: import('./shown.js').Shown, editing: import('./editing.js').Editing,
   *   notices: import('./notices.js').Notices}} parts
   */
  constructor({ shown, editing, notices }) {
    this.#shown = shown
    this.#editing = editing
    this.#notices = notices
    shown.on('changes', ({ reset, shapes }) => {
      if (reset) this.#locked.clear()
      for (const { id, shape } of shapes) {
        if (shape?.locked) this.#locked.add(id)
        else this.#locked.delete(id)
      }
    })
  }

  /** @param {number} id */
  has(id) { return this.#locked.has(id) }

  /** @param {number[]} ids */
  hasAny(ids) { return ids.some((id) => this.has(id)) }

  /**
   * If any of these shapes is locked, shows a notice and offers to unlock them.
   *
   * @param {number[]} ids @returns {boolean}
   */
  refuse(ids) {
    const locked = ids.filter((id) => this.has(id))
    if (locked.length === 0) return false
    const who = locked.length === 1 ? `${this.#shown.replica.shownName(locked[0])} is` : `${counted(locked.length, 'shape')} are`
    this.#notices.say(`${who} locked.`, {
      kind: 'refused', group: 'locked', action: { words: 'Unlock', run: () => this.set(locked, false) },
    })
    return true
  }

  /** @param {number[]} ids @param {boolean} locked */
  set(ids, locked) {
    this.#notices.withdraw('locked')
    return this.#editing.edit((replica) => replica.edit(ids.map((shape) => ({ shape, set: { locked } }))))
  }
}
