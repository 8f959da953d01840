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
 * An open step of undo: all edits until its end belong to it. The code that opened it must end or abandon it.
 * Abandoning reverts everything, including the effect on Redo. If the step has ended already, `end` and `abandon` do
 * nothing. `edits`: the number of edits in the step.
 */
export type Step = { readonly isOpen: boolean, edits: number, end: () => void, abandon: () => void }

const viewOnlyWords = 'This link is view-only. Ask for a link that lets you draw.'
export const nameWords = 'This name can’t be taken: it’s too long, or has characters that can’t be seen.'
const pastWords = 'You’re looking at the past. Restore it, or close the history, to keep drawing.'

/**
 * Edits the drawing: carries out the effects of an edit, and tells the person if an edit isn't possible. `edited`: an
 * edit was made. `stepping`: the next edit undoes or redoes a step.
 */
export class Editing extends Source<{ edited: null, stepping: 'undo' | 'redo' }> {
  #connection
  #shown
  #permission
  #notices
  #frames
  /** The open step, or null. */
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
   * Makes an edit, and carries out its effects. Shows a notice if the edit fails.
   *
   * @param change returns effects, or an object that contains them
   * @returns what `change` returned; undefined if the edit failed
   */
  edit<T extends Effect[] | { effects: Effect[] } | undefined>(change: (replica: Replica) => T): T | undefined {
    if (this.refuses()) return undefined
    try {
      const done = change(this.#connection.replica)
      if (this.#step) this.#step.edits += 1
      const effects = Array.isArray(done) ? done : done?.effects
      if (effects) this.#connection.perform(effects)
      this.#frames.request()
      this.tell('edited', null)
      return done
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      // Fields keep most values within their bounds, but a browser counts a name's characters, and the core its bytes.
      this.#notices.say(why.startsWith('name ') ? nameWords : sentence(why), { kind: 'refused' })
      return undefined
    }
  }

  /** Makes an edit. Returns whether nothing refused the values. */
  write(change: (replica: Replica) => Effect[]): boolean {
    const effects = this.edit(change)
    return effects !== undefined && !effects.some(({ type }) => type === 'rejected')
  }

  /** Whether the person may not edit now. Then a notice says why. */
  refuses(): boolean {
    if (this.#permission.mayEdit) return false
    const { isByLink, isDeleted, whyNot } = this.#permission
    const words = this.#shown.isPast ? pastWords : isByLink && !isDeleted ? viewOnlyWords : `${whyNot}.`
    this.#notices.say(words, { kind: 'refused' })
    return true
  }

  /**
   * @param onlyNewest as for the replica
   * @returns as `edit`
   */
  undo(onlyNewest = false) { return this.#stepBack('undo', (replica) => replica.undo(onlyNewest), onlyNewest) }

  /** @returns as `edit` */
  redo() { return this.#stepBack('redo', (replica) => replica.redo()) }

  /**
   * Undoes or redoes a step. If others have changed everything that the step wrote, or its shapes are locked, nothing
   * changes, and a notice says so.
   */
  #stepBack(what: 'undo' | 'redo', change: (replica: Replica) => Effect[], onlyNewest = false) {
    this.endStep()
    const { replica } = this.#connection
    const { digest } = replica
    const isLeft = (step: 'undo' | 'redo') => (step === 'undo' ? replica.canUndo : replica.canRedo)
    const isThere = isLeft(what)
    if (isThere) this.tell('stepping', what)
    const done = this.edit(change)
    if (done !== undefined && replica.digest === digest) {
      // The replica drops a step that others have overwritten. It moves a step that looks the same before and after, and
      // leaves one whose shapes are locked.
      const why = isLeft(what) && !onlyNewest ? ': what it would change is locked'
        : isLeft(what === 'undo' ? 'redo' : 'undo') ? '' : ': others have changed it since'
      this.#notices.say(isThere ? `Nothing left to ${what}${why}.` : `Nothing to ${what}.`, { group: 'undo' })
    } else this.#notices.withdraw('undo')
    return done
  }

  /**
   * Tells the person what the newest step did, and offers to undo it, and none before it. The notice is withdrawn at the
   * next edit, because Undo would then revert that edit, and if an edit is refused, because the newest step can be an
   * older one then.
   */
  sayUndoable(text: string, group: string = text) {
    this.#notices.say(text, { group, action: { words: 'Undo', run: () => this.undo(true) } })
    const end = () => {
      for (const stop of stops) stop()
      this.#notices.withdraw(group)
    }
    const stops = [
      this.on('edited', end), this.#connection.on('effect', ({ type }) => { if (type === 'rejected') end() }),
    ]
  }

  /** Makes all edits within one step of undo: the open one, or else a new one. */
  group<T>(edits: () => T): T {
    if (this.#step) return edits()
    const step = this.openStep()
    try {
      return edits()
    } finally {
      step.end()
    }
  }

  /**
   * Runs what opens a step of undo or goes on with it. If that fails, the open step ends: nobody else might end it, and
   * all later edits would belong to it.
   */
  guard<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      this.endStep()
      throw error
    }
  }

  /** Ends the open step of undo, if there is one. */
  endStep() { this.#step?.end() }

  /** Opens a step of undo. If another one is open, that one ends. */
  openStep(): Step {
    this.endStep()
    const { replica } = this.#connection
    replica.beginGroup()
    const isOpen = () => this.#step === step
    const step: Step = {
      get isOpen() { return isOpen() },
      edits: 0,
      end: () => {
        if (!isOpen()) return
        this.#step = null
        replica.endGroup()
      },
      abandon: () => {
        if (!isOpen()) return
        this.#step = null
        // A person who has lost the right to edit can't revert the edits of this step. So these edits remain, as one
        // step of undo.
        if (this.#permission.mayEdit) this.edit((live) => live.abandonStep())
        else replica.endGroup()
      },
    }
    this.#step = step
    return step
  }
}
