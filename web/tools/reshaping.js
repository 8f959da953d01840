import { frameOf } from './grasp.js'
import { Held } from './held.js'
import { angleBetween, middle, pinched, pulled, steppedTurn, turned } from './transform.js'

// What handles and two fingers do. Each is one step to undo; a pinch that follows a drag goes on with the drag's.

/** What all of them are alike in. */
class Reshaping {
  /** @param {import('./tools.js').Tools} tools @param {Iterable<number>} ids */
  constructor(tools, ids, { continues = false } = {}) {
    this.app = tools.app
    this.held = new Held(tools.app, ids)
    this.startFrame = frameOf(this.held.start)
    if (!continues) this.app.beginGroup()
  }

  follow(changes) { this.held.follow(changes) }

  move(gesture) {
    if (!this.held.isEmpty) this.held.place(this.places(gesture))
  }

  end(gesture) {
    this.move(gesture)
    this.app.endGroup()
  }

  cancel({ reason }) {
    if (reason === 'escape') this.held.putBack()
    this.app.endGroup()
  }
}

/** The corner at the lower right is pulled. */
export class Scaling extends Reshaping {
  #origin

  constructor(tools, gesture, ids) {
    super(tools, ids)
    this.#origin = this.app.view.toCanvas({ x: gesture.x - gesture.dx, y: gesture.y - gesture.dy })
    this.cursor = resizeCursor(this.startFrame?.rotation ?? 0)
  }

  places(gesture) {
    const { start } = this.held
    const hand = this.app.view.toCanvas(gesture)
    const dx = hand.x - this.#origin.x
    const dy = hand.y - this.#origin.y
    if (start.length === 1) return [pulled(start[0], dx, dy, { even: gesture.shift, around: gesture.alt })]
    // Shapes that lie turned among others can only be scaled evenly.
    const { x, y, width, height } = this.startFrame
    const reach = gesture.alt ? 2 : 1
    const scale = Math.max((width + dx * reach) / width, (height + dy * reach) / height)
    return pinched(start, { around: gesture.alt ? middle(this.startFrame) : { x, y }, scale })
  }
}

/** The handle above is led around the middle. */
export class Turning extends Reshaping {
  #center
  #from
  #turn = 0

  constructor(tools, gesture, ids) {
    super(tools, ids)
    this.#center = this.startFrame ? middle(this.startFrame) : { x: 0, y: 0 }
    this.#from = this.app.view.toCanvas({ x: gesture.x - gesture.dx, y: gesture.y - gesture.dy })
  }

  cursor = 'grabbing'
  /** The frame of many turns with them while they are turned. */
  get frame() {
    return this.held.start.length > 1 && this.startFrame ? { ...this.startFrame, rotation: this.#turn } : null
  }

  places(gesture) {
    const turn = angleBetween(this.#center, this.#from, this.app.view.toCanvas(gesture))
    this.#turn = gesture.shift ? steppedTurn(this.startFrame.rotation, turn) : turn
    return pinched(this.held.start, { around: this.#center, rotation: this.#turn })
  }
}

/** Two fingers scale, turn and move what they hold. */
export class Pinching extends Reshaping {
  #around
  #frame = null

  constructor(tools, gesture, ids, how) {
    super(tools, ids, how)
    this.#around = this.app.view.toCanvas({ x: gesture.x - gesture.dx, y: gesture.y - gesture.dy })
  }

  get frame() { return this.held.start.length > 1 ? this.#frame : null }

  places(gesture) {
    const hand = this.app.view.toCanvas(gesture)
    const how = {
      around: this.#around, scale: gesture.scale, rotation: gesture.rotation,
      dx: hand.x - this.#around.x, dy: hand.y - this.#around.y,
    }
    const [frame] = pinched([{ ...this.startFrame, id: 0 }], how)
    this.#frame = frame
    return pinched(this.held.start, how)
  }
}

/** An arrow along the diagonal, as the corner lies. @param {number} rotation degrees */
export function resizeCursor(rotation) {
  const corner = turned({ x: 1, y: 1 }, { x: 0, y: 0 }, rotation)
  const eighth = Math.round(Math.atan2(corner.y, corner.x) * 4 / Math.PI)
  return ['ew-resize', 'nwse-resize', 'ns-resize', 'nesw-resize'][((eighth % 4) + 4) % 4]
}
