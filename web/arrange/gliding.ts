import { Source } from '../basics/source.js'
import { boundsOfAll } from '../canvas/frames.js'
import type { Box, Changes, Point } from '../core/types.js'
import type { Step } from '../state/editing.js'
import type { Held } from './held.js'
import type { Reach } from './reach.js'
import { moved } from './transform.js'

/** How fast a glide slows down: after a second, a twentieth of the speed is left. */
export const friction = 3
/**
 * Speeds in CSS pixels a second. A glide ends below `speedMin`. A throw that is faster than `speedMax` is slowed to
 * `speedMax`.
 */
export const speedMin = 20
export const speedMax = 5000

/**
 * A movement with friction along one axis, which bounces off both ends.
 *
 * @param velocity in units a second
 * @param least the lower end
 * @param most the upper end
 */
function way(start: number, velocity: number, least: number, most: number) {
  const length = most - least
  return (seconds: number) => {
    if (length <= 0) return start
    const straight = start + velocity / friction * (1 - Math.exp(-friction * seconds))
    const along = ((straight - least) % (2 * length) + 2 * length) % (2 * length)
    return least + (along <= length ? along : 2 * length - along)
  }
}

/**
 * The path of a thrown shape: it slows down, and bounces off the edges of a box. If the shape was partly outside that
 * box, it goes no further out.
 *
 * @param box the bounding box of what is thrown
 * @param velocity in units a second
 * @param scale CSS pixels for a unit
 * @returns `seconds`: the duration; `at`: the distance moved after some time
 */
export function glide(
  box: Box, velocity: { x: number, y: number }, scale: number, inside: Box,
): { seconds: number, at: (seconds: number) => { x: number, y: number } } {
  const speed = Math.hypot(velocity.x, velocity.y) * scale
  const share = Math.min(1, speedMax / speed)
  const right = inside.x + inside.width - box.width
  const bottom = inside.y + inside.height - box.height
  const x = way(box.x, velocity.x * share, Math.min(inside.x, box.x), Math.max(right, box.x))
  const y = way(box.y, velocity.y * share, Math.min(inside.y, box.y), Math.max(bottom, box.y))
  const seconds = speed > speedMin ? Math.log(speed * share / speedMin) / friction : 0
  return {
    seconds,
    at: (time) => ({ x: x(Math.min(time, seconds)) - box.x, y: y(Math.min(time, seconds)) - box.y }),
  }
}

const standing: ReturnType<typeof glide> = { seconds: 0, at: () => ({ x: 0, y: 0 }) }

/**
 * Shapes that glide on after they were thrown. The glide ends the step of undo that the gesture began. `ended`: the
 * shapes have stopped, and nothing more is written.
 */
export class Gliding extends Source<{ ended: null }> {
  #step
  #held
  #path
  #began = performance.now()
  #frame = 0

  /**
   * @param held the shapes at the moment of the throw; at least one
   * @param velocity in CSS pixels a second
   * @param step the step of undo that the gesture began
   */
  constructor({ view }: Pick<Reach, 'view'>, held: Held, velocity: Point, step: Step) {
    super()
    this.#step = step
    this.#held = held
    const speed = { x: velocity.x / view.scale, y: velocity.y / view.scale }
    const box = boundsOfAll(held.start)
    this.#path = box ? glide(box, speed, view.scale, view.visibleBox()) : standing
  }

  start() {
    this.#began = performance.now()
    this.#next()
  }

  follow(changes: Changes) { this.#held.follow(changes) }
  has(id: number) { return this.#held.ids.includes(id) }

  /** Stops the shapes where they are, because the person has grabbed one of them. */
  stop() { this.#finish() }

  /** Moves the shapes to where the glide would end. */
  land() {
    try {
      this.#goTo(this.#path.seconds)
    } finally {
      this.#finish()
    }
  }

  #next() { this.#frame = requestAnimationFrame((now) => this.#glideOn(now)) }

  #glideOn(now: number) {
    const seconds = Math.max(0, now - this.#began) / 1000
    if (seconds >= this.#path.seconds) return this.land()
    this.#goTo(seconds)
    this.#next()
  }

  #goTo(seconds: number) {
    const { x, y } = this.#path.at(seconds)
    this.#held.place(moved(this.#held.start, x, y))
  }

  #finish() {
    cancelAnimationFrame(this.#frame)
    this.#step.end()
    this.tell('ended', null)
  }
}
