import type { Reach } from '../arrange/reach.js'
import type { Point } from '../core/types.js'
import type { TrailPoint } from '../gestures/surface.js'

// The laser pointer. Everybody sees its trail fade, and nothing is stored.

/** How long the end of a trail stays in presence, because others may not have got it yet. */
const toldMilliseconds = 1200

/** One stroke of the laser pointer. */
export class Pointing {
  #reach
  #points: Point[] = []
  #stroke

  /** @param trail the points of the path up to now */
  constructor(reach: Pick<Reach, 'frames' | 'presence' | 'selection' | 'view'>, trail: TrailPoint[]) {
    this.#reach = reach
    this.#stroke = reach.presence.newLaserStroke()
    reach.selection.clear()
    this.trail(trail)
  }

  get cursor() { return 'crosshair' }
  move() {}

  /** @param points relative to the stage */
  trail(points: TrailPoint[]) {
    const { frames, presence, view } = this.#reach
    this.#points.push(...points.map((point) => view.toCanvas(point)))
    presence.setLaser(this.#stroke, this.#points)
    frames.request()
  }

  end() { setTimeout(() => this.#reach.presence.endLaser(this.#stroke), toldMilliseconds) }
  cancel() { this.end() }
}
