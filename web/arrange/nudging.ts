import type { Step } from '../state/editing.js'
import { Held } from './held.js'
import type { Reach } from './reach.js'
import { moved } from './transform.js'

/** In milliseconds: presses of arrow keys with shorter pauses than this are one step of undo. */
const pauseMax = 600

/** Moves shapes when arrow keys are pressed. */
export class Nudging {
  #reach
  #timer = 0
  #step: Step | null = null

  constructor(reach: Pick<Reach, 'shown' | 'editing'>) { this.#reach = reach }

  by(ids: number[], dx: number, dy: number) {
    const held = new Held(this.#reach, ids)
    if (held.isEmpty) return
    // An undo ends the step.
    if (!this.#step?.isOpen) this.#step = this.#reach.editing.openStep()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.end(), pauseMax)
    held.place(moved(held.start, dx, dy))
  }

  end() {
    clearTimeout(this.#timer)
    this.#step?.end()
    this.#step = null
  }
}
