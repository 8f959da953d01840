import { frameOf, middle } from '../canvas/frames.js'
import type { Side } from '../canvas/handles.js'
import type { Changes, Frame, Place } from '../core/types.js'
import type { Drag, TwoFingers } from '../gestures/recogniser.js'
import type { Step } from '../state/editing.js'
import { Held } from './held.js'
import type { Reach } from './reach.js'
import { Snapping } from './snapping.js'
import { angleBetween, pinched, pulled, sideMin, steppedTurn, stretched, turned } from './transform.js'

// The gestures that change shapes by handles or with two fingers. Each change is one step of undo. A pinch that follows
// a drag continues the drag's step.

type ReshapingReach = Pick<Reach, 'editing' | 'shown' | 'view'>
type SnappingReach = Pick<Reach, 'overlay' | 'scene' | 'view'>

/** What all gestures that reshape have in common. */
class Reshaping<Gesture extends Drag | TwoFingers> {
  #step
  readonly view
  readonly held
  readonly startFrame
  readonly origin

  /** @param continued an open step of undo to continue; otherwise a new one is opened */
  constructor(reach: ReshapingReach, ids: number[], gesture: Gesture, continued: Step | null = null) {
    this.#step = continued ?? reach.editing.openStep()
    this.view = reach.view
    this.held = new Held(reach, ids)
    this.startFrame = frameOf(this.held.start) ?? { x: 0, y: 0, width: 1, height: 1, rotation: 0 }
    this.origin = this.view.toCanvas({ x: gesture.x - gesture.dx, y: gesture.y - gesture.dy })
  }

  get inHand() { return this.held.inHand }

  /** The new places of the shapes. */
  places(_gesture: Gesture): Place[] { return [] }

  follow(changes: Changes) { this.held.follow(changes) }

  move(gesture: Gesture) {
    if (!this.held.isEmpty) this.held.place(this.places(gesture))
  }

  /** Changes what depends on the final places. */
  settle() {}

  end(gesture: Gesture) {
    this.move(gesture)
    this.settle()
    this.#step.end()
  }

  cancel({ reason }: Gesture) {
    if (reason === 'escape') return this.#step.abandon()
    this.settle()
    this.#step.end()
  }
}

/** What the gestures that resize have in common: a note's text is fitted to the note's new size. */
class Resizing<Gesture extends Drag | TwoFingers> extends Reshaping<Gesture> {
  override settle() { this.held.fitNotes() }
}

/** Resizes shapes by dragging a corner or a side of the frame. */
export class Scaling extends Resizing<Drag> {
  #side
  #snapping
  /** Whether the gesture began with one shape. If others delete or lock some of several, the rest go on as several. */
  #isOfOne
  readonly cursor

  constructor(reach: ReshapingReach & SnappingReach, gesture: Drag, ids: number[]) {
    super(reach, ids, gesture)
    this.#side = gesture.target.side ?? { across: 1, down: 1 }
    this.cursor = resizeCursor(this.startFrame.rotation, this.#side)
    this.#snapping = new Snapping(reach, ids)
    this.#isOfOne = this.held.start.length === 1
  }

  override places(gesture: Drag) {
    const { start } = this.held
    const hand = this.view.toCanvas(gesture)
    const { across, down } = this.#side
    const [dx, dy] = this.#snapped(gesture, hand.x - this.origin.x, hand.y - this.origin.y)
    const how = { across, down, around: gesture.alt, sideLeast: sideMin[gesture.pointer] }
    if (this.#isOfOne) return [pulled(start[0], dx, dy, { ...how, even: gesture.shift })]
    if (across === 0 || down === 0) return stretched(start, this.startFrame, dx, dy, how)
    // If a corner is dragged, several shapes are scaled evenly, because some of them can be rotated.
    const { x, y, width, height } = this.startFrame
    const reach = gesture.alt ? 2 : 1
    const scale = Math.max((width + across * dx * reach) / width, (height + down * dy * reach) / height)
    const opposite = { x: across === 1 ? x : x + width, y: down === 1 ? y : y + height }
    return pinched(start, { around: gesture.alt ? middle(this.startFrame) : opposite, scale, sideLeast: how.sideLeast })
  }

  /** The pointer's movement, adjusted so that the dragged edge snaps to the edges of other shapes. */
  #snapped({ shift, alt, ctrl, meta }: Drag, dx: number, dy: number): [number, number] {
    const isFree = shift || alt || ctrl || meta || this.startFrame.rotation !== 0
    const isEven = !this.#isOfOne && this.#side.across !== 0 && this.#side.down !== 0
    if (isFree || isEven) return this.#snapping.none(dx, dy)
    return this.#snapping.pull(this.startFrame, this.#side, dx, dy)
  }

  override end(gesture: Drag) {
    super.end(gesture)
    this.#snapping.rest()
  }

  override cancel(gesture: Drag) {
    super.cancel(gesture)
    this.#snapping.rest()
  }
}

/** Rotates shapes around their common centre, by the handle above them. */
export class Turning extends Reshaping<Drag> {
  #center
  #turn = 0

  constructor(reach: ReshapingReach, gesture: Drag, ids: number[]) {
    super(reach, ids, gesture)
    this.#center = middle(this.startFrame)
  }

  cursor = 'grabbing'
  /** If several shapes are rotated, the frame around them rotates too. */
  get frame() {
    return this.held.start.length > 1 ? { ...this.startFrame, rotation: this.#turn } : null
  }

  override places(gesture: Drag) {
    const turn = angleBetween(this.#center, this.origin, this.view.toCanvas(gesture))
    this.#turn = gesture.shift ? steppedTurn(this.startFrame.rotation, turn) : turn
    return pinched(this.held.start, { around: this.#center, rotation: this.#turn })
  }
}

/** Scales, rotates and moves shapes with two fingers. */
export class Pinching extends Resizing<TwoFingers> {
  #frame: Frame | null = null

  constructor(reach: ReshapingReach, gesture: TwoFingers, ids: number[], continued: Step | null) {
    super(reach, ids, gesture, continued)
  }

  get frame() { return this.held.start.length > 1 ? this.#frame : null }

  override places(gesture: TwoFingers) {
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
 * The cursor for a handle of a rotated box: an arrow in the direction in which the handle is dragged.
 *
 * @param rotation in degrees
 * @param side the handle; the default is the lower right corner
 */
export function resizeCursor(rotation: number, side: Side = { across: 1, down: 1 }) {
  const way = turned({ x: side.across, y: side.down }, { x: 0, y: 0 }, rotation)
  const eighth = Math.round(Math.atan2(way.y, way.x) * 4 / Math.PI)
  return ['ew-resize', 'nwse-resize', 'ns-resize', 'nesw-resize'][((eighth % 4) + 4) % 4]
}
