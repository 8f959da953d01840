import { changedBits } from '../core/table.js'
import type { Changes, ShapeChange } from '../core/types.js'
import type { Frames } from '../state/frames.js'
import type { Presence } from '../state/presence.js'
import type { Shown } from '../state/shown.js'
import { Drawn } from './drawn.js'
import { departureMilliseconds, motionMilliseconds, othersMilliseconds, ownMilliseconds } from './motion.js'

/** The properties that change how a shape looks: all except the name. */
const looks = changedBits(({ name }) => name !== 'name')

/**
 * All shapes as they are drawn now, with the transitions in progress.
 *
 *     scene.drawn(id)                the shape's place and look as drawn, or null
 *     scene.lift(id), lower(id)      for shapes that this person holds; presence says what others hold
 *     scene.moves()                  whether another frame is needed
 */
export class Scene {
  #shown
  #presence
  #frames
  #all = new Map<number, Drawn>()
  #moving = new Set<Drawn>()
  #leaving = new Set<Drawn>()
  #ownLifts = new Set<number>()
  #lifted = new Set<Drawn>()
  /** Whether the page was hidden at the last change. A hidden page shows no transitions. */
  #wasHidden = false
  /**
   * The bounding boxes of shapes that have changed since the last `takeTouched`. Each box is four numbers: left, top,
   * right, bottom.
   */
  #touched: number[] = []
  #isAllTouched = true

  /** In drawing order, from back to front. */
  order: Drawn[] = []

  constructor(shown: Shown, presence: Presence, frames: Frames) {
    this.#shown = shown
    this.#presence = presence
    this.#frames = frames
    shown.on('changes', (changes) => {
      this.apply(changes, frames.now)
      if (this.moves()) frames.request()
    })
    presence.on('change', () => frames.request())
    document.addEventListener('visibilitychange', () => { this.#wasHidden = true })
  }

  /** @returns null if the shape was deleted, even while it still fades */
  drawn(id: number): Drawn | null {
    const drawn = this.#all.get(id)
    return drawn && !drawn.leaving ? drawn : null
  }

  /** Lifts a shape: it is drawn larger and fainter, and has no transitions. */
  lift(id: number) {
    this.#ownLifts.add(id)
    this.#frames.request()
  }

  lower(id: number) {
    this.#ownLifts.delete(id)
    this.#frames.request()
  }

  /** Whether another frame is needed even if no shape changes. */
  moves() {
    return this.#moving.size > 0
  }

  get movingCount() { return this.#moving.size }

  /** @param now the time that `requestAnimationFrame` gives, in milliseconds */
  apply(changes: Changes, now: number) {
    const isSudden = changes.reset || this.#wasHidden
    this.#wasHidden = document.hidden
    if (changes.reset) this.#forgetAll()
    let isOrderStale = changes.reordered
    for (const change of changes.shapes) if (this.#take(change, now, isSudden)) isOrderStale = true
    this.#takeLifts(now)
    if (this.#advance(now)) isOrderStale = true
    if (isOrderStale) this.#sort()
  }

  /**
   * Returns the boxes that became stale since the last call.
   *
   * @returns four numbers for each box: left, top, right, bottom, in canvas coordinates; null if everything is stale
   */
  takeTouched(): number[] | null {
    const touched = this.#isAllTouched ? null : this.#touched
    this.#touched = []
    this.#isAllTouched = false
    return touched
  }

  /** Marks a shape's box as stale. */
  touch(id: number) {
    const drawn = this.#all.get(id)
    if (drawn) this.#touch(drawn)
  }

  /** Marks everything as stale. */
  touchAll() {
    this.#isAllTouched = true
  }

  #forgetAll() {
    this.#all.clear()
    this.#moving.clear()
    this.#leaving.clear()
    this.#lifted.clear()
    this.order = []
    this.touchAll()
  }

  /** @returns whether the drawing order has changed */
  #take({ id, shape, changed, by, departure }: ShapeChange, now: number, isSudden: boolean): boolean {
    const isOwn = by === this.#shown.replica.actor
    // Changes that arrive after the page was offline have no transition.
    const milliseconds = isSudden || by === 0 ? 0 : motionMilliseconds(isOwn ? ownMilliseconds : othersMilliseconds)
    const drawn = this.#all.get(id)
    if (!shape) {
      if (!drawn || drawn.leaving) return false
      this.#touch(drawn)
      if (milliseconds === 0) {
        this.#remove(drawn)
        return true
      }
      if (departure) drawn.drawIn(departure, now, motionMilliseconds(departureMilliseconds))
      else drawn.fadeAway(now, milliseconds)
      this.#leaving.add(drawn)
      this.#moving.add(drawn)
      return true
    }
    if (!drawn) {
      const made = new Drawn(shape, this.#shown)
      this.#all.set(id, made)
      made.appear(now, milliseconds)
      if (made.moves) this.#moving.add(made)
      this.#touch(made)
      return true
    }
    const wasLeaving = this.#leaving.delete(drawn)
    if ((changed & looks) === 0 && !wasLeaving) {
      drawn.shape = shape
      return false
    }
    this.#touch(drawn)
    drawn.become(shape, now, milliseconds, isOwn)
    // A shape without a transition is added too, because its box must be updated in this frame.
    this.#moving.add(drawn)
    return wasLeaving
  }

  #takeLifts(now: number) {
    const lifted = new Map<number, number>()
    for (const person of this.#shown.isPast ? [] : this.#presence.people()) {
      for (const id of person.lifted) lifted.set(id, othersMilliseconds)
    }
    for (const id of this.#ownLifts) lifted.set(id, ownMilliseconds)
    for (const drawn of this.#lifted) {
      if (lifted.has(drawn.id)) continue
      this.#lifted.delete(drawn)
      drawn.setLifted(false, now, motionMilliseconds(othersMilliseconds))
      this.#moving.add(drawn)
    }
    for (const [id, milliseconds] of lifted) {
      const drawn = this.drawn(id)
      if (!drawn || this.#lifted.has(drawn)) continue
      this.#lifted.add(drawn)
      drawn.setLifted(true, now, motionMilliseconds(milliseconds))
      this.#moving.add(drawn)
    }
  }

  /** @returns whether a deleted shape has disappeared */
  #advance(now: number): boolean {
    let hasLeft = false
    for (const drawn of this.#moving) {
      this.#touch(drawn)
      const isHere = drawn.advance(now)
      this.#touch(drawn)
      if (!isHere) {
        this.#remove(drawn)
        hasLeft = true
      } else if (!drawn.moves) {
        this.#moving.delete(drawn)
      }
    }
    return hasLeft
  }

  #remove(drawn: Drawn) {
    this.#all.delete(drawn.id)
    this.#moving.delete(drawn)
    this.#leaving.delete(drawn)
    this.#lifted.delete(drawn)
  }

  #touch({ left, top, right, bottom }: Drawn) {
    if (!this.#isAllTouched) this.#touched.push(left, top, right, bottom)
  }

  /**
   * Sorts the shapes by the replica's drawing order. A fading shape keeps its place. A shape that the hole swallows is
   * drawn on top.
   */
  #sort() {
    const order: Drawn[] = []
    // In one pass: somebody may have deleted half of a hundred thousand shapes.
    const fading = [...this.#leaving].filter((drawn) => drawn.leaving === 'fading').sort((a, b) => a.place - b.place)
    let next = 0
    for (const id of this.#shown.replica.drawingOrder()) {
      const drawn = this.#all.get(id)
      if (!drawn) continue
      while (next < fading.length && fading[next].place <= order.length) order.push(fading[next++])
      order.push(drawn)
    }
    for (; next < fading.length; next++) order.push(fading[next])
    for (const drawn of this.#leaving) if (drawn.leaving === 'drawn in') order.push(drawn)
    order.forEach((drawn, place) => { drawn.place = place })
    this.order = order
  }
}
