import { fittedNotes } from '../canvas/fitted.js'
import type { Shape } from '../core/table.js'
import type { Changes, Place } from '../core/types.js'
import type { Step } from '../state/editing.js'
import type { Reach } from './reach.js'
import { loosened } from './ties.js'

/** The shape that a gesture changes; null once somebody has deleted or locked the shape. */
export const stillFree = ({ shown }: Pick<Reach, 'shown'>, id: number | null) =>
  id !== null && shown.replica.shape(id)?.locked === false ? id : null

/**
 * Takes back a step that has made shapes. What somebody else has written to them would stay after that, so they are
 * deleted first, within the step.
 */
export function abandonNew({ editing, shown }: Pick<Reach, 'editing' | 'shown'>, step: Step, shapes: number[]) {
  const left = shown.replica.shapesOf(shapes).map(({ id }) => id)
  if (left.length > 0) editing.edit((replica) => replica.delete(left))
  step.abandon()
}

/**
 * The shapes that a gesture changes, with their values at its beginning. A shape that somebody deletes or locks is
 * dropped, because a gesture may not change it any more. That can also happen between the press and the first movement.
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
    this.#start = shown.replica.shapesOf(ids).filter(({ locked }) => !locked)
  }

  get isEmpty() { return this.#start.length === 0 }
  /** The shapes as they were when the gesture began. */
  get start(): Shape[] { return this.#start }
  get ids(): number[] { return this.#start.map(({ id }) => id) }
  /** See `Act.inHand`. */
  get inHand() { return { held: this.ids, tied: [] } }
  /** The shapes as they are now. */
  get now() { return this.#shown.replica.shapesOf(this.ids) }

  follow(changes: Changes) {
    if (!changes.reset && !changes.shapes.some(({ shape }) => !shape || shape.locked)) return
    const kept = new Set(this.now.filter(({ locked }) => !locked).map(({ id }) => id))
    this.#start = this.#start.filter(({ id }) => kept.has(id))
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
