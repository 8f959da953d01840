import { nextFill } from '../draw/look.js'
import { element, elementById, icon, iconButton, setIcon } from '../elements/element.js'
import { popover } from '../elements/popover.js'
import { roomLink } from '../network/address.js'
import type { Paint } from '../state/paint.js'
import type { Permission } from '../state/permission.js'
import type { Play } from '../state/play.js'
import type { Shown } from '../state/shown.js'
import type { Tool } from '../state/tool.js'
import type { Doables } from '../tools/actions.js'

const shapeTools = ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star', 'note', 'text', 'arrow', 'line', 'pen', 'eraser', 'laser']

/**
 * The order in which tools are moved behind the button “More tools” if there is not enough space: the least used ones
 * first.
 */
const rarestFirst = ['laser', 'star', 'polygon', 'roundedRectangle', 'line', 'eraser', 'ellipse', 'pen', 'arrow', 'text', 'note', 'rectangle']
/**
 * In CSS pixels: the margin at both sides of the window, and the gap between the tools and the controls beside them.
 */
const edge = 8
const apart = 16

/** The toolbar's buttons, by the names of their actions. null stands for a separator. */
const layout = ['select', null, 'shapes', 'paint', null, 'addSquare', null, 'undo', 'redo']
const icons: Record<string, string> = { addSquare: 'square-add' }

/**
 * The toolbar at the bottom. Tools for which there is no space are behind the button “More tools”, which shows the
 * current tool if that is one of them.
 */
export class Toolbar {
  #tool
  #paint
  #shown
  #actions
  #toolButtons = new Map<string, HTMLButtonElement[]>()
  #buttons = new Map<string, HTMLButtonElement>()
  /** The tools that are behind the button “More tools”. */
  #folded = new Set<string>()
  #more = iconButton('caret', 'More tools', { class: 'plain more-tools' })
  #play
  #bar = element('div', { class: 'toolbar floating', role: 'toolbar', 'aria-label': 'Tools' })
  /** Shows the style of the next shape. What it opens is loaded later. */
  readonly styleButton = iconButton('any-color', 'Style of the next shape', { 'aria-haspopup': 'dialog', 'aria-expanded': 'false' })
  readonly element = element('nav', { class: 'tools', 'aria-label': 'Tools' }, this.#bar)

  constructor({ room, tool, paint, permission, play, shown, actions }: {
    room: string, tool: Tool, paint: Paint, permission: Permission, play: Play, shown: Shown, actions: Doables,
  }) {
    this.#tool = tool
    this.#play = play
    this.#paint = paint
    this.#shown = shown
    this.#actions = actions
    for (const name of layout) {
      if (!name) this.#bar.append(element('span', { class: 'line' }))
      else if (name === 'select') this.#bar.append(this.#toolButton('select'))
      else if (name === 'shapes') this.#bar.append(this.#shapes(), this.#moreTools())
      else if (name === 'paint') this.#bar.append(this.#paintButton())
      else this.#bar.append(this.#actionButton(name))
    }
    // Only viewers have this button. For others the laser pointer is among the tools that can be folded.
    const pointing = this.#toolButton('laser')
    pointing.classList.add('viewers-tool')
    this.#bar.append(pointing)
    if (permission.isByLink) {
      this.#bar.append(element('span', { class: 'line viewers-tool' }), element('button', {
        type: 'button', class: 'button plain viewers-tool', title: 'This link is for looking on. Open the room to edit it.',
        onclick: () => location.assign(roomLink(room)),
      }, icon('pen'), 'Edit'))
    }
    this.#bar.addEventListener('keydown', (event) => this.#moveFocus(event))
    // After a press the keys belong to the canvas, so that the space bar moves it, unless the press has opened a box.
    this.#bar.addEventListener('click', ({ detail }) => {
      const focused = document.activeElement
      if (detail === 0 || !(focused instanceof HTMLElement) || this.#bar.querySelector(':popover-open')) return
      if (this.#bar.contains(focused)) focused.blur()
    })
    tool.on('change', () => this.#show())
    shown.on('changes', () => this.#enable())
    play.on('change', () => this.#showPlay())
    this.#show()
    this.#enable()
    this.#showPlay()
    new ResizeObserver(() => this.#fold()).observe(this.element)
  }

  #label(name: string) {
    const { words, key } = this.#actions[name]
    return key ? `${words} (${key})` : words
  }

  #toolButton(name: string) {
    const made = iconButton(name, this.#actions[name].words, {
      title: this.#label(name), 'aria-pressed': 'false', 'data-tool': name, onclick: () => this.#tool.choose(name),
    })
    this.#toolButtons.set(name, [...(this.#toolButtons.get(name) ?? []), made])
    return made
  }

  #actionButton(name: string) {
    const made = iconButton(icons[name] ?? name, this.#actions[name].words, {
      title: this.#label(name), 'data-action': name, onclick: () => this.#actions[name].run(),
    })
    this.#buttons.set(name, made)
    return made
  }

  #shapes() {
    return element('span', { class: 'shapes row', role: 'group', 'aria-label': 'Shapes' },
      shapeTools.map((name) => this.#toolButton(name)))
  }

  #moreTools() {
    const choices = shapeTools.map((name) => this.#toolButton(name))
    const { close } = popover(this.#more, element('div', { class: 'row shapes-popover' }, choices), { label: 'More tools' })
    for (const choice of choices) choice.addEventListener('click', close)
    return this.#more
  }

  /**
   * Moves tools behind the button “More tools” until the others fit. There is less space for them if the white circle
   * (`hole`) is at the same height.
   */
  #fold() {
    const width = this.element.clientWidth
    if (width === 0) return
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = elementById('hole')
    const isBeside = offsetTop + offsetHeight > this.#bar.getBoundingClientRect().top
    const room = width - 2 * (isBeside ? offsetLeft + offsetWidth + apart : edge)
    this.#folded.clear()
    this.#showFolded()
    for (const name of rarestFirst) {
      if (this.#bar.offsetWidth <= room) break
      this.#folded.add(name)
      this.#showFolded()
    }
    this.#show()
  }

  /** Without Play there is no button for random squares, so there is space for more tools. */
  #showPlay() {
    const square = this.#buttons.get('addSquare')
    if (!square) return
    square.hidden = !this.#play.isOn
    if (square.previousElementSibling instanceof HTMLElement) square.previousElementSibling.hidden = square.hidden
    this.#fold()
  }

  #showFolded() {
    for (const name of shapeTools) {
      const [inBar, inPopover] = this.#toolButtons.get(name) ?? []
      inBar.hidden = this.#folded.has(name)
      inPopover.hidden = !inBar.hidden
    }
    this.#more.hidden = this.#folded.size === 0
  }

  /** The button for the style of the next shape. */
  #paintButton() {
    const paint = this.#paint
    const button = this.styleButton
    const shape = element('span', { class: 'paint-swatch' })
    button.append(shape)
    const next = () => (paint.fill === 'none' ? 'transparent' : nextFill(paint, this.#shown.replica))
    let color: string | null | undefined
    const show = () => {
      const { stroke } = paint
      color = next()
      button.classList.toggle('any', color === null)
      button.classList.toggle('outlined', stroke !== null)
      button.style.setProperty('--swatch', color ?? 'transparent')
      button.style.setProperty('--outline', stroke ?? 'transparent')
      button.style.setProperty('--outline-width', `${Math.min(5, 1 + paint.strokeWidth / 2)}px`)
      button.style.setProperty('--dash', paint.dash)
    }
    paint.on('change', show)
    // The event `changes` comes in every frame, but the next colour changes only with the number of shapes.
    this.#shown.on('changes', () => { if (next() !== color) show() })
    show()
    return button
  }

  #show() {
    const tool = this.#tool.name
    for (const [name, buttons] of this.#toolButtons) {
      for (const button of buttons) button.setAttribute('aria-pressed', String(name === tool))
    }
    setIcon(this.#more, this.#folded.has(tool) ? tool : 'caret')
    this.#more.classList.toggle('chosen', this.#folded.has(tool))
  }

  #enable() {
    for (const [name, button] of this.#buttons) {
      const isDisabled = String(!(this.#actions[name].isEnabled?.() ?? true))
      if (button.getAttribute('aria-disabled') !== isDisabled) button.setAttribute('aria-disabled', isDisabled)
    }
  }

  #moveFocus(event: KeyboardEvent) {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const step = event.key === 'ArrowLeft' ? -1 : 1
    const buttons = [...this.#bar.querySelectorAll('button')].filter((button) => button.offsetParent)
    const at = buttons.findIndex((button) => button === document.activeElement)
    if (at < 0) return
    event.preventDefault()
    event.stopPropagation()
    buttons[(at + step + buttons.length) % buttons.length].focus()
  }
}
