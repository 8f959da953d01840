import type { Point } from '../core/types.js'
import type { Frames } from '../state/frames.js'
import type { Me } from '../state/me.js'
import type { Laser, Presence } from '../state/presence.js'
import type { Shown } from '../state/shown.js'
import type { View } from './view.js'

/** How long each point of a trail is seen. */
const fadeMilliseconds = 1000
/** The points of a message appear one after another over at most this time, so that the trail grows evenly. */
const spreadMilliseconds = 100
/** The upper bound on the points of one person's trail. It is more than a hand makes while they fade. */
const pointsMax = 300

/** In CSS pixels: the width of a trail at its newest point, without and with its white edge. */
const width = 5
const edgedWidth = 8

/** `stroke`: the number of the stroke to which a point belongs. */
type TrailPoint = Point & { at: number, stroke: number }

/** `count`: how many points of the newest stroke are known. `toldAt`: when the last of them came. */
type Trail = { color: string, stroke: number, count: number, toldAt: number, points: TrailPoint[] }

/** Paints the trails of laser pointers, of this person and of others. They fade by themselves. */
export class Lasers {
  #presence
  #me
  #shown
  #view
  #trails = new Map<number, Trail>()

  constructor({ presence, me, shown, view, frames }: {
    presence: Presence, me: Me, shown: Shown, view: View, frames: Frames,
  }) {
    this.#presence = presence
    this.#me = me
    this.#shown = shown
    this.#view = view
    frames.on('update', (now) => this.#follow(now))
  }

  get isBare() { return ![...this.#trails.values()].some(({ points }) => points.length > 0) }

  #follow(now: number) {
    const { ownLaser } = this.#presence
    if (ownLaser) this.#take(this.#shown.live.actor, this.#me.color, ownLaser, now)
    // While the past is shown, others' trails refer to another drawing.
    const people = this.#shown.isPast ? [] : this.#presence.people()
    for (const { actor, color, laser } of people) if (laser) this.#take(actor, color, laser, now)
    for (const [actor, trail] of this.#trails) {
      trail.points = trail.points.filter(({ at }) => now - at < fadeMilliseconds).slice(-pointsMax)
      // What presence still tells of a trail that has faded must not appear again.
      if (trail.points.length === 0 && !this.#isTold(actor)) this.#trails.delete(actor)
    }
  }

  #isTold(actor: number) {
    return actor === this.#shown.live.actor ? this.#presence.ownLaser !== null : this.#presence.person(actor)?.laser
  }

  #take(actor: number, color: string, { stroke, at, points }: Laser, now: number) {
    let trail = this.#trails.get(actor)
    if (!trail) this.#trails.set(actor, trail = { color, stroke, count: 0, toldAt: 0, points: [] })
    if (trail.stroke !== stroke) Object.assign(trail, { stroke, count: 0 })
    trail.color = color
    const told = at + points.length / 2
    const from = Math.max(trail.count, at)
    const since = Math.max(trail.toldAt, now - spreadMilliseconds)
    for (let index = from; index < told; index++) {
      trail.points.push({
        x: points[2 * (index - at)], y: points[2 * (index - at) + 1], stroke,
        at: since + (now - since) * (index - from + 1) / (told - from),
      })
    }
    if (told <= trail.count) return
    trail.count = told
    trail.toldAt = now
  }

  /** @param context a context whose unit is one CSS pixel */
  paint(context: CanvasRenderingContext2D, now: number) {
    context.save()
    context.lineCap = 'round'
    for (const { color, points } of this.#trails.values()) {
      // The edge keeps dark colours visible on dark paper, as that of a cursor does.
      this.#stroke(context, points, '#FFFFFF', edgedWidth, now)
      this.#stroke(context, points, color, width, now)
    }
    context.restore()
  }

  #stroke(context: CanvasRenderingContext2D, points: TrailPoint[], color: string, widest: number, now: number) {
    context.strokeStyle = color
    for (const [index, point] of points.entries()) {
      const before = points[index - 1]
      const from = this.#view.toScreen(before?.stroke === point.stroke ? before : point)
      const to = this.#view.toScreen(point)
      context.lineWidth = Math.max(0.1, widest * (1 - (now - point.at) / fadeMilliseconds))
      context.beginPath()
      context.moveTo(from.x, from.y)
      // A line without a length would not be painted, and a tap makes just one point.
      context.lineTo(to.x + 0.01, to.y)
      context.stroke()
    }
  }
}
