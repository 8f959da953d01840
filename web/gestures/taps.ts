import { needs, tapDistanceMax, tapPauseMax } from './limits.js'
import type { Moment } from './recogniser.js'

export type Press = Omit<Moment, 'type'>

/**
 * Counts consecutive taps. They must be on the same target, near each other, and soon after each other. If a triple tap
 * has a meaning, a double tap waits until no third tap can follow. Otherwise every triple tap would first act as a
 * double tap.
 */
export class Taps {
  #count = 0
  #last: { press: Press, time: number } | null = null
  #doubleDue = Infinity

  /** The time at which a waiting double tap acts. */
  get due() { return this.#doubleDue }

  /** Handles the beginning of a press. Either the press continues the series of taps, or it ends the series. */
  pressed(press: Press): Moment[] {
    if (this.#continues(press)) {
      this.#doubleDue = Infinity
      return []
    }
    return this.end()
  }

  /** Handles a press that was a tap. */
  tapped(press: Press, time: number): Moment[] {
    const taps = press.target.taps ?? needs[press.target.kind].taps
    if (taps === 0) return []
    // With a modifier, each tap counts alone, because people use it to select several shapes one after the other.
    if (taps === 1 || press.shift || press.ctrl || press.meta) {
      return [...this.end(), gesture('tap', press, time)]
    }
    this.#count += 1
    this.#last = { press, time }
    if (this.#count === 1) return [gesture('tap', press, time)]
    if (this.#count === 2 && taps > 2) {
      this.#doubleDue = time + tapPauseMax
      return []
    }
    const type = this.#count === 2 ? 'doubleTap' : 'tripleTap'
    this.#forget()
    return [gesture(type, press, time)]
  }

  /** Ends the series: a waiting double tap acts now. */
  end(): Moment[] {
    const gestures = this.#count === 2 && this.#last ? [gesture('doubleTap', this.#last.press, this.#last.time)] : []
    this.#forget()
    return gestures
  }

  #forget() {
    this.#count = 0
    this.#last = null
    this.#doubleDue = Infinity
  }

  #continues({ pointer, target, x, y, time }: Press) {
    if (!this.#last) return false
    const { press, time: tapped } = this.#last
    return press.pointer === pointer && press.target.key === target.key && time - tapped < tapPauseMax
      && Math.hypot(x - press.x, y - press.y) <= tapDistanceMax[pointer]
  }
}

function gesture(type: Moment['type'], { x, y, target, pointer, shift, alt, ctrl, meta }: Press, time: number): Moment {
  return { type, x, y, target, pointer, shift, alt, ctrl, meta, time }
}
