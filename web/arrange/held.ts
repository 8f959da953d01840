import { fittedNotes } from '../canvas/fitted.js'
import type { Shape } from '../core/table.js'
import type { Changes, Place } from '../core/types.js'
import type { Step } from '../state/editing.js'
import type { Reach } from './reach.js'
import { loosened } from './ties.js'

/** Whether somebody has deleted a shape that a gesture is changing. */
export function isGone({ shown }: Pick<Reach, 'shown'>, { reset, shapes }: Changes, id: number | null) {
  return id !== null && (reset ? !shown.replica.shape(id) : shapes.some((change) => change.id === id && !change.shape))
}

/**
 * Takes back a step that has made a shape. What somebody else has written to the shape would stay after that, so it is
 * deleted.
 */
export function abandonNew({ editing, shown }: Pick<Reach, 'editing' | 'shown'>, step: Step, shape: number | null) {
  step.abandon()
  if (shape !== null && shown.replica.shape(shape)) editing.edit((replica) => replica.delete([shape]))
}

/**
 * The shapes that a gesture changes, with their values at its beginning. A shape that somebody deletes is dropped,
 * because nothing may be written to a deleted shape.
 */
export class Held {
  #shown
  #editing
  #start
  /** Whether the lines have been untied from shapes that don't move with them. */
  #isLoose = false

  constructor({ shown, editing }: Pick<Reach, 'shown' | 'editing'>, ids: Iterable<number>) {
    this.#shown = shown
    this.#editing = editing
    this.#start = shown.replica.shapesOf(ids)
  }

  get isEmpty() { return this.#start.length === 0 }
  /** The shapes as they were when the gesture began. */
  get start(): Shape[] { return this.#start }
  get ids(): number[] { return this.#start.map(({ id }) => id) }
  /** The shapes as they are now. */
  get now() { return this.#shown.replica.shapesOf(this.ids) }

  follow(changes: Changes) {
    if (changes.reset) {
      this.#start = this.#start.filter(({ id }) => this.#shown.replica.shape(id))
    } else if (changes.shapes.some(({ shape }) => !shape)) {
      const gone = new Set(changes.shapes.filter(({ shape }) => !shape).map(({ id }) => id))
      this.#start = this.#start.filter(({ id }) => !gone.has(id))
    }
  }

  place(places: Place[]) {
    if (places.length === 0) return
    this.#loosen()
    this.#editing.edit((replica) => replica.place(places))
  }

  /** Fits the notes' texts to the notes' new sizes. */
  fitNotes() {
    const edits = fittedNotes(this.#start, this.now)
    if (edits.length > 0) this.#editing.edit((replica) => replica.edit(edits))
  }

  /** Unties lines from shapes that don't move with them. */
  #loosen() {
    if (this.#isLoose) return
    this.#isLoose = true
    const edits = loosened(this.#start)
    if (edits.length > 0) this.#editing.edit((replica) => replica.edit(edits))
  }
}
