import { velocityRestMax, velocitySpan } from './limits.js'

/** Computes the velocity of a pointer. */
export class Velocity {
  #samples: { x: number, y: number, time: number }[] = []

  add(x: number, y: number, time: number) {
    const samples = this.#samples
    samples.push({ x, y, time })
    // One sample that is older than the span is kept, because a velocity needs at least two samples.
    while (samples.length > 2 && samples[1].time < time - velocitySpan) samples.shift()
  }

  /**
   * @param time when the pointer was released
   * @returns in pixels a second
   */
  at(time: number): { x: number, y: number } {
    const samples = this.#samples
    const last = samples[samples.length - 1]
    if (!last || time - last.time > velocityRestMax) return { x: 0, y: 0 }
    const first = samples.find((sample) => sample.time >= last.time - velocitySpan) ?? last
    const elapsed = last.time - first.time
    if (elapsed <= 0) return { x: 0, y: 0 }
    return { x: (last.x - first.x) * 1000 / elapsed, y: (last.y - first.y) * 1000 / elapsed }
  }
}
