import type { Point } from '../core/types.js'
import { fingersApartMin, pinchSlop, turnSlop } from './limits.js'

/** Computes the translation, scale and rotation from the positions of two fingers. */
export class Pinch {
  #start: ReturnType<typeof measure>
  #startFirst
  #startSecond
  #lastAngle: number
  #turned = 0
  /** The angle from which the rotation is measured; null until the rotation exceeds `turnSlop`. */
  #turnOrigin: number | null = null

  hasBegun = false
  /** The first finger's place after the last movement, its time, whose it was, and whether it was the rest of another. */
  #last: { first: Point, time: number, isFirst: boolean, isRest: boolean }
  /** Whether nothing has moved since the pinch began. */
  #isFresh = false
  /** The midpoint of the two fingers, and how they have moved since the start. */
  reading: Point & { dx: number, dy: number, scale: number, rotation: number }

  constructor(first: Point, second: Point) {
    this.#startFirst = first
    this.#startSecond = second
    this.#last = { first, time: -Infinity, isFirst: true, isRest: false }
    this.#start = measure(first, second)
    this.#lastAngle = this.#start.angle
    this.reading = unmoved(this.#start)
  }

  move(first: Point, second: Point, time: number) {
    // If both fingers move at once, each has an event of its own, with the same time. The first one alone would count as
    // a turn.
    const last = this.#last
    const isFirst = distance(first, last.first) > 0
    const isRest = time === last.time && isFirst !== last.isFirst && !last.isRest
    this.#last = { first, time, isFirst, isRest }
    if (!this.hasBegun) {
      const way = Math.max(distance(first, this.#startFirst), distance(second, this.#startSecond))
      if (way <= pinchSlop) return
      this.hasBegun = true
      this.#isFresh = true
      // The movement before the pinch began is ignored, because otherwise the shape would jump.
      return this.#measureFrom(first, second)
    }
    if (isRest && this.#isFresh) return this.#measureFrom(first, second)
    this.#isFresh = false
    if (!isRest && this.#turnOrigin === null && Math.abs(this.#turned) > turnSlop) {
      this.#turnOrigin = Math.sign(this.#turned) * turnSlop
    }
    const now = measure(first, second)
    this.#turned += normalised(now.angle - this.#lastAngle)
    this.#lastAngle = now.angle
    this.reading = {
      x: now.x,
      y: now.y,
      dx: now.x - this.#start.x,
      dy: now.y - this.#start.y,
      scale: now.distance / this.#start.distance,
      rotation: this.#turnOrigin === null ? 0 : this.#turned - this.#turnOrigin,
    }
  }

  #measureFrom(first: Point, second: Point) {
    this.#start = measure(first, second)
    this.#lastAngle = this.#start.angle
    this.reading = unmoved(this.#start)
  }
}

const unmoved = ({ x, y }: Point) => ({ x, y, dx: 0, dy: 0, scale: 1, rotation: 0 })

function distance(a: Point, b: Point) {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function measure(first: Point, second: Point) {
  return {
    x: (first.x + second.x) / 2,
    y: (first.y + second.y) / 2,
    distance: Math.max(distance(first, second), fingersApartMin),
    angle: Math.atan2(second.y - first.y, second.x - first.x) * 180 / Math.PI,
  }
}

/** @returns from −180 to 180 */
function normalised(degrees: number): number {
  return ((degrees + 180) % 360 + 360) % 360 - 180
}
