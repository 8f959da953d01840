import { middle } from '../canvas/frames.js'
import type { Frame, Point } from '../core/types.js'
import type { Reach } from './reach.js'
import { coordinate } from './transform.js'

/** In CSS pixels: the hole begins to grow when a shape is this close. */
const feltFrom = 160
/** In CSS pixels: the hole catches shapes up to this far beyond its edge, because a finger can't aim more precisely. */
const mercy = 8

/**
 * The black hole: the white circle at the lower left, which is also a button. A shape that is dropped there is deleted.
 * One operation moves the shape into the hole, makes it as small as possible and deletes it, so that other clients can
 * animate this.
 *
 * The style sheet uses these attributes and properties. `data-waits`: a shape is dragged. `--swell`: from 0 to 1 as the
 * shape comes nearer. `data-over`: the shape would be deleted if it were dropped now. `data-says`: the explanation is
 * shown, until a shape has been dropped for the first time.
 */
export class Hole {
  #editing
  #play
  #view
  #element
  #stage
  #isKnown = false
  /** The circle's position, cached during a drag, because reading it from the page forces a layout. */
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

  /** Whether people can see the circle. For example, it is hidden while the panel's sheet lies over it. */
  get #isSeen() {
    return this.#play.isOn && this.#element.offsetWidth > 0 && getComputedStyle(this.#element).visibility === 'visible'
  }

  /** The circle at its normal size, in CSS pixels relative to the stage. */
  get mouth() {
    const stage = this.#stage.getBoundingClientRect()
    const circle = this.#element.getBoundingClientRect()
    return {
      x: circle.left + circle.width / 2 - stage.left,
      y: circle.top + circle.height / 2 - stage.top,
      radius: this.#element.offsetWidth / 2,
    }
  }

  /**
   * Called while a shape is dragged.
   *
   * @param point the pointer, relative to the stage
   */
  feel(point: Point) {
    if (!this.#felt && !this.#isSeen) return
    this.#felt ??= this.mouth
    const { x, y, radius } = this.#felt
    const distance = Math.hypot(point.x - x, point.y - y) - radius
    const swell = Math.max(0, Math.min(1, 1 - distance / feltFrom))
    this.#element.style.setProperty('--swell', swell.toFixed(2))
    this.#element.toggleAttribute('data-over', distance <= mercy)
    this.#element.toggleAttribute('data-waits', true)
    this.#element.toggleAttribute('data-says', !this.#isKnown)
  }

  /** Called when the drag has ended. */
  rest() {
    this.#felt = null
    this.#element.style.setProperty('--swell', '0')
    this.#element.removeAttribute('data-over')
    this.#element.removeAttribute('data-waits')
    this.#element.removeAttribute('data-says')
  }

  /**
   * Whether the shapes would fall into the hole if they were dropped now. Either the pointer is over the hole, or a
   * single shape is held and its centre is over the hole.
   */
  takes(hand: Point, shapes: Frame[]) {
    if (!this.#isSeen) return false
    const { x, y, radius } = this.mouth
    const isOver = (point: Point) => Math.hypot(point.x - x, point.y - y) <= radius + mercy
    return isOver(hand) || (shapes.length === 1 && isOver(this.#view.toScreen(middle(shapes[0]))))
  }

  /** @returns as `Editing.edit` */
  swallow(ids: number[]) {
    if (ids.length === 0) return undefined
    this.#isKnown = true
    const { x, y } = this.#view.toCanvas(this.mouth)
    const set = { position: [coordinate(x - 0.5), coordinate(y - 0.5)], size: [1, 1], deleted: true }
    return this.#editing.edit((replica) => replica.edit(ids.map((shape) => ({ shape, set }))))
  }
}
