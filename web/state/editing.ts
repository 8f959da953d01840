import { Source } from '../basics/source.js'
import { sentence } from '../basics/words.js'
import type { Replica } from '../core/replica.js'
import type { Effect } from '../core/types.js'
import type { Connection } from '../network/connection.js'
import type { Frames } from './frames.js'
import type { Notices } from './notices.js'
import type { Permission } from './permission.js'
import type { Shown } from './shown.js'

/**
 * A step of undo that is open: all edits until its end belong to it. The code that opened the step either ends or
 * abandons it. If it is abandoned, then everything is as if it had never begun, Redo included. Once the step has ended,
 * ending or abandoning it again does nothing. `edits`: how many edits the step has.
 */
export type Step = { edits: number, end: () => void, abandon: () => void }

const viewOnlyWords = 'This link is view-only. Ask for a link that lets you draw.'
const pastWords = 'You’re looking at the past. Restore it, or close the history, to keep drawing.'

/**
 * The way to edit the drawing: carries out the effects of an edit, and tells the person why an edit isn't possible.
 * `edited`: an edit was made.
 */
export class Editing extends Source<{ edited: null }> {
  #connection
  #shown
  #permission
  #notices
  #frames
  /** The one that is open. */
  #step: Step | null = null

  constructor({ connection, shown, permission, notices, frames }: {
    connection: Connection, shown: Shown, permission: Permission, notices: Notices, frames: Frames,
  }) {
    super()
    this.#connection = connection
    this.#shown = shown
    this.#permission = permission
    this.#notices = notices
    this.#frames = frames
  }

  /**
   * Makes an edit, and carries out its effects. A failed edit is reported by a notice.
   *
   * @param change returns effects, or an object that has them
   */
  edit<T extends Effect[] | { effects: Effect[] } | undefined>(change: (replica: Replica) => T): T | undefined {
    if (!this.#permission.mayEdit) {
      this.#notices.say(this.#shown.isPast ? pastWords : viewOnlyWords, { kind: 'refused' })
      return undefined
    }
    try {
      const done = change(this.#connection.replica)
      if (this.#step) this.#step.edits += 1
      const effects = Array.isArray(done) ? done : done?.effects
      if (effects) this.#connection.perform(effects)
      this.#frames.request()
      this.tell('edited', null)
      return done
    } catch (error) {
      this.#notices.say(sentence(error instanceof Error ? error.message : String(error)), { kind: 'refused' })
      return undefined
    }
  }

  /** @returns what the edit returned */
  undo() { return this.#stepBack('undo', (replica) => replica.undo()) }

  /** @returns what the edit returned */
  redo() { return this.#stepBack('redo', (replica) => replica.redo()) }

  /**
   * If others have since changed everything that a step wrote, undoing the step changes nothing, and the person is told
   * so.
   */
  #stepBack(what: 'undo' | 'redo', change: (replica: Replica) => Effect[]) {
    this.#step?.end()
    const { replica } = this.#connection
    const { digest } = replica
    const isThere = what === 'undo' ? replica.canUndo : replica.canRedo
    const done = this.edit(change)
    if (done !== undefined && replica.digest === digest) {
      this.#notices.say(isThere ? `Nothing left to ${what}: others have changed it since.` : `Nothing to ${what}.`, {
        group: 'undo',
      })
    } else this.#notices.withdraw('undo')
    return done
  }

  /**
   * Tells the person what the newest step did, and offers to undo it. The next edit withdraws the notice, because its
   * button would then undo that edit.
   */
  sayUndoable(text: string, group: string = text) {
    this.#notices.say(text, { group, action: { words: 'Undo', run: () => this.undo() } })
    const stop = this.on('edited', () => {
      stop()
      this.#notices.withdraw(group)
    })
  }

  /** Makes all edits within one step of undo: within the open step, or else within a new one. */
  group<T>(edits: () => T): T {
    if (this.#step) return edits()
    const step = this.openStep()
    try {
      return edits()
    } finally {
      step.end()
    }
  }

  /** Opens a step of undo. Only one can be open: a step that is still open ends here. */
  openStep(): Step {
    this.#step?.end()
    const { replica } = this.#connection
    replica.beginGroup()
    const step = {
      edits: 0,
      end: () => {
        if (this.#step !== step) return
        this.#step = null
        replica.endGroup()
      },
      abandon: () => {
        if (this.#step !== step) return
        this.#step = null
        // A person who has lost the right to edit can't revert the edits any more. The edits stay, as a step of their
        // own.
        if (this.#permission.mayEdit) this.edit((live) => live.abandonStep())
        else replica.endGroup()
      },
    }
    this.#step = step
    return step
  }
}
