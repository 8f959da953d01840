import { Source } from '../basics/source.js'
import type { Point } from '../core/types.js'
import type { Step } from '../state/editing.js'
import { Coasting } from './coasting.js'
import { Gliding } from './gliding.js'
import { Held } from './held.js'
import { Nudging } from './nudging.js'
import type { Reach } from './reach.js'

/**
 * Movement that goes on after a hand has let go: gliding shapes, coasting paper, and runs of arrow keys, each of which
 * is one step of undo. `settle` ends all movement, and must be called before any other edit. It first emits `settling`,
 * which also ends the gesture in progress: otherwise the edit would belong to that gesture's step, and be undone with
 * it.
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
   * @param velocity CSS pixels a second
   */
  glide(ids: number[], velocity: Point, step: Step) {
    const glide = new Gliding(this.#reach, new Held(this.#reach, ids), velocity, step)
    this.#glide = glide
    glide.on('ended', () => { if (this.#glide === glide) this.#glide = null })
    glide.start()
  }

  /**
   * The paper coasts.
   *
   * @param velocity CSS pixels a second
   */
  coast(velocity: Point) { this.#coast = new Coasting(this.#reach.view, velocity) }

  /** Moves shapes by one press of an arrow key. */
  nudge(ids: number[], dx: number, dy: number) { this.#nudging.by(ids, dx, dy) }

  /** Catches a gliding shape with the hand: everything that glides with it stops where it is. */
  catch(id: number) { if (this.#glide?.has(id)) this.#glide.stop() }

  stopCoasting() { this.#coast?.stop() }

  /** Moves gliding shapes to where their glide would have ended. */
  settleGlide() { this.#glide?.land() }

  /** Ends all movement at once, and with it the steps of undo. */
  settle() {
    this.tell('settling', null)
    this.settleGlide()
    this.#nudging.end()
    this.stopCoasting()
  }
}
