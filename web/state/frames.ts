import { Source } from '../basics/source.js'

/**
 * The loop of frames: a frame runs if one was requested. In each frame `update` comes first, then `paint`; both have
 * the frame's time.
 */
export class Frames extends Source<{ update: number, paint: number }> {
  #pending = 0
  #now = 0

  /** The time of the current frame; between frames, the time of the last one. */
  get now() { return this.#now }

  /** Asks for another frame. */
  request() {
    if (this.#pending === 0) this.#pending = requestAnimationFrame((now) => this.#run(now))
  }

  /** Stops drawing. */
  stop() {
    cancelAnimationFrame(this.#pending)
    this.#pending = -1
  }

  #run(now: number) {
    this.#pending = 0
    this.#now = now
    this.tell('update', now)
    this.tell('paint', now)
  }
}
