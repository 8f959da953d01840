import { velocityRestMax, velocitySpan } from './limits.js'

/** How fast a pointer has been moving lately. */
export class Velocity {
  #samples: { x: number, y: number, time: number }[] = []

  add(x: number, y: number, time: number) {
    const samples = this.#samples
    samples.push({ x, y, time })
    // One sample from before the span is kept. Otherwise there might be only one sample, which gives no velocity.
    while (samples.length > 2 && samples[1].time < time - velocitySpan) samples.shift()
  }

  /**
   * @param time of letting go
   * @returns pixels a second
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
