import { isMotionReduced } from '../canvas/motion.js'
import type { View } from '../canvas/view.js'
import { friction, speedMax, speedMin } from './gliding.js'

/** In CSS pixels a second: if a finger is lifted at a lower speed, the canvas stops at once. */
const coastSpeedMin = 250

/**
 * Keeps the canvas moving after a finger has pushed it. It slows down, and stops as soon as the person does anything.
 */
export class Coasting {
  #view
  #velocity
  #began = performance.now()
  #gone = { x: 0, y: 0 }
  #frame = 0

  /** @param velocity in CSS pixels a second */
  constructor(view: View, velocity: { x: number, y: number }) {
    const speed = Math.hypot(velocity.x, velocity.y)
    const share = Math.min(1, speedMax / speed)
    this.#view = view
    this.#velocity = { x: velocity.x * share, y: velocity.y * share }
    if (speed >= coastSpeedMin && !isMotionReduced()) this.#next()
  }

  stop() { cancelAnimationFrame(this.#frame) }

  #next() { this.#frame = requestAnimationFrame((now) => this.#step(now)) }

  #step(now: number) {
    const left = Math.exp(-friction * Math.max(0, now - this.#began) / 1000)
    const x = this.#velocity.x / friction * (1 - left)
    const y = this.#velocity.y / friction * (1 - left)
    this.#view.panBy(x - this.#gone.x, y - this.#gone.y)
    this.#gone = { x, y }
    if (Math.hypot(this.#velocity.x, this.#velocity.y) * left > speedMin) this.#next()
  }
}
