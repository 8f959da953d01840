import { frameOf, middle } from '../canvas/frames.js'
import { shapesAt } from '../canvas/hits.js'
import type { Scene } from '../canvas/scene.js'
import type { View } from '../canvas/view.js'
import { element, isWithin, setAttributes } from '../elements/element.js'
import { menuOf } from '../elements/popover.js'
import type { Groups } from '../state/groups.js'
import type { Locks } from '../state/locks.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'
import type { Doables } from '../tools/actions.js'
import { outlineReach } from '../tools/targets.js'
import type { Tools } from '../tools/tools.js'

const margin = 8
const forShapes = [
  'cut', 'copy', 'paste', 'duplicate', null, 'bringToFront', 'bringForward', 'sendBackward', 'sendToBack', null,
  'group', 'ungroup', 'lock', null, 'write', 'openLink', 'connectTo', 'recolor', 'zoomToSelection', null, 'copyPNG', 'copySVG', 'saveSelectionPNG', 'saveSelectionSVG', 'saveSelectionJSON', null,
  'delete',
]
const forPaper = ['paste', 'selectAll', null, 'undo', 'redo', null, 'zoomToFit', 'actualSize']

/**
 * The menu for the place under the pointer, or for the selection. It opens with the right button, or with the
 * keyboard's menu key.
 */
export class ContextMenu {
  #shown
  #scene
  #selection
  #view
  #tools
  #actions
  #groups
  #locks
  #close = () => {}

  constructor({ shown, scene, selection, view, tools, groups, locks, actions }: {
    shown: Shown, scene: Scene, selection: Selection, view: View, tools: Tools, groups: Groups, locks: Locks, actions: Doables,
  }) {
    this.#groups = groups
    this.#locks = locks
    this.#shown = shown
    this.#scene = scene
    this.#selection = selection
    this.#view = view
    this.#tools = tools
    this.#actions = actions
  }

  /** @param event from the canvas or from a row of the layers; a keyboard event can come from anywhere */
  open(event: MouseEvent) {
    if (this.#tools.isBusy) return
    this.#tools.cancel('interrupted')
    this.#close()
    const selection = this.#selection
    const { x, y, shape, isLayer } = this.#meant(event)
    if (shape === null) selection.clear()
    else if (!selection.has(shape)) selection.set(isLayer ? [shape] : this.#groups.with(shape))
    const names = selection.size > 0 ? forShapes : forPaper
    const { content, refresh } = menuOf(names.map((name) => (name === null ? null : {
      ...this.#actions[name], ...name === 'openLink' && { isShown: this.#actions[name].isEnabled }, isToggle: true, danger: name === 'delete',
    })), () => this.#close())
    refresh()
    // The menu has no `popover` behaviour. It opens when the right button is pressed, and that behaviour would close it
    // when the button is released.
    setAttributes(content, { role: 'menu', 'aria-label': 'Actions' })
    const box = element('nav', { class: 'popover context floating', popover: 'manual', 'aria-label': 'Actions' }, content)
    document.body.append(box)
    box.showPopover()
    const { width, height } = box.getBoundingClientRect()
    box.style.left = `${Math.max(margin, Math.min(x, innerWidth - width - margin))}px`
    box.style.top = `${Math.max(margin, Math.min(y, innerHeight - height - margin))}px`
    const before = document.activeElement
    const first = content.querySelector('[aria-disabled=false]')
    if (first instanceof HTMLElement) first.focus({ preventScroll: true })
    const leave = ({ target }: Event) => { if (!(target instanceof Node && box.contains(target))) this.#close() }
    const outside = ['pointerdown', 'wheel', 'blur', 'resize']
    this.#close = () => {
      this.#close = () => {}
      for (const type of outside) removeEventListener(type, leave, { capture: true })
      if (box.contains(document.activeElement) && before instanceof HTMLElement) before.focus({ preventScroll: true })
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

  /**
   * The clicked position in the window, and the shape at this position. A locked shape counts only if no other shape is
   * at this position. If a key opened the menu, there is no position, and the menu applies to the selection.
   */
  #meant(
    { target, button, clientX: x, clientY: y }: MouseEvent,
  ): { x: number, y: number, shape: number | null, isLayer?: boolean } {
    const { replica } = this.#shown
    const layer = target instanceof Element ? target.closest('.layer') : null
    if (layer instanceof HTMLElement) {
      // A group's row stands for all shapes of the group.
      const row = Number(layer.dataset.row)
      return { x, y, shape: Math.abs(row), isLayer: row > 0 }
    }
    if (button >= 0 && target !== document.body && !isWithin(target, '.waiting-field')) {
      const view = this.#view
      const ids = shapesAt({ scene: this.#scene, shown: this.#shown }, view.toCanvas({ x, y }), outlineReach.mouse / view.scale)
      return { x, y, shape: ids.find((id) => !this.#locks.has(id)) ?? ids[0] ?? null }
    }
    const ids = this.#selection.ids()
    const frame = frameOf(replica.shapesOf(ids)) ?? this.#view.visibleBox()
    return { ...this.#view.toScreen(middle(frame)), shape: ids[0] ?? null }
  }
}
