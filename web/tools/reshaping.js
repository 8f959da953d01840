import { Held } from './held.js'
import { angleBetween, frameOf, middle, pinched, pulled, steppedTurn, turned } from './transform.js'

// Changes of shapes by handles and by two fingers. Each is one step to undo. A pinch that follows a drag continues the
// drag's step.

/** @typedef {import('../gestures/recogniser.js').Drag} Drag */
/** @typedef {import('../gestures/recogniser.js').TwoFingers} TwoFingers */
/** @typedef {import('../core/types.js').Frame} Frame */
/** @typedef {import('../core/types.js').Place} Place */
/** @typedef {Pick<import('./reach.js').Reach, 'editing' | 'shown' | 'view'>} ReshapingReach */

/**
 * The part that all of these changes share.
 *
 * @template {Drag | TwoFingers} Gesture
 */
class Reshaping {
  #editing

  /** @param {ReshapingReach} reach @param {number[]} ids @param {Gesture} gesture @param {boolean} [continues] */
  constructor(reach, ids, gesture, continues = false) {
    this.#editing = reach.editing
    this.view = reach.view
    this.held = new Held(reach, ids)
    this.startFrame = frameOf(this.held.start) ?? { x: 0, y: 0, width: 1, height: 1, rotation: 0 }
    this.origin = this.view.toCanvas({ x: gesture.x - gesture.dx, y: gesture.y - gesture.dy })
    if (!continues) reach.editing.beginGroup()
  }

  /**
   * The new places of the shapes.
   *
   * @param {Gesture} _gesture @returns {Place[]}
   */
  places(_gesture) { return [] }

  /** @param {import('../core/types.js').Changes} changes */
  follow(changes) { this.held.follow(changes) }

  /** @param {Gesture} gesture */
  move(gesture) {
    if (!this.held.isEmpty) this.held.place(this.places(gesture))
  }

  /** @param {Gesture} gesture */
  end(gesture) {
    this.move(gesture)
    this.#editing.endGroup()
  }

  /** @param {Gesture} gesture */
  cancel({ reason }) {
    if (reason === 'escape') this.held.putBack()
    this.#editing.endGroup()
  }
}

/**
 * Pulls the lower right corner.
 *
 * @extends {Reshaping<Drag>}
 */
export class Scaling extends Reshaping {
  /** @param {ReshapingReach} reach @param {Drag} gesture @param {number[]} ids */
  constructor(reach, gesture, ids) {
    super(reach, ids, gesture)
    this.cursor = resizeCursor(this.startFrame.rotation)
  }

  /** @override @param {Drag} gesture */
  places(gesture) {
    const { start } = this.held
    const hand = this.view.toCanvas(gesture)
    const dx = hand.x - this.origin.x
    const dy = hand.y - this.origin.y
    if (start.length === 1) return [pulled(start[0], dx, dy, { even: gesture.shift, around: gesture.alt })]
    // Several shapes can only be scaled evenly, because some of them may be turned.
    const { x, y, width, height } = this.startFrame
    const reach = gesture.alt ? 2 : 1
    const scale = Math.max((width + dx * reach) / width, (height + dy * reach) / height)
    return pinched(start, { around: gesture.alt ? middle(this.startFrame) : { x, y }, scale })
  }
}

/**
 * Turns shapes around their middle by the handle above them.
 *
 * @extends {Reshaping<Drag>}
 */
export class Turning extends Reshaping {
  #center
  #turn = 0

  /** @param {ReshapingReach} reach @param {Drag} gesture @param {number[]} ids */
  constructor(reach, gesture, ids) {
    super(reach, ids, gesture)
    this.#center = middle(this.startFrame)
  }

  cursor = 'grabbing'
  /** While several shapes are turned, the frame around them turns too. */
  get frame() {
    return this.held.start.length > 1 ? { ...this.startFrame, rotation: this.#turn } : null
  }

  /** @override @param {Drag} gesture */
  places(gesture) {
    const turn = angleBetween(this.#center, this.origin, this.view.toCanvas(gesture))
    this.#turn = gesture.shift ? steppedTurn(this.startFrame.rotation, turn) : turn
    return pinched(this.held.start, { around: this.#center, rotation: this.#turn })
  }
}

/**
 * Two fingers scale, turn and move what they hold.
 *
 * @extends {Reshaping<TwoFingers>}
 */
export class Pinching extends Reshaping {
  /** @type {Frame | null} */
  #frame = null

  /** @param {ReshapingReach} reach @param {TwoFingers} gesture @param {number[]} ids @param {boolean} continues */
  constructor(reach, gesture, ids, continues) { super(reach, ids, gesture, continues) }

  get frame() { return this.held.start.length > 1 ? this.#frame : null }

  /** @override @param {TwoFingers} gesture */
  places(gesture) {
    const hand = this.view.toCanvas(gesture)
    const how = {
      around: this.origin, scale: gesture.scale, rotation: gesture.rotation,
      dx: hand.x - this.origin.x, dy: hand.y - this.origin.y,
    }
    const [frame] = pinched([{ ...this.startFrame, id: 0 }], how)
    this.#frame = frame
    return pinched(this.held.start, how)
  }
}

/**
 * The cursor for the corner handle: an arrow along the diagonal of a box that is turned so far.
 *
 * @param {number} rotation degrees
 */
export function resizeCursor(rotation) {
  const corner = turned({ x: 1, y: 1 }, { x: 0, y: 0 }, rotation)
  const eighth = Math.round(Math.atan2(corner.y, corner.x) * 4 / Math.PI)
  return ['ew-resize', 'nwse-resize', 'ns-resize', 'nesw-resize'][((eighth % 4) + 4) % 4]
}
