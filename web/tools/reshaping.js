import { Held } from './held.js'
import { Snapping } from './snapping.js'
import { angleBetween, frameOf, middle, pinched, pulled, sideMin, steppedTurn, stretched, turned } from './transform.js'

// Changes shapes by handles and by two fingers. Each change is one step of undo. A pinch that follows a drag continues
// the drag's step.

/** @typedef {import('../gestures/recogniser.js').Drag} Drag */
/** @typedef {import('../gestures/recogniser.js').TwoFingers} TwoFingers */
/** @typedef {import('../core/types.js').Frame} Frame */
/** @typedef {import('../core/types.js').Place} Place */
/** @typedef {Pick<import('./reach.js').Reach, 'editing' | 'shown' | 'view'>} ReshapingReach */
/** @typedef {Pick<import('./reach.js').Reach, 'overlay' | 'scene' | 'view'>} SnappingReach */

/**
 * The part that all these changes have in common.
 *
 * @template {Drag | TwoFingers} Gesture
 */
class Reshaping {
  #step

  /**
   * @param {ReshapingReach} reach @param {number[]} ids @param {Gesture} gesture
   * @param {import('../state/editing.js').Step | null} [continued] the step to undo that it goes on with; else one of its own
   */
  constructor(reach, ids, gesture, continued = null) {
    this.#step = continued ?? reach.editing.openStep()
    this.view = reach.view
    this.held = new Held(reach, ids)
    this.startFrame = frameOf(this.held.start) ?? { x: 0, y: 0, width: 1, height: 1, rotation: 0 }
    this.origin = this.view.toCanvas({ x: gesture.x - gesture.dx, y: gesture.y - gesture.dy })
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
    this.#step.end()
  }

  /** @param {Gesture} gesture */
  cancel({ reason }) {
    if (reason === 'escape') this.#step.abandon()
    else this.#step.end()
  }
}

/**
 * Pulls a corner or a side of the frame.
 *
 * @extends {Reshaping<Drag>}
 */
export class Scaling extends Reshaping {
  #side
  #snapping

  /** @param {ReshapingReach & SnappingReach} reach @param {Drag} gesture @param {number[]} ids */
  constructor(reach, gesture, ids) {
    super(reach, ids, gesture)
    this.#side = gesture.target.side ?? { across: 1, down: 1 }
    this.cursor = resizeCursor(this.startFrame.rotation, this.#side)
    this.#snapping = new Snapping(reach, ids)
  }

  /** @override @param {Drag} gesture */
  places(gesture) {
    const { start } = this.held
    const hand = this.view.toCanvas(gesture)
    const { across, down } = this.#side
    const [dx, dy] = this.#snapped(gesture, hand.x - this.origin.x, hand.y - this.origin.y)
    const how = { across, down, around: gesture.alt, sideLeast: sideMin[gesture.pointer] }
    if (start.length === 1) return [pulled(start[0], dx, dy, { ...how, even: gesture.shift })]
    if (across === 0 || down === 0) return stretched(start, this.startFrame, dx, dy, how)
    // Pulled by a corner, several shapes are scaled evenly, because some of them may be turned.
    const { x, y, width, height } = this.startFrame
    const reach = gesture.alt ? 2 : 1
    const scale = Math.max((width + across * dx * reach) / width, (height + down * dy * reach) / height)
    const opposite = { x: across === 1 ? x : x + width, y: down === 1 ? y : y + height }
    return pinched(start, { around: gesture.alt ? middle(this.startFrame) : opposite, scale, sideLeast: how.sideLeast })
  }

  /**
   * The hand's movement, changed so that the pulled edge aligns with the edges of other shapes.
   *
   * @param {Drag} gesture @param {number} dx @param {number} dy @returns {[number, number]}
   */
  #snapped({ shift, alt, ctrl, meta }, dx, dy) {
    const isFree = shift || alt || ctrl || meta || this.startFrame.rotation !== 0
    const isEven = this.held.start.length > 1 && this.#side.across !== 0 && this.#side.down !== 0
    if (isFree || isEven) return this.#snapping.none(dx, dy)
    return this.#snapping.pull(this.startFrame, this.#side, dx, dy)
  }

  /** @override @param {Drag} gesture */
  end(gesture) {
    super.end(gesture)
    this.#snapping.rest()
  }

  /** @override @param {Drag} gesture */
  cancel(gesture) {
    super.cancel(gesture)
    this.#snapping.rest()
  }
}

/**
 * Turns shapes around their common middle, by the handle above them.
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
 * Scales, turns and moves the shapes that two fingers hold.
 *
 * @extends {Reshaping<TwoFingers>}
 */
export class Pinching extends Reshaping {
  /** @type {Frame | null} */
  #frame = null

  /**
   * @param {ReshapingReach} reach @param {TwoFingers} gesture @param {number[]} ids
   * @param {import('../state/editing.js').Step | null} continued
   */
  constructor(reach, gesture, ids, continued) { super(reach, ids, gesture, continued) }

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
 * The cursor for a corner or a side of a turned box: an arrow in the direction in which it can be pulled.
 *
 * @param {number} rotation degrees @param {import('../drawing/handles.js').Side} [side] the lower right corner unless given
 */
export function resizeCursor(rotation, side = { across: 1, down: 1 }) {
  const way = turned({ x: side.across, y: side.down }, { x: 0, y: 0 }, rotation)
  const eighth = Math.round(Math.atan2(way.y, way.x) * 4 / Math.PI)
  return ['ew-resize', 'nwse-resize', 'ns-resize', 'nesw-resize'][((eighth % 4) + 4) % 4]
}
