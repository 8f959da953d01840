import { Source } from '../basics/source.js'
import type { Point } from '../core/types.js'
import type { Step } from '../state/editing.js'
import { Coasting } from './coasting.js'
import { Gliding } from './gliding.js'
import { Held } from './held.js'
import { Nudging } from './nudging.js'
import type { Reach } from './reach.js'

/**
 * Movements that go on after a gesture: gliding shapes, the coasting canvas, and consecutive presses of arrow keys.
 * `settle` ends all of these movements. It must be called before any other edit, because that edit would otherwise
 * belong to their step of undo. `settling`: the gesture in progress has to end too.
 */
export class Momentum extends Source<{ settling: null }> {
  #reach
  #nudging
  #glide: Gliding | null = null
  #coast: Coasting | null = null

  constructor(reach: Pick<Reach, 'shown' | 'editing' | 'view'>) {
    super()
    this.#reach = reach
    this.#nudging = new Nudging(reach)
    reach.shown.on('changes', (changes) => this.#glide?.follow(changes))
  }

  /**
   * Lets shapes glide on. The step of undo ends when they stop.
   *
   * @param velocity in CSS pixels a second
   */
  glide(ids: number[], velocity: Point, step: Step) {
    const glide = new Gliding(this.#reach, new Held(this.#reach, ids), velocity, step)
    this.#glide = glide
    glide.on('ended', () => { if (this.#glide === glide) this.#glide = null })
    glide.start()
  }

  /**
   * Lets the canvas coast.
   *
   * @param velocity in CSS pixels a second
   */
  coast(velocity: Point) { this.#coast = new Coasting(this.#reach.view, velocity) }

  /** Moves shapes by an arrow key. */
  nudge(ids: number[], dx: number, dy: number) { this.#nudging.by(ids, dx, dy) }

  /** Stops the glide if this shape is gliding, because the person has grabbed the shape. */
  catch(id: number) { if (this.#glide?.has(id)) this.#glide.stop() }

  stopCoasting() { this.#coast?.stop() }

  /** Moves gliding shapes to where the glide would end. */
  settleGlide() { this.#glide?.land() }

  /** Ends all movements at once, and closes their undo steps. */
  settle() {
    this.tell('settling', null)
    this.settleGlide()
    this.#nudging.end()
    this.stopCoasting()
  }

  /**
   * Like `settle`, for an edit that comes after a wait. Meanwhile the person may have begun to write in a new shape, and
   * the edit would belong to that shape's step of undo.
   */
  settleAll() {
    this.settle()
    this.#reach.editing.endStep()
  }
}
