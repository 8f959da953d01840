import { Source } from '../basics/source.js'

/**
 * The loop of animation frames. A frame runs only if it was requested. In each frame `update` is sent first and `paint`
 * second, both with the frame's time.
 */
export class Frames extends Source<{ update: number, paint: number }> {
  #pending = 0
  #now = 0

  /** The time of the current frame. Between two frames, the time of the last one. */
  get now() { return this.#now }

  /** Requests another frame. */
  request() {
    if (this.#pending === 0) this.#pending = requestAnimationFrame((now) => this.#run(now))
  }

  /** Ends the loop for good. */
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
