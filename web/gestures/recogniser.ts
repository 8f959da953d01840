// Recognises gestures: a state machine without a clock, a page or callbacks. It takes pointer events and returns
// gestures, and `wakeAt` is the time at which `wake` has to be called. The output depends on the input alone, so a
// recorded trace is a test.
//
//     idle ─ down ─→ pressed ─ past the slop, or held ─→ dragging ─ up ─→ idle
//                       └────── a second finger ──────→ pinching ─ one finger up ─→ resting ─ up ─→ idle
//
// The recogniser is always idle when no pointer is down.

import type { Point } from '../core/types.js'
import { Pinch } from './pinch.js'
import { type Press, Taps } from './taps.js'
import { Velocity } from './velocity.js'
import { holdTime, needs, palmWidthMin, secondFingerDistance, secondFingerTime, slop } from './limits.js'

export type PointerType = 'mouse' | 'pen' | 'touch'
type Modifiers = { shift: boolean, alt: boolean, ctrl: boolean, meta: boolean }

/** What a pointer comes down on. */
export interface Target {
  /** `sheet`: a drag draws here, whatever shape is under the pointer. */
  kind: 'shape' | 'handle' | 'empty' | 'sheet' | 'view'
  /** All taps on targets with the same key count as one double or triple tap. */
  key: string
  /** The shape, if the target is one. */
  id?: number
  /** The shape to which a double tap applies, where all else applies to the canvas. */
  opens?: number
  handle?: 'move' | 'rotate' | 'scale' | 'point' | 'bend'
  /** The handle's place on the frame. */
  side?: { across: number, down: number }
  /** The index of a point of a line. For `bend`, the index of a part of the line: the handle is in its middle. */
  index?: number
  /** Whether a long press (a hold) has an effect on this target. The default depends on the target's kind. */
  holds?: boolean
  /** The upper bound on consecutive taps that have a meaning here. The default depends on the kind. */
  taps?: number
  /** Whether a second finger can start a pinch at any time. True if a single finger only moves the canvas. */
  joins?: boolean
  /** The target below a handle. Taps and pinches apply to it, and only drags apply to the handle. */
  under?: Target
}

export interface PointerInput {
  id: number
  type: PointerType
  phase: 'down' | 'move' | 'up' | 'cancel'
  /** In CSS pixels. */
  x: number
  y: number
  /** In milliseconds. */
  time: number
  /** The button that has changed, numbered as in pointer events. */
  button?: number
  /** The pressed buttons, as a bit mask. */
  buttons?: number
  /** Whether this was the first pointer of its type to come down. */
  primary?: boolean
  /** The width of the contact area. */
  contact?: number
  /** Whether the space bar is held. */
  space?: boolean
  /** Set for `down`, and for `move` if nothing is pressed. */
  target?: Target
  shift?: boolean
  alt?: boolean
  ctrl?: boolean
  meta?: boolean
}

/** A gesture without duration. `x` and `y` are the pointer's position. */
export type Moment = {
  type: 'press' | 'tap' | 'doubleTap' | 'tripleTap' | 'hover', target: Target, pointer: PointerType, time: number,
} & Point & Modifiers

interface LastingParts {
  phase: 'began' | 'moved' | 'ended' | 'cancelled'
  target: Target
  pointer: PointerType
  /**
   * The movement since the gesture began. For a finger, the movement is measured from where the finger left the slop
   * (the distance that still counts as a tap). For a mouse, it is measured from where the button was pressed.
   */
  dx: number
  dy: number
  time: number
  /** Why the gesture was cancelled. */
  reason?: string
}

interface DragParts {
  type: 'drag' | 'pan'
  /** Where the pointer was pressed. */
  start: Point
  /** Whether the drag began with a hold. */
  lifted: boolean
  /** In pixels a second; only for the end of a drag. */
  velocity?: Point
  /**
   * The drag has ended because a second finger turned it into a pinch of the same target. The next gesture is that
   * pinch.
   */
  followedBy?: 'pinch'
}

export type Drag = DragParts & LastingParts & Point & Modifiers

/** A gesture of two fingers. `x` and `y` are the midpoint between the fingers. `rotation` is in degrees, clockwise. */
export type TwoFingers = { type: 'pinch', scale: number, rotation: number } & LastingParts & Point & Modifiers

export type Lasting = Drag | TwoFingers
export type Gesture = Moment | Lasting

/** A pointer that is down. An ignored pointer causes no gestures, but is remembered until it is lifted. */
type Pointer = {
  id: number, type: PointerType, start: Point, at: Point, time: number, target: Target, button: number,
  isPanning: boolean, isIgnored: boolean, modifiers: Modifiers,
}

type Idle = { name: 'idle', pointer?: undefined, second?: undefined }
type Pressed = { name: 'pressed', pointer: Pointer, second?: undefined, tap: Press, holdAt: number }
type Dragging = {
  name: 'dragging', pointer: Pointer, second?: undefined, origin: Point, lifted: boolean, velocity: Velocity,
  last: Point,
}
/**
 * `dragging`: the drag that the second finger has interrupted. It ends when the pinch begins, or else when the fingers
 * are lifted.
 */
type Pinching = {
  name: 'pinching', pointer: Pointer, second: Pointer, target: Target, pinch: Pinch, dragging: Dragging | null,
}
type Resting = { name: 'resting', pointer: Pointer, second?: undefined, target: Target }
type State = Idle | Pressed | Dragging | Pinching | Resting

const idle: Idle = Object.freeze({ name: 'idle' })
/** The target of pointers whose press was not noticed. Such pointers are ignored, so no gesture has this target. */
const unknown: Target = Object.freeze({ kind: 'empty', key: 'unknown' })

export class Recogniser {
  #state: State = idle
  /** All pointers that are down, including the ignored ones. */
  #pointers = new Map<number, Pointer>()
  #taps = new Taps()
  #time = -Infinity
  #gestures: Gesture[] = []

  /** The time at which `wake` must be called; Infinity if no call is needed. */
  get wakeAt() { return Math.min(this.#taps.due, this.#state.name === 'pressed' ? this.#state.holdAt : Infinity) }

  get isIdle() { return this.#state === idle }

  /** The pointer to which the gesture in progress belongs, the first one of two fingers; null if there is no gesture. */
  get pointer() { return this.#state.pointer?.id ?? null }

  handle(event: PointerInput): Gesture[] {
    this.#advance(event.time)
    const input = { ...event, time: this.#time }
    switch (input.phase) {
      case 'down': this.#down(input); break
      case 'move': this.#move(input); break
      case 'up': this.#up(input); break
      case 'cancel': this.#lose(input.id); break
    }
    return this.#take()
  }

  /** Must be called at the time `wakeAt`. */
  wake(time: number): Gesture[] {
    this.#advance(time)
    return this.#take()
  }

  /** Ends the gesture in progress, for example because Escape was pressed or the window lost the focus. */
  cancel(time: number, reason = 'interrupted'): Gesture[] {
    this.#advance(time)
    this.#abandon(reason)
    // Fingers that are still down are ignored until they are lifted.
    for (const pointer of this.#pointers.values()) pointer.isIgnored = true
    return this.#take()
  }

  // Time.

  /** Handles all deadlines before `time`, in case a timer was late. */
  #advance(time: number) {
    const now = Math.max(time, this.#time)
    while (this.wakeAt <= now) {
      this.#time = this.wakeAt
      if (this.#taps.due <= this.#time) this.#emitAll(this.#taps.end())
      else this.#lift()
    }
    this.#time = now
  }

  /** Ends the wait for a third tap: a waiting double tap acts now. */
  endTaps(time: number) {
    this.#advance(time)
    if (this.isIdle) this.#emitAll(this.#taps.end())
    return this.#take()
  }

  #lift() {
    const { pointer } = this.#state
    if (pointer) this.#beginDrag(pointer, pointer.at, true)
  }

  // Pointers.

  #down(input: PointerInput) {
    if (this.#pointers.has(input.id)) this.#lose(input.id)
    if (input.primary) this.#loseOthers(input.type)
    const pointer: Pointer = {
      id: input.id,
      type: input.type,
      start: { x: input.x, y: input.y },
      at: { x: input.x, y: input.y },
      time: input.time,
      target: input.target ?? unknown,
      button: input.type === 'touch' ? 0 : input.button ?? 0,
      isPanning: input.button === 1 || input.space === true,
      isIgnored: (input.contact ?? 0) >= palmWidthMin,
      modifiers: modifiers(input),
    }
    // People who write with a pen rest their hand on the screen. So the pen's press ends the hand's touch gesture.
    if (pointer.type === 'pen' && this.#state.pointer?.type === 'touch') this.#abandon('pen')
    this.#pointers.set(pointer.id, pointer)
    if (pointer.button > 1 || !input.target) pointer.isIgnored = true
    if (pointer.isIgnored) return
    if (this.#state === idle) this.#press(pointer)
    else if (!this.#join(pointer)) pointer.isIgnored = true
  }

  #move(input: PointerInput) {
    const pointer = this.#pointers.get(input.id)
    if (!pointer) return this.#hover(input)
    const isReleased = input.buttons !== undefined && pointer.type !== 'touch'
      && (input.buttons & buttonBit(pointer.button)) === 0
    if (isReleased) return this.#up(input)
    pointer.at = { x: input.x, y: input.y }
    pointer.modifiers = modifiers(input)
    if (pointer.isIgnored) return
    switch (this.#state.name) {
      case 'pressed': this.#strayed(pointer); break
      case 'dragging': this.#drag(this.#state, 'moved'); break
      case 'pinching': this.#pinched(this.#state); break
    }
  }

  #up(input: PointerInput) {
    const pointer = this.#pointers.get(input.id)
    if (!pointer) return
    this.#pointers.delete(pointer.id)
    if (pointer.isIgnored) return
    pointer.at = { x: input.x, y: input.y }
    pointer.modifiers = modifiers(input)
    // Even without a move event, a pointer can have moved before it was lifted.
    if (this.#state.name === 'pressed') this.#strayed(pointer)
    switch (this.#state.name) {
      case 'pressed': {
        const press = this.#state
        this.#state = idle
        if (!pointer.isPanning) this.#emitAll(this.#taps.tapped(press.tap, this.#time))
        break
      }
      case 'dragging': {
        const { velocity } = this.#state
        if (pointer.at.x !== this.#state.last.x || pointer.at.y !== this.#state.last.y) {
          velocity.add(pointer.at.x, pointer.at.y, this.#time)
        }
        this.#drag(this.#state, 'ended', { velocity: velocity.at(this.#time) })
        this.#state = idle
        break
      }
      case 'pinching': this.#releaseFinger(this.#state, pointer); break
      case 'resting': this.#state = idle; break
    }
  }

  /** Handles a pointer that vanished without an up event. */
  #lose(id: number) {
    const pointer = this.#pointers.get(id)
    if (!pointer) return
    this.#pointers.delete(id)
    if (!pointer.isIgnored) this.#abandon('interrupted')
  }

  /**
   * When the first pointer of a type comes down, all earlier pointers of that type must have been lifted, even if their
   * events are missing.
   */
  #loseOthers(type: PointerType) {
    for (const pointer of [...this.#pointers.values()]) {
      if (pointer.type === type) this.#lose(pointer.id)
    }
  }

  // One pointer.

  #press(pointer: Pointer) {
    const { target, start, type } = pointer
    const tap = { ...start, target: target.under ?? target, pointer: type, time: this.#time, ...pointer.modifiers }
    this.#emitAll(pointer.isPanning ? this.#taps.end() : this.#taps.pressed(tap))
    const isHeld = (target.holds ?? needs[target.kind].hold) && !pointer.isPanning
    this.#state = { name: 'pressed', pointer, tap, holdAt: isHeld ? this.#time + holdTime : Infinity }
    this.#emit({ type: 'press', ...start, target, pointer: type, ...pointer.modifiers })
  }

  #strayed(pointer: Pointer) {
    const { start, at, type } = pointer
    const distance = Math.hypot(at.x - start.x, at.y - start.y)
    if (distance <= slop[type]) return
    // For a finger, the movement is measured from the end of the slop, so that the shape doesn't jump.
    const share = type === 'touch' ? slop[type] / distance : 0
    const origin = { x: start.x + (at.x - start.x) * share, y: start.y + (at.y - start.y) * share }
    this.#beginDrag(pointer, origin, false)
  }

  #beginDrag(pointer: Pointer, origin: Point, lifted: boolean) {
    this.#emitAll(this.#taps.end())
    const velocity = new Velocity()
    velocity.add(pointer.start.x, pointer.start.y, pointer.time)
    const dragging: Dragging = { name: 'dragging', pointer, origin, lifted, velocity, last: origin }
    this.#state = dragging
    const at = pointer.at
    pointer.at = origin
    this.#drag(dragging, 'began')
    pointer.at = at
    if (at.x !== origin.x || at.y !== origin.y) this.#drag(dragging, 'moved')
  }

  #drag(dragging: Dragging, phase: Lasting['phase'], more: Partial<Drag> = {}) {
    const { pointer, origin, lifted, velocity } = dragging
    const { x, y } = pointer.at
    if (phase === 'moved') velocity.add(x, y, this.#time)
    dragging.last = pointer.at
    this.#emit({
      type: pointer.isPanning ? 'pan' : 'drag', phase, x, y, target: pointer.target, pointer: pointer.type,
      start: pointer.start, dx: x - origin.x, dy: y - origin.y, lifted, ...pointer.modifiers, ...more,
    })
  }

  #hover(input: PointerInput) {
    if (input.type === 'touch' || this.#state !== idle) return
    const { x, y, target, type } = input
    this.#emit({ type: 'hover', x, y, target: target ?? unknown, pointer: type, ...modifiers(input) })
  }

  // Two fingers.

  /** Decides whether a second finger turns the first finger's gesture into a pinch. */
  #join(second: Pointer) {
    const state = this.#state
    if (state.name === 'idle' || state.name === 'pinching') return false
    const first = state.pointer
    if (second.type !== 'touch' || first.type !== 'touch') return false
    if (state.name === 'resting') {
      this.#beginPinch(first, second, state.target)
      return true
    }
    if (state.name === 'pressed') {
      const [target, other] = [first, second].map((finger) => finger.target.under ?? finger.target)
      if (!needs[target.kind].pinch) return false
      this.#emitAll(this.#taps.end())
      // If the two fingers are on different shapes, they pinch the canvas.
      const isTorn = target.kind === 'shape' && other.kind === 'shape' && target.key !== other.key
      this.#beginPinch(first, second, isTorn ? { kind: 'empty', key: 'empty' } : target)
      return true
    }
    if (!needs[first.target.kind].pinch) return false
    if (first.target.kind === 'shape') {
      this.#beginPinch(first, second, first.target, state)
      return true
    }
    const way = Math.hypot(first.at.x - first.start.x, first.at.y - first.start.y)
    const isLate = this.#time - first.time > secondFingerTime || way > secondFingerDistance
    if (isLate && (!first.target.joins || state.lifted)) return false
    this.#drag(state, 'cancelled', { reason: 'pinch' })
    this.#beginPinch(first, second, first.target)
    return true
  }

  #beginPinch(first: Pointer, second: Pointer, target: Target, dragging: Dragging | null = null) {
    this.#state = { name: 'pinching', pointer: first, second, target, pinch: new Pinch(first.at, second.at), dragging }
  }

  #pinched(pinching: Pinching) {
    const { pointer, second, pinch } = pinching
    const hadBegun = pinch.hasBegun
    pinch.move(pointer.at, second.at, this.#time)
    if (!pinch.hasBegun) return
    if (!hadBegun) this.#endDrag(pinching, 'ended', { followedBy: 'pinch' })
    this.#tellPinch(pinching, hadBegun ? 'moved' : 'began')
  }

  /** Ends the drag that a second finger has interrupted. It ends at the position where it was interrupted. */
  #endDrag({ dragging }: Pinching, phase: 'ended' | 'cancelled', more: Partial<Drag>) {
    if (!dragging) return
    const { pointer, last } = dragging
    const at = pointer.at
    pointer.at = last
    this.#drag(dragging, phase, { velocity: { x: 0, y: 0 }, ...more })
    pointer.at = at
  }

  #tellPinch({ target, pinch, pointer }: Pinching, phase: Lasting['phase'], more: Partial<TwoFingers> = {}) {
    this.#emit({ type: 'pinch', phase, target, pointer: 'touch', ...pinch.reading, ...pointer.modifiers, ...more })
  }

  /**
   * Handles the lifting of one of two fingers. If a finger comes down again while the other is still down, the pinch
   * continues.
   */
  #releaseFinger(pinching: Pinching, pointer: Pointer) {
    const { pointer: first, second, pinch, target } = pinching
    if (pinch.hasBegun) this.#tellPinch(pinching, 'ended')
    else this.#endDrag(pinching, 'ended', {})
    this.#state = { name: 'resting', pointer: pointer === first ? second : first, target }
  }

  // The end of a gesture.

  #abandon(reason: string) {
    const state = this.#state
    if (state.name === 'dragging') this.#drag(state, 'cancelled', { reason })
    if (state.name === 'pinching') {
      if (state.pinch.hasBegun) this.#tellPinch(state, 'cancelled', { reason })
      else this.#endDrag(state, 'cancelled', { reason })
    }
    this.#emitAll(this.#taps.end())
    // Pointers that are still down belong to the ended gesture, so they are ignored.
    for (const pointer of [state.pointer, state.second]) if (pointer) pointer.isIgnored = true
    this.#state = idle
  }

  #emit(gesture: Omit<Moment, 'time'> | Omit<Drag, 'time'> | Omit<TwoFingers, 'time'>) {
    this.#gestures.push({ ...gesture, time: this.#time })
  }
  #emitAll(gestures: Gesture[]) { this.#gestures.push(...gestures) }
  #take() {
    const gestures = this.#gestures
    this.#gestures = []
    return gestures
  }
}

function modifiers({ shift = false, alt = false, ctrl = false, meta = false }: Partial<Modifiers>): Modifiers {
  return { shift, alt, ctrl, meta }
}

/**
 * The bit of a button in `buttons`. The middle button is number 1 in `button`, but has the third bit in `buttons`. The
 * right button is number 2, but has the second bit.
 */
function buttonBit(button: number) {
  return [1, 4, 2, 8, 16][button] ?? 1
}
