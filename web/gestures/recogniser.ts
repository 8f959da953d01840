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
  /** `sheet`: whatever lies there, it is drawn over. */
  kind: 'shape' | 'handle' | 'empty' | 'sheet' | 'view'
  /** The same for everything that counts as one thing to tap on. */
  key: string
  /** Of a shape. */
  id?: number
  handle?: 'move' | 'rotate' | 'scale' | 'point' | 'bend'
  /** Of the frame on which the handle is. */
  side?: { across: number, down: number }
  /** Of a line's point, or of the part in whose middle the handle is. */
  index?: number
  /** Whether being held means anything here; its kind decides, unless given. */
  holds?: boolean
  /** How many taps in a row mean something here; its kind decides, unless given. */
  taps?: number
  /** Whether a second finger may join at any time, because one finger alone only moves the paper. */
  joins?: boolean
  /** The target of taps and of two fingers here, if a drag applies to a handle that lies above. */
  under?: Target
}

export interface PointerInput {
  id: number
  type: PointerType
  phase: 'down' | 'move' | 'up' | 'cancel'
  /** CSS pixels. */
  x: number
  y: number
  /** Milliseconds. */
  time: number
  /** Which has gone down. */
  button?: number
  /** All that are down. */
  buttons?: number
  /** No other pointer of its type was down when it came. */
  primary?: boolean
  /** The width of what touches. */
  contact?: number
  /** The space bar is held. */
  space?: boolean
  /** With `down`, and with a `move` where nothing is pressed. */
  target?: Target
  shift?: boolean
  alt?: boolean
  ctrl?: boolean
  meta?: boolean
}

/** A momentary gesture. `x` and `y` are the position of the pointer. */
export type Moment = {
  type: 'press' | 'tap' | 'doubleTap' | 'tripleTap' | 'hover', target: Target, pointer: PointerType, time: number,
} & Point & Modifiers

interface LastingParts {
  phase: 'began' | 'moved' | 'ended' | 'cancelled'
  target: Target
  pointer: PointerType
  /** The way since the gesture began: without the slop of a finger, with that of a mouse. */
  dx: number
  dy: number
  time: number
  /** Why it was cancelled. */
  reason?: string
}

interface DragParts {
  type: 'drag' | 'pan'
  /** Where the pointer came down. */
  start: Point
  /** It was held first. */
  lifted: boolean
  /** Pixels a second, at the end. */
  velocity?: Point
  /** A second finger turns the drag into a pinch of the same target. The next gesture is that pinch. */
  followedBy?: 'pinch'
}

export type Drag = DragParts & LastingParts & Point & Modifiers

/** A gesture of two fingers. `x` and `y` are the middle between the fingers, `rotation` is in degrees clockwise. */
export type TwoFingers = { type: 'pinch', scale: number, rotation: number } & LastingParts & Point & Modifiers

export type Lasting = Drag | TwoFingers
export type Gesture = Moment | Lasting

/** A pointer that is down. An ignored pointer causes no gestures; it is only remembered until it goes up. */
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
 * `dragging`: the drag that the second finger interrupted. The drag ends when the pinch begins; if no pinch begins, it
 * ends when the fingers go up.
 */
type Pinching = {
  name: 'pinching', pointer: Pointer, second: Pointer, target: Target, pinch: Pinch, dragging: Dragging | null,
}
type Resting = { name: 'resting', pointer: Pointer, second?: undefined, target: Target }
type State = Idle | Pressed | Dragging | Pinching | Resting

const idle: Idle = Object.freeze({ name: 'idle' })
/** The target of pointers that came down unnoticed. Such pointers are ignored, so no gesture ever has this target. */
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

  handle(event: PointerInput): Gesture[] {
    this.#advance(event.time)
    const input = { ...event, time: this.#time }
    switch (input.phase) {
      case 'down': this.#down(input); break
      case 'move': this.#move(input); break
      case 'up': this.#up(input); break
      case 'cancel': this.#lose(input.id, 'pointer'); break
    }
    return this.#take()
  }

  /** To be called at the time `wakeAt`. */
  wake(time: number): Gesture[] {
    this.#advance(time)
    return this.#take()
  }

  /** Ends the gesture in progress, for example because another window came to the front or Escape was pressed. */
  cancel(time: number, reason = 'interrupted'): Gesture[] {
    this.#advance(time)
    this.#abandon(reason)
    // Fingers that are still down are ignored until they have been lifted.
    for (const pointer of this.#pointers.values()) pointer.isIgnored = true
    return this.#take()
  }

  // Time.

  /** Handles all deadlines before `time` first, so that a timer that fires late changes nothing. */
  #advance(time: number) {
    const now = Math.max(time, this.#time)
    while (this.wakeAt <= now) {
      this.#time = this.wakeAt
      if (this.#taps.due <= this.#time) this.#emitAll(this.#taps.end())
      else this.#lift()
    }
    this.#time = now
  }

  /** Ends the wait for a third tap: a double tap that was held back acts now. */
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
    if (this.#pointers.has(input.id)) this.#lose(input.id, 'lost')
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
    // People who write with a pen rest their hand on the glass, so the pen ends a touch.
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
    // The up event may bring the last part of the movement.
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
  #lose(id: number, reason: string) {
    const pointer = this.#pointers.get(id)
    if (!pointer) return
    this.#pointers.delete(id)
    if (!pointer.isIgnored) this.#abandon(reason)
  }

  /**
   * When the first pointer of a kind comes down, all earlier pointers of that kind must have gone up, even if no event
   * said so.
   */
  #loseOthers(type: PointerType) {
    for (const pointer of [...this.#pointers.values()]) {
      if (pointer.type === type) this.#lose(pointer.id, 'lost')
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
    // A finger's movement is measured from the end of the slop, so that the shape doesn't jump.
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
      // Two fingers on two different shapes pinch the canvas below both.
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
    pinch.move(pointer.at, second.at)
    if (!pinch.hasBegun) return
    if (!hadBegun) this.#endDrag(pinching, 'ended', { followedBy: 'pinch' })
    this.#tellPinch(pinching, hadBegun ? 'moved' : 'began')
  }

  /** Ends the drag that a second finger interrupted, at the position that it had when it was interrupted. */
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
   * Handles the lifting of one of two fingers. The other finger holds the position: when a second one comes down again,
   * the pinch continues.
   */
  #releaseFinger(pinching: Pinching, pointer: Pointer) {
    const { pointer: first, second, pinch, target } = pinching
    if (pinch.hasBegun) this.#tellPinch(pinching, 'ended')
    else this.#endDrag(pinching, 'ended', {})
    this.#state = { name: 'resting', pointer: pointer === first ? second : first, target }
  }

  // Ends of gestures.

  #abandon(reason: string) {
    const state = this.#state
    if (state.name === 'dragging') this.#drag(state, 'cancelled', { reason })
    if (state.name === 'pinching') {
      if (state.pinch.hasBegun) this.#tellPinch(state, 'cancelled', { reason })
      else this.#endDrag(state, 'cancelled', { reason })
    }
    this.#emitAll(this.#taps.end())
    // Pointers that are still down belong to the gesture that has ended, so they are ignored.
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
 * The bit of a button in `buttons`. `button` numbers the buttons left 0, middle 1, right 2; in `buttons` the right one
 * comes second.
 */
function buttonBit(button: number) {
  return [1, 4, 2, 8, 16][button] ?? 1
}
