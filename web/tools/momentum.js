import { Source } from '../basics/source.js'
import { Coasting } from './coasting.js'
import { Gliding } from './gliding.js'
import { Held } from './held.js'
import { Nudging } from './nudging.js'

/**
 * Movement that goes on after a hand has let go: gliding shapes, coasting paper, and runs of arrow keys, each of which
 * is one step of undo. `settle` ends all movement, and must be called before any other edit. It first emits `settling`,
 * which also ends the gesture in progress: otherwise the edit would belong to that gesture's step, and be undone with
 * it.
 *
 * @extends {Source<{settling: null}>}
 */
export class Momentum extends Source {
  #reach
  #nudging
  /** @type {Gliding | null} */
  #glide = null
  /** @type {Coasting | null} */
  #coast = null

  /** @param {Pick<import('./reach.js').Reach, 'shown' | 'editing' | 'view'>} reach */
  constructor(reach) {
    super()
    this.#reach = reach
    this.#nudging = new Nudging(reach)
    reach.shown.on('changes', (changes) => this.#glide?.follow(changes))
  }

  /**
   * Lets shapes glide on. The step of undo ends when they stop.
   *
   * @param {number[]} ids @param {import('../core/types.js').Point} velocity CSS pixels a second
   * @param {import('../state/editing.js').Step} step
   */
  glide(ids, velocity, step) {
    const glide = new Gliding(this.#reach, new Held(this.#reach, ids), velocity, step)
    this.#glide = glide
    glide.on('ended', () => { if (this.#glide === glide) this.#glide = null })
    glide.start()
  }

  /**
   * The paper coasts.
   *
   * @param {import('../core/types.js').Point} velocity CSS pixels a second
   */
  coast(velocity) { this.#coast = new Coasting(this.#reach.view, velocity) }

  /**
   * Moves shapes by one press of an arrow key.
   *
   * @param {number[]} ids @param {number} dx @param {number} dy
   */
  nudge(ids, dx, dy) { this.#nudging.by(ids, dx, dy) }

  /**
   * Catches a gliding shape with the hand: everything that glides with it stops where it is.
   *
   * @param {number} id
   */
  catch(id) { if (this.#glide?.has(id)) this.#glide.stop() }

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
