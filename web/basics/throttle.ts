/** Runs something when it is needed, but so seldom that it takes at most about 1 / `factor` of the time. */
export class Throttle<Result> {
  #run
  #least
  #factor
  #timer = 0
  #began = 0
  #restsUntil = 0

  /** @param least the shortest time from a call of `soon` until the run, in milliseconds */
  constructor(run: () => Result, least: number, factor: number) {
    this.#run = run
    this.#least = least
    this.#factor = factor
  }

  /** Whether a run is waited for. */
  get isDue() { return this.#timer !== 0 }

  soon() {
    this.#timer ||= setTimeout(() => this.now(), Math.max(this.#least, this.#restsUntil - performance.now()))
  }

  now() {
    this.cancel()
    this.#began = performance.now()
    const result = this.#run()
    this.ended()
    return result
  }

  /** To be called later too, if the browser goes on working for the run. */
  ended() {
    const now = performance.now()
    this.#restsUntil = now + (now - this.#began) * this.#factor
  }

  cancel() {
    clearTimeout(this.#timer)
    this.#timer = 0
  }

  /** To be called when the next run has other things to do, so that the last one doesn't tell how long it takes. */
  forget() {
    if (this.#restsUntil === 0) return
    this.cancel()
    this.#restsUntil = 0
  }
}
