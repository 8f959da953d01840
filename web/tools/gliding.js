import { boundsOfAll, moved } from './transform.js'

/** How fast a glide loses its speed: after a second a twentieth of it is left. */
export const friction = 3
/** Slower than this, in CSS pixels a second, it stands; nothing is thrown faster than a hand can. */
export const speedMin = 20
export const speedMax = 5000

/**
 * A way with friction along one axis that turns back at both ends.
 *
 * @param {number} start @param {number} velocity units a second
 * @param {number} least where it turns back @param {number} most
 */
function way(start, velocity, least, most) {
  const length = most - least
  if (length <= 0) return () => start
  return (seconds) => {
    const straight = start + velocity / friction * (1 - Math.exp(-friction * seconds))
    const along = ((straight - least) % (2 * length) + 2 * length) % (2 * length)
    return least + (along <= length ? along : 2 * length - along)
  }
}

/**
 * Where something thrown goes: it slows down, and stays inside a box. What wasn't wholly inside goes no further out.
 *
 * @param {import('./transform.js').Frame} box around what is thrown
 * @param {{x: number, y: number}} velocity units a second @param {number} scale CSS pixels for a unit
 * @param {{x: number, y: number, width: number, height: number}} inside
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

const reducedMotion = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)')

/** Shapes on their way after the hand has let go. The step to undo that the hand began ends with it. */
export class Gliding {
  #app
  #held
  #path
  #began
  #frame = 0
  #ended

  /**
   * @param {import('../state/app.js').App} app @param {import('./held.js').Held} held as they are let go
   * @param {{x: number, y: number}} velocity CSS pixels a second
   * @param {() => void} ended it stands; nothing of it is written any more
   */
  constructor(app, held, velocity, ended) {
    const { view } = app
    this.#app = app
    this.#held = held
    this.#ended = ended
    const speed = { x: velocity.x / view.scale, y: velocity.y / view.scale }
    this.#path = glide(boundsOfAll(held.start), speed, view.scale, view.visibleBox())
  }

  /** Where nothing is to move by itself it is at its end at once. */
  start() {
    this.#began = performance.now()
    if (reducedMotion?.matches) this.land()
    else this.#next()
  }

  follow(changes) { this.#held.follow(changes) }
  has(id) { return this.#held.ids.includes(id) }

  /** It stays where it is: a hand has caught it. */
  stop() { this.#finish() }

  /** It is where it was going to be. */
  land() {
    this.#goTo(this.#path.seconds)
    this.#finish()
  }

  #next() { this.#frame = requestAnimationFrame((now) => this.#step(now)) }

  #step(now) {
    const seconds = Math.max(0, now - this.#began) / 1000
    if (seconds >= this.#path.seconds || this.#held.isEmpty) return this.land()
    this.#goTo(seconds)
    this.#next()
  }

  #goTo(seconds) {
    const { x, y } = this.#path.at(seconds)
    this.#held.place(moved(this.#held.start, x, y))
  }

  #finish() {
    cancelAnimationFrame(this.#frame)
    this.#app.endGroup()
    this.#ended()
  }
}
