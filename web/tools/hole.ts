import type { Frame, Point } from '../core/types.js'
import type { Reach } from './reach.js'
import { middle } from './transform.js'

/** In CSS pixels: the mouth begins to swell when a shape is this close. */
const feltFrom = 160
/** In CSS pixels: the mouth catches shapes up to this far beyond its edge, because a finger can't aim better. */
const mercy = 8

/**
 * The black hole, whose mouth is the white circle at the view's lower left, which is a button too. For each swallowed
 * shape, one operation moves it to the hole, makes it as small as possible and deletes it. So every client can show the
 * shape going in.
 *
 * The hole's look is in the style sheet. `data-waits`: something is dragged that the hole could swallow. `--swell` goes
 * from 0 to 1 as a shape comes near. `data-over`: the shape would fall in if it were let go. `data-says`: the hole says
 * what it is for, until something has been dropped into it.
 */
export class Hole {
  #editing
  #play
  #view
  #element
  #stage
  #isKnown = false
  /**
   * The mouth's position, stored while a shape is dragged: reading it from the page at each step would force a layout
   * each time.
   */
  #felt: Point & { radius: number } | null = null

  constructor(
    element: HTMLElement, stage: HTMLElement, { editing, play, view }: Pick<Reach, 'editing' | 'play' | 'view'>,
  ) {
    this.#editing = editing
    this.#play = play
    this.#view = view
    this.#element = element
    this.#stage = stage
  }

  /** The mouth in its resting size, in CSS pixels from the stage's corner. */
  get mouth() {
    const stage = this.#stage.getBoundingClientRect()
    const circle = this.#element.getBoundingClientRect()
    return {
      x: circle.left + circle.width / 2 - stage.left,
      y: circle.top + circle.height / 2 - stage.top,
      radius: this.#element.offsetWidth / 2,
    }
  }

  /** Notes that a shape is dragged at a point of the stage. */
  feel(point: Point) {
    if (!this.#play.isOn) return
    this.#felt ??= this.mouth
    const { x, y, radius } = this.#felt
    const distance = Math.hypot(point.x - x, point.y - y) - radius
    const swell = Math.max(0, Math.min(1, 1 - distance / feltFrom))
    this.#element.style.setProperty('--swell', swell.toFixed(2))
    this.#element.toggleAttribute('data-over', distance <= mercy)
    this.#element.toggleAttribute('data-waits', true)
    this.#element.toggleAttribute('data-says', !this.#isKnown)
  }

  /** Notes that no shape is dragged any more. */
  rest() {
    this.#felt = null
    this.#element.style.setProperty('--swell', '0')
    this.#element.removeAttribute('data-over')
    this.#element.removeAttribute('data-waits')
    this.#element.removeAttribute('data-says')
  }

  /**
   * Whether shapes that are let go now fall in: either the hand is over the mouth, or the hand holds a single shape
   * whose middle is over the mouth.
   */
  takes(hand: Point, shapes: Frame[]) {
    if (!this.#play.isOn) return false
    const { x, y, radius } = this.mouth
    const isOver = (point: Point) => Math.hypot(point.x - x, point.y - y) <= radius + mercy
    return isOver(hand) || (shapes.length === 1 && isOver(this.#view.toScreen(middle(shapes[0]))))
  }

  /** @returns what the edit returned */
  swallow(ids: number[]) {
    if (ids.length === 0) return undefined
    this.#isKnown = true
    const { x, y } = this.#view.toCanvas(this.mouth)
    const set = { position: [round(x - 0.5), round(y - 0.5)], size: [1, 1], deleted: true }
    return this.#editing.edit((replica) => replica.edit(ids.map((shape) => ({ shape, set }))))
  }
}

/** A whole coordinate within the limits of the protocol, however far away the view is. */
const round = (value: number) => Math.max(-1e7, Math.min(1e7, Math.round(value * 100) / 100))
