import { sentence } from '../basics/words.js'

/** @typedef {import('../core/types.js').Effect} Effect */

const viewOnlyWords = 'This link is view-only. Ask for a link that lets you draw.'
const pastWords = 'You’re looking at the past. Restore it, or close the history, to keep drawing.'

/** The way to edit the drawing: carries out what an edit asks for, and says why where it can't be done. */
export class Editing {
  #connection
  #shown
  #permission
  #notices
  #frames

  /**
   * @param {{connection: import('../network/connection.js').Connection, shown: import('./shown.js').Shown,
   *   permission: import('./permission.js').Permission, notices: import('./notices.js').Notices,
   *   frames: import('./frames.js').Frames}} parts
   */
  constructor({ connection, shown, permission, notices, frames }) {
    this.#connection = connection
    this.#shown = shown
    this.#permission = permission
    this.#notices = notices
    this.#frames = frames
  }

  /**
   * Edits, and carries out what follows. An edit that fails becomes a notice.
   *
   * @template {Effect[] | {effects: Effect[]} | undefined} T
   * @param {(replica: import('../core/replica.js').Replica) => T} change returns effects, or an object that has them
   * @returns {T | undefined}
   */
  edit(change) {
    if (!this.#permission.mayEdit) {
      this.#notices.say(this.#shown.isPast ? pastWords : viewOnlyWords, { kind: 'refused' })
      return undefined
    }
    try {
      const done = change(this.#connection.replica)
      const effects = Array.isArray(done) ? done : done?.effects
      if (effects) this.#connection.perform(effects)
      this.#frames.request()
      return done
    } catch (error) {
      this.#notices.say(sentence(error instanceof Error ? error.message : String(error)), { kind: 'refused' })
      return undefined
    }
  }

  /**
   * Makes all edits within one step to undo.
   *
   * @template T @param {() => T} edits @returns {T}
   */
  group(edits) {
    this.beginGroup()
    try {
      return edits()
    } finally {
      this.endGroup()
    }
  }

  beginGroup() { this.#connection.replica.beginGroup() }
  endGroup() { this.#connection.replica.endGroup() }
}
