import { frameOf } from '../canvas/frames.js'
import { isMotionReduced } from '../canvas/motion.js'
import type { Changes, Frame } from '../core/types.js'
import type { Drag } from '../gestures/recogniser.js'
import { abandonNew, Held } from './held.js'
import type { ActReach } from './reach.js'
import { Snapping } from './snapping.js'
import { moved, straightened, wayOnGrid } from './transform.js'

/** In CSS pixels a second: shapes glide on only if they are dropped at this speed or more. */
const flingSpeedMin = 350

/**
 * Moves shapes by dragging, or copies of them while Alt is held. Shapes that are dropped at a high speed glide on.
 * Shapes that are dropped over the black hole are deleted. All of this is one step of undo.
 */
export class Moving {
  #reach
  #held
  #origin
  #isLifted
  #snapping
  #isOver = false
  /** The copies that the gesture has made. */
  #copies: number[] = []
  #last: [number, number] = [0, 0]
  readonly step

  constructor(
    reach: Pick<ActReach,
      'documents' | 'duplicating' | 'editing' | 'hole' | 'lifting' | 'momentum' | 'overlay' | 'play' | 'scene' | 'shown'
      | 'view'>,
    gesture: Drag, ids: number[],
  ) {
    this.#reach = reach
    this.step = reach.editing.openStep()
    this.#origin = reach.view.toCanvas({ x: gesture.x - gesture.dx, y: gesture.y - gesture.dy })
    this.#isLifted = gesture.lifted
    this.#held = new Held(reach, gesture.alt ? [] : ids)
    this.#snapping = new Snapping(reach, ids)
    if (!gesture.alt) this.#lift()
    else if (reach.documents.isReady) this.#takeCopies(ids)
    else this.#takeCopiesLater(ids)
  }

  #lift() {
    if (this.#isLifted) this.#reach.lifting.lift(this.#held.ids)
  }

  /** Locked shapes get no copies: these would be locked too, and stay behind. */
  #takeCopies(ids: number[]) {
    this.#held = new Held(this.#reach, ids)
    this.#copies = this.#held.isEmpty ? [] : this.#reach.duplicating.duplicateNow(0, this.#held.ids)
    if (this.#copies.length > 0) this.#held = new Held(this.#reach, this.#copies)
    this.#snapping = new Snapping(this.#reach, this.#held.ids)
    this.#lift()
  }

  /** Makes the copies once the module for documents is loaded. Until then nothing is dragged. */
  async #takeCopiesLater(ids: number[]) {
    if (!await this.#reach.documents.load() || this.#isOver) return
    this.#takeCopies(ids)
    this.#held.place(moved(this.#held.start, ...this.#last))
  }

  get cursor() { return 'grabbing' }
  get inHand() { return this.#held.inHand }
  follow(changes: Changes) { this.#held.follow(changes) }

  move(gesture: Drag) {
    const hand = this.#reach.view.toCanvas(gesture)
    let way: [number, number] = [hand.x - this.#origin.x, hand.y - this.#origin.y]
    if (gesture.shift) way = straightened(...way)
    const frame = frameOf(this.#held.start)
    if (frame) way = gesture.ctrl || gesture.meta ? wayOnGrid(frame, ...this.#snapping.none(...way)) : this.#snapped(frame, way, gesture)
    if (way[0] !== this.#last[0] || way[1] !== this.#last[1]) {
      this.#last = way
      this.#held.place(moved(this.#held.start, ...way))
    }
    this.#reach.hole.feel(gesture)
  }

  #snapped(frame: Frame, way: [number, number], { shift }: Drag) {
    if (!shift) return this.#snapping.move(frame, ...way)
    return this.#snapping.move(frame, ...way, [way[1] === 0 ? 'x' : 'y'])
  }

  end(gesture: Drag) {
    this.move(gesture)
    this.#snapping.rest()
    this.#isOver = true
    if (this.#isLifted) this.#reach.lifting.lower()
    this.#reach.hole.rest()
    // A second finger has turned the drag into a pinch. The pinch ends this step of undo later.
    if (gesture.followedBy) return
    if (!this.#held.isEmpty && this.#reach.hole.takes(gesture, this.#held.now)) {
      this.#reach.hole.swallow(this.#held.ids)
    } else if (!this.#held.isEmpty && gesture.velocity && this.#isThrown(gesture)) {
      this.#reach.momentum.glide(this.#held.ids, gesture.velocity, this.step)
      return
    }
    this.step.end()
  }

  /**
   * Whether the shapes are thrown, so that they glide on. They are not thrown after a long press, or while a key
   * restricts the movement.
   */
  #isThrown({ velocity = { x: 0, y: 0 }, shift, ctrl, meta }: Drag) {
    const isFree = this.#reach.play.isOn && !this.#isLifted && !shift && !ctrl && !meta
    // With reduced motion there are no transitions, and shapes don't glide.
    return isFree && !isMotionReduced() && Math.hypot(velocity.x, velocity.y) >= flingSpeedMin
  }

  cancel(gesture: Drag) {
    this.#snapping.rest()
    this.#isOver = true
    if (this.#isLifted) this.#reach.lifting.lower()
    this.#reach.hole.rest()
    if (gesture.reason === 'escape') abandonNew(this.#reach, this.step, this.#copies)
    else this.step.end()
  }
}
