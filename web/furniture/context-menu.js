import { frameOf, shapesOf } from '../tools/grasp.js'
import { middle } from '../tools/transform.js'
import { element } from '../elements/element.js'
import { menuOf } from '../elements/popover.js'

const margin = 8
const forShapes = [
  'cut', 'copy', 'paste', 'duplicate', null, 'bringToFront', 'bringForward', 'sendBackward', 'sendToBack', null,
  'recolor', 'zoomToSelection', null, 'delete',
]
const forPaper = ['paste', 'selectAll', null, 'undo', 'redo', null, 'zoomToFit', 'lifeSize']

/** What can be done where the pointer is, or to what is selected: by the right button, or the keyboard's key for it. */
export class ContextMenu {
  #app
  #actions
  #close = () => {}

  /**
   * @param {import('../state/app.js').App} app
   * @param {Record<string, {words: string, key?: string, run: () => void, isEnabled?: () => boolean}>} actions
   */
  constructor(app, actions) {
    this.#app = app
    this.#actions = actions
  }

  /** @param {MouseEvent} event on the canvas, on a layer, or anywhere where a key asked for it */
  open(event) {
    if (this.#app.tools.isBusy) return
    this.#app.tools.cancel('interrupted')
    this.#close()
    const { selection } = this.#app
    const { x, y, shape } = this.#meant(event)
    if (shape === null) selection.clear()
    else if (!selection.has(shape)) selection.set([shape])
    const names = selection.size > 0 ? forShapes : forPaper
    const { content, refresh } = menuOf(names.map((name) => name && {
      ...this.#actions[name], danger: name === 'delete',
    }), () => this.#close())
    refresh()
    // By hand: one that closes by itself would, where the right button opens it when it goes down, when it comes up.
    const box = element('div', {
      class: 'popover context floating', popover: 'manual', role: 'menu', 'aria-label': 'What can be done here',
    }, content)
    document.body.append(box)
    box.showPopover()
    const { width, height } = box.getBoundingClientRect()
    box.style.left = `${Math.max(margin, Math.min(x, innerWidth - width - margin))}px`
    box.style.top = `${Math.max(margin, Math.min(y, innerHeight - height - margin))}px`
    const before = document.activeElement
    content.querySelector('[aria-disabled=false]')?.focus({ preventScroll: true })
    const leave = ({ target }) => { if (!(target instanceof Node && box.contains(target))) this.#close() }
    const outside = ['pointerdown', 'wheel', 'blur', 'resize']
    this.#close = () => {
      this.#close = () => {}
      for (const type of outside) removeEventListener(type, leave, { capture: true })
      if (box.contains(document.activeElement)) before?.focus?.({ preventScroll: true })
      box.remove()
    }
    for (const type of outside) addEventListener(type, leave, { capture: true })
    box.addEventListener('contextmenu', (event) => event.preventDefault())
    box.addEventListener('keydown', (event) => {
      event.stopPropagation()
      if (event.key === 'Escape' || event.key === 'Tab') {
        event.preventDefault()
        this.#close()
      }
    })
  }

  /** A place of the window, and the shape that lies there; a key is pressed nowhere, and means what is selected. */
  #meant({ target, button, clientX: x, clientY: y }) {
    const { session, selection, view } = this.#app
    const layer = target.closest('.layer')
    if (layer) return { x, y, shape: Number(layer.dataset.shape) }
    if (button >= 0 && target !== document.body) {
      const point = view.toCanvas({ x, y })
      return { x, y, shape: session.shapesAt(point.x, point.y)[0] ?? null }
    }
    const ids = selection.ids()
    return { ...view.toScreen(middle(frameOf(shapesOf(session, ids)) ?? view.visibleBox())), shape: ids[0] ?? null }
  }
}
