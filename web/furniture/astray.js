import { element, icon } from '../elements/element.js'

/** The way is only offered to who has come to rest. */
const restMilliseconds = 300

/** On a canvas without end one loses sight of the drawing: who sees nothing of it is offered the way back. */
export class Astray {
  #app
  #timer = 0

  /** @param {import('../state/app.js').App} app @param {Record<string, {run: () => void}>} actions */
  constructor(app, actions) {
    this.#app = app
    this.element = element('button', {
      type: 'button', class: 'button floating astray', hidden: true, onclick: () => actions.zoomToFit.run(),
    }, icon('fit'), 'Back to the drawing')
    const soon = () => {
      if (this.#timer === 0) this.#timer = setTimeout(() => this.#look(), restMilliseconds)
    }
    app.view.addEventListener('change', soon)
    app.addEventListener('changes', soon)
    soon()
  }

  #look() {
    this.#timer = 0
    const { scene, session, view } = this.#app
    const { x, y, width, height } = view.visibleBox()
    const isSeen = scene.order.some(({ left, right, top, bottom }) =>
      right > x && bottom > y && left < x + width && top < y + height)
    this.element.hidden = isSeen || session.shapeCount === 0
  }
}
