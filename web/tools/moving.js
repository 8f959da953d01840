import { frameOf } from './grasp.js'
import { Held } from './held.js'
import { moved, straightened, wayOnGrid } from './transform.js'

/** Slower than this, in CSS pixels a second, a shape that is let go of stays where it is. */
const flingSpeedMin = 350

/**
 * Shapes follow the hand, or with Alt copies of them do; let go of in full swing they glide on, and over the hole they are
 * gone. One step to undo.
 */
export class Moving {
  #tools
  #app
  #held
  #origin
  #isLifted
  #copies = []
  #isOver = false
  #last = [0, 0]

  constructor(tools, gesture, ids) {
    this.#tools = tools
    this.#app = tools.app
    this.#app.beginGroup()
    this.#origin = tools.app.view.toCanvas({ x: gesture.x - gesture.dx, y: gesture.y - gesture.dy })
    this.#isLifted = gesture.lifted
    if (!gesture.alt) this.#take(ids)
    else if (this.#app.hasExchange) this.#takeCopies(ids)
    else this.#takeCopiesLater(ids)
  }

  #take(ids) {
    this.#held = new Held(this.#app, ids)
    if (this.#isLifted) this.#tools.lift(this.#held.ids)
  }

  #takeCopies(ids) {
    this.#copies = this.#tools.clipboard.duplicateNow(0, ids)
    this.#take(this.#copies.length > 0 ? this.#copies : ids)
  }

  /** The hand is empty until copies can be made, and they come to where it is by then. */
  async #takeCopiesLater(ids) {
    this.#take([])
    if (!await this.#app.exchange() || this.#isOver) return
    this.#takeCopies(ids)
    this.#held.place(moved(this.#held.start, ...this.#last))
  }

  get cursor() { return 'grabbing' }
  follow(changes) { this.#held.follow(changes) }

  move(gesture) {
    const hand = this.#app.view.toCanvas(gesture)
    let way = [hand.x - this.#origin.x, hand.y - this.#origin.y]
    if (gesture.shift) way = straightened(...way)
    if ((gesture.ctrl || gesture.meta) && !this.#held.isEmpty) way = wayOnGrid(frameOf(this.#held.start), ...way)
    if (way[0] !== this.#last[0] || way[1] !== this.#last[1]) {
      this.#last = way
      this.#held.place(moved(this.#held.start, ...way))
    }
    this.#tools.hole.feel(gesture)
  }

  end(gesture) {
    this.move(gesture)
    this.#isOver = true
    if (this.#isLifted) this.#tools.lower()
    this.#tools.hole.rest()
    // The second finger's pinch belongs to the same step.
    if (gesture.followedBy) return
    if (!this.#held.isEmpty && this.#tools.hole.takes(gesture, this.#held.now)) {
      this.#tools.hole.swallow(this.#held.ids)
    } else if (!this.#held.isEmpty && this.#isThrown(gesture)) {
      this.#tools.glide(this.#held.ids, gesture.velocity)
      return
    }
    this.#app.endGroup()
  }

  /** What was picked up is put down, and what was led along a line, or from dot to dot, stays there. */
  #isThrown({ velocity, shift, ctrl, meta }) {
    return !this.#isLifted && !shift && !ctrl && !meta && Math.hypot(velocity.x, velocity.y) >= flingSpeedMin
  }

  cancel(gesture) {
    this.#isOver = true
    if (this.#isLifted) this.#tools.lower()
    this.#tools.hole.rest()
    if (gesture.reason === 'escape') this.#putBack()
    this.#app.endGroup()
  }

  #putBack() {
    if (this.#copies.length === 0) this.#held.putBack()
    else this.#app.edit((session) => session.delete(this.#held.ids))
  }
}
