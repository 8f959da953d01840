// Tells gestures apart. A state machine without a clock, a page or a callback: pointer events in, gestures out, and
// `wakeAt`, the time at which it wants to hear `wake`. What it is told decides alone what comes out, so that a recorded
// trace is a test.
//
//     idle ─ down ─→ pressed ─ past the slop, or held ─→ dragging ─ up ─→ idle
//                       └────── a second finger ──────→ pinching ─ one finger up ─→ resting ─ up ─→ idle
//
// Whatever happens, once no pointer is down it is idle.

import { Pinch } from './pinch.js'
import { Taps } from './taps.js'
import { Velocity } from './velocity.js'
import { holdTime, needs, palmWidthMin, secondFingerDistance, secondFingerTime, slop } from './limits.js'

/**
 * @typedef {object} Target What lies under a pointer that comes down.
 * @property {'shape' | 'handle' | 'empty' | 'view'} kind
 * @property {string} key the same for what counts as the same thing to tap on
 * @property {boolean} [holds] whether being held means anything here; else as its kind has it
 * @property {boolean} [joins] whether a second finger is welcome at any time: one alone only moves the paper
 * @property {Target} [under] what a tap means here, and two fingers, where a drag means a handle that lies above it
 */

/**
 * @typedef {object} PointerInput
 * @property {number} id
 * @property {'mouse' | 'pen' | 'touch'} type
 * @property {'down' | 'move' | 'up' | 'cancel'} phase
 * @property {number} x CSS pixels
 * @property {number} y
 * @property {number} time milliseconds
 * @property {number} [button] which has gone down
 * @property {number} [buttons] all that are down
 * @property {boolean} [primary] no other pointer of its type was down when it came
 * @property {number} [contact] the width of what touches
 * @property {boolean} [space] the space bar is held
 * @property {Target} [target] with `down`, and with a `move` where nothing is pressed
 * @property {boolean} [shift]
 * @property {boolean} [alt]
 * @property {boolean} [ctrl]
 * @property {boolean} [meta]
 */

/**
 * @typedef {object} Gesture
 * @property {'press' | 'tap' | 'doubleTap' | 'tripleTap' | 'drag' | 'pan' | 'pinch' | 'hover'} type
 * @property {'began' | 'moved' | 'ended' | 'cancelled'} [phase] of a drag, a pan or a pinch
 * @property {number} x where the pointer is, or the middle between two
 * @property {number} y
 * @property {Target} target
 * @property {{x: number, y: number}} [start] where the pointer came down
 * @property {number} [dx] the way since the gesture began: without the slop of a finger, with that of a mouse
 * @property {number} [dy]
 * @property {boolean} [lifted] a drag that was held first
 * @property {{x: number, y: number}} [velocity] pixels a second, at the end of a drag or a pan
 * @property {string} [followedBy] `pinch`: a second finger makes of the drag a pinch of the same target
 * @property {string} [reason] why it was cancelled
 * @property {number} [scale] of a pinch
 * @property {number} [rotation] of a pinch, degrees clockwise
 */

const idle = Object.freeze({ name: 'idle' })

export class Recogniser {
  #state = idle
  /** All pointers that are down, also those that mean nothing. */
  #pointers = new Map()
  #taps = new Taps()
  #time = -Infinity
  #gestures = []

  /** When `wake` is to be called; Infinity: not at all. */
  get wakeAt() { return Math.min(this.#taps.due, this.#state.holdAt ?? Infinity) }

  get isIdle() { return this.#state === idle }

  /** @param {PointerInput} event @returns {Gesture[]} */
  handle(event) {
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

  /** The time of `wakeAt` has come. @param {number} time @returns {Gesture[]} */
  wake(time) {
    this.#advance(time)
    return this.#take()
  }

  /** Whatever is going on ends: another window came to the front, or Escape was pressed. @returns {Gesture[]} */
  cancel(time, reason = 'interrupted') {
    this.#advance(time)
    this.#abandon(reason)
    // Fingers that still lie there are to be taken away first.
    for (const pointer of this.#pointers.values()) pointer.isIgnored = true
    return this.#take()
  }

  // Time.

  /** Does first what was due before, so that a late timer changes nothing. */
  #advance(time) {
    const now = Math.max(time, this.#time)
    while (this.wakeAt <= now) {
      this.#time = this.wakeAt
      if (this.#taps.due <= this.#time) this.#emitAll(this.#taps.end())
      else this.#lift()
    }
    this.#time = now
  }

  #lift() {
    const { pointer } = this.#state
    this.#beginDrag(pointer, pointer.at, true)
  }

  // Pointers.

  #down(input) {
    if (this.#pointers.has(input.id)) this.#lose(input.id, 'lost')
    if (input.primary) this.#loseOthers(input.type)
    const pointer = {
      id: input.id,
      type: input.type,
      start: { x: input.x, y: input.y },
      at: { x: input.x, y: input.y },
      time: input.time,
      target: input.target,
      button: input.type === 'touch' ? 0 : input.button ?? 0,
      isPanning: input.button === 1 || input.space === true,
      isIgnored: (input.contact ?? 0) >= palmWidthMin,
      modifiers: modifiers(input),
    }
    // Whoever writes with a pen rests a hand on the glass.
    if (pointer.type === 'pen' && this.#state.pointer?.type === 'touch') this.#abandon('pen')
    this.#pointers.set(pointer.id, pointer)
    if (pointer.button > 1 || !pointer.target) pointer.isIgnored = true
    if (pointer.isIgnored) return
    if (this.#state === idle) this.#press(pointer)
    else if (!this.#join(pointer)) pointer.isIgnored = true
  }

  #move(input) {
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
      case 'dragging': this.#drag('moved', pointer); break
      case 'pinching': this.#pinched(); break
    }
  }

  #up(input) {
    const pointer = this.#pointers.get(input.id)
    if (!pointer) return
    this.#pointers.delete(pointer.id)
    if (pointer.isIgnored) return
    pointer.at = { x: input.x, y: input.y }
    pointer.modifiers = modifiers(input)
    // The last of the way may come with the letting go.
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
        this.#drag('ended', pointer, { velocity: velocity.at(this.#time) })
        this.#state = idle
        break
      }
      case 'pinching': this.#releaseFinger(pointer); break
      case 'resting': this.#state = idle; break
    }
  }

  /** A pointer went without an end. */
  #lose(id, reason) {
    const pointer = this.#pointers.get(id)
    if (!pointer) return
    this.#pointers.delete(id)
    if (!pointer.isIgnored) this.#abandon(reason)
  }

  /** Where a first pointer comes down those before it must have gone, said or not. */
  #loseOthers(type) {
    for (const pointer of [...this.#pointers.values()]) {
      if (pointer.type === type) this.#lose(pointer.id, 'lost')
    }
  }

  // One pointer.

  #press(pointer) {
    const { target, start, type } = pointer
    const tap = { ...start, target: target.under ?? target, pointer: type, time: this.#time, ...pointer.modifiers }
    this.#emitAll(pointer.isPanning ? this.#taps.end() : this.#taps.pressed(tap))
    const isHeld = (target.holds ?? needs[target.kind].hold) && !pointer.isPanning
    this.#state = { name: 'pressed', pointer, tap, holdAt: isHeld ? this.#time + holdTime : Infinity }
    this.#emit({ type: 'press', ...start, target, pointer: type, ...pointer.modifiers })
  }

  #strayed(pointer) {
    const { start, at, type } = pointer
    const distance = Math.hypot(at.x - start.x, at.y - start.y)
    if (distance <= slop[type]) return
    // A finger's way counts from where the slop ends, so that nothing jumps after it.
    const share = type === 'touch' ? slop[type] / distance : 0
    const origin = { x: start.x + (at.x - start.x) * share, y: start.y + (at.y - start.y) * share }
    this.#beginDrag(pointer, origin, false)
  }

  #beginDrag(pointer, origin, lifted) {
    this.#emitAll(this.#taps.end())
    const velocity = new Velocity()
    velocity.add(pointer.start.x, pointer.start.y, pointer.time)
    this.#state = { name: 'dragging', pointer, origin, lifted, velocity, last: origin, began: this.#time }
    const at = pointer.at
    pointer.at = origin
    this.#drag('began', pointer)
    pointer.at = at
    if (at.x !== origin.x || at.y !== origin.y) this.#drag('moved', pointer)
  }

  #drag(phase, pointer, more = {}) {
    const { origin, lifted, velocity } = this.#state
    const { x, y } = pointer.at
    if (phase === 'moved') velocity.add(x, y, this.#time)
    this.#state.last = pointer.at
    this.#emit({
      type: pointer.isPanning ? 'pan' : 'drag', phase, x, y, target: pointer.target, pointer: pointer.type,
      start: pointer.start, dx: x - origin.x, dy: y - origin.y, lifted, ...pointer.modifiers, ...more,
    })
  }

  #hover(input) {
    if (input.type === 'touch' || this.#state !== idle) return
    const { x, y, target, type } = input
    this.#emit({ type: 'hover', x, y, target, pointer: type, ...modifiers(input) })
  }

  // Two fingers.

  /** Whether a second finger makes a pinch of what the first one does. */
  #join(second) {
    const state = this.#state
    const first = state.pointer
    if (second.type !== 'touch' || first?.type !== 'touch') return false
    if (state.name === 'resting') {
      this.#beginPinch(first, second, state.target)
      return true
    }
    if (state.name !== 'pressed' && state.name !== 'dragging') return false
    if (state.name === 'pressed') {
      const [target, other] = [first, second].map((finger) => finger.target.under ?? finger.target)
      if (!needs[target.kind].pinch) return false
      this.#emitAll(this.#taps.end())
      // Fingers on two things mean the paper that both lie on.
      const isTorn = target.kind === 'shape' && other.kind === 'shape' && target.key !== other.key
      this.#beginPinch(first, second, isTorn ? { kind: 'empty', key: 'empty' } : target)
      return true
    }
    if (!needs[first.target.kind].pinch) return false
    if (first.target.kind === 'shape') {
      this.#drag('ended', first, { velocity: { x: 0, y: 0 }, followedBy: 'pinch' })
      this.#beginPinch(first, second, first.target)
      return true
    }
    const way = Math.hypot(first.at.x - first.start.x, first.at.y - first.start.y)
    const isLate = this.#time - first.time > secondFingerTime || way > secondFingerDistance
    if (isLate && (!first.target.joins || state.lifted)) return false
    this.#drag('cancelled', first, { reason: 'pinch' })
    this.#beginPinch(first, second, first.target)
    return true
  }

  #beginPinch(first, second, target) {
    this.#state = { name: 'pinching', pointer: first, second, target, pinch: new Pinch(first.at, second.at) }
  }

  #pinched() {
    const { pointer, second, pinch } = this.#state
    const hadBegun = pinch.hasBegun
    pinch.move(pointer.at, second.at)
    if (!pinch.hasBegun) return
    if (!hadBegun) this.#tellPinch('began')
    else this.#tellPinch('moved')
  }

  #tellPinch(phase, more = {}) {
    const { target, pinch, pointer } = this.#state
    this.#emit({ type: 'pinch', phase, target, pointer: 'touch', ...pinch.reading, ...pointer.modifiers, ...more })
  }

  /** One finger is enough to hold the place: where a second one comes again the pinch goes on. */
  #releaseFinger(pointer) {
    const { pointer: first, second, pinch, target } = this.#state
    if (pinch.hasBegun) this.#tellPinch('ended')
    this.#state = { name: 'resting', pointer: pointer === first ? second : first, target }
  }

  // Ends.

  #abandon(reason) {
    const state = this.#state
    if (state.name === 'dragging') this.#drag('cancelled', state.pointer, { reason })
    if (state.name === 'pinching' && state.pinch.hasBegun) this.#tellPinch('cancelled', { reason })
    this.#emitAll(this.#taps.end())
    // What is still down belonged to what has ended.
    for (const pointer of [state.pointer, state.second]) if (pointer) pointer.isIgnored = true
    this.#state = idle
  }

  #emit(gesture) { this.#gestures.push({ ...gesture, time: this.#time }) }
  #emitAll(gestures) { this.#gestures.push(...gestures) }
  #take() {
    const gestures = this.#gestures
    this.#gestures = []
    return gestures
  }
}

function modifiers({ shift = false, alt = false, ctrl = false, meta = false }) {
  return { shift, alt, ctrl, meta }
}

/** `button` counts the left one 0, the middle one 1 and the right one 2; in `buttons` the right one comes second. */
function buttonBit(button) {
  return [1, 4, 2, 8, 16][button] ?? 1
}
