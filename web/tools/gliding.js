import { Source } from '../basics/source.js'
import { boundsOfAll, moved } from './transform.js'

/** How fast a glide slows down: after a second, a twentieth of its speed is left. */
export const friction = 3
/**
 * In CSS pixels a second. A glide that is slower than `speedMin` stops. A throw counts as no faster than `speedMax`,
 * which is the fastest that a hand can throw.
 */
export const speedMin = 20
export const speedMax = 5000

/**
 * A movement with friction along one axis, which bounces at both ends.
 *
 * @param {number} start @param {number} velocity units a second
 * @param {number} least where it bounces @param {number} most
 */
function way(start, velocity, least, most) {
  const length = most - least
  return (/** @type {number} */ seconds) => {
    if (length <= 0) return start
    const straight = start + velocity / friction * (1 - Math.exp(-friction * seconds))
    const along = ((straight - least) % (2 * length) + 2 * length) % (2 * length)
    return least + (along <= length ? along : 2 * length - along)
  }
}

/**
 * The path of a thrown shape: the shape slows down, and stays inside a box. If it began partly outside the box, it goes
 * no further out.
 *
 * @param {import('../core/types.js').Box} box around what is thrown
 * @param {{x: number, y: number}} velocity units a second @param {number} scale CSS pixels for a unit
 * @param {import('../core/types.js').Box} inside
 * @returns {{seconds: number, at: (seconds: number) => {x: number, y: number}}} how far it has come since
 */
export function glide(box, velocity, scale, inside) {
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

/** @type {ReturnType<typeof glide>} */
const standing = { seconds: 0, at: () => ({ x: 0, y: 0 }) }

/**
 * Shapes that glide on after they were let go. The end of the glide ends the step of undo that the hand began. `ended`:
 * the shapes have stopped, and the glide writes nothing more.
 *
 * @extends {Source<{ended: null}>}
 */
export class Gliding extends Source {
  #step
  #held
  #path
  #began = performance.now()
  #frame = 0

  /**
   * @param {Pick<import('./reach.js').Reach, 'view'>} reach
   * @param {import('./held.js').Held} held as they are let go; at least one
   * @param {import('../core/types.js').Point} velocity CSS pixels a second
   * @param {import('../state/editing.js').Step} step that the hand began
   */
  constructor({ view }, held, velocity, step) {
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

  /** @param {import('../core/types.js').Changes} changes */
  follow(changes) { this.#held.follow(changes) }
  /** @param {number} id */
  has(id) { return this.#held.ids.includes(id) }

  /** Stops all the shapes where they are, because a hand has caught one of them. */
  stop() { this.#finish() }

  /** Puts the shapes where the glide would have ended. */
  land() {
    this.#goTo(this.#path.seconds)
    this.#finish()
  }

  #next() { this.#frame = requestAnimationFrame((now) => this.#glideOn(now)) }

  /** @param {number} now */
  #glideOn(now) {
    const seconds = Math.max(0, now - this.#began) / 1000
    if (seconds >= this.#path.seconds || this.#held.isEmpty) return this.land()
    this.#goTo(seconds)
    this.#next()
  }

  /** @param {number} seconds */
  #goTo(seconds) {
    const { x, y } = this.#path.at(seconds)
    this.#held.place(moved(this.#held.start, x, y))
  }

  #finish() {
    cancelAnimationFrame(this.#frame)
    this.#step.end()
    this.tell('ended', null)
  }
}
