import type { Scene } from '../canvas/scene.js'
import type { View } from '../canvas/view.js'
import { element, icon } from '../elements/element.js'
import type { Shown } from '../state/shown.js'
import type { Doables } from '../tools/actions.js'

/** How long the view must be still before the page offers the way back to the drawing. */
const restMilliseconds = 300

/** Offers a way back to a person who sees no shape, because they have moved too far away from the drawing. */
export class Astray {
  #scene
  #shown
  #view
  #timer = 0
  readonly element

  constructor({ scene, shown, view }: { scene: Scene, shown: Shown, view: View }, actions: Doables) {
    this.#scene = scene
    this.#shown = shown
    this.#view = view
    this.element = element('button', {
      type: 'button', class: 'button floating astray', hidden: true, onclick: () => actions.zoomToFit.run(),
    }, icon('fit'), 'Back to the drawing')
    const soon = () => {
      if (this.#timer === 0) this.#timer = setTimeout(() => this.#look(), restMilliseconds)
    }
    view.on('change', soon)
    shown.on('changes', soon)
    soon()
  }

  #look() {
    this.#timer = 0
    const { x, y, width, height } = this.#view.visibleBox()
    const isSeen = this.#scene.order.some(({ shape, left, right, top, bottom }) =>
      shape.visible && right > x && bottom > y && left < x + width && top < y + height)
    this.element.hidden = isSeen || this.#shown.replica.bounds() === null
  }
}
