import { element, icon, iconButton, setIcon } from '../elements/element.js'
import { popover } from '../elements/popover.js'

const shapeTools = ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star']

/** What the toolbar shows, by the names of actions; null is a line. */
const layout = ['select', null, 'shapes', null, 'addSquare', 'blackHole', null, 'undo', 'redo']
const icons = { addSquare: 'square-add', blackHole: 'hole' }

/** The tools at the bottom. Where it is narrow, the shapes fold into one button. */
export class Toolbar {
  #app
  #actions
  #toolButtons = new Map()
  #buttons = new Map()
  #lastShape = 'rectangle'
  #folded
  #bar

  /**
   * @param {import('../state/app.js').App} app
   * @param {Record<string, {words: string, key?: string, run: () => void, isEnabled?: () => boolean}>} actions
   */
  constructor(app, actions) {
    this.#app = app
    this.#actions = actions
    this.#bar = element('div', { class: 'toolbar floating', role: 'toolbar', 'aria-label': 'Tools' })
    this.element = element('nav', { 'aria-label': 'Tools' }, this.#bar)
    for (const name of layout) {
      if (!name) this.#bar.append(element('span', { class: 'line' }))
      else if (name === 'select') this.#bar.append(this.#toolButton('select'))
      else if (name === 'shapes') this.#bar.append(this.#shapes(), this.#foldedShapes())
      else this.#bar.append(this.#actionButton(name))
    }
    this.#bar.addEventListener('keydown', (event) => this.#moveFocus(event))
    app.addEventListener('tool', () => this.#show())
    app.addEventListener('changes', () => this.#enable())
    app.addEventListener('effect', ({ detail }) => { if (detail.type === 'unsent') this.#enable() })
    app.addEventListener('mode', () => this.#show())
    app.addEventListener('past', () => this.#show())
    this.#show()
    this.#enable()
  }

  #label(name) {
    const { words, key } = this.#actions[name]
    return key ? `${words} (${key})` : words
  }

  #toolButton(name) {
    const made = iconButton(name, this.#actions[name].words, {
      title: this.#label(name), 'aria-pressed': 'false', 'data-tool': name, onclick: () => this.#app.setTool(name),
    })
    this.#toolButtons.set(name, [...(this.#toolButtons.get(name) ?? []), made])
    return made
  }

  #actionButton(name) {
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

  #foldedShapes() {
    this.#folded = iconButton('rectangle', 'Shapes', { class: 'plain shapes-folded' })
    const choices = shapeTools.map((name) => this.#toolButton(name))
    const { close } = popover(this.#folded, element('div', { class: 'row shapes-popover' }, choices), { label: 'Shapes' })
    for (const choice of choices) choice.addEventListener('click', close)
    return this.#folded
  }

  #show() {
    const { tool } = this.#app
    if (shapeTools.includes(tool)) this.#lastShape = tool
    for (const [name, buttons] of this.#toolButtons) {
      for (const button of buttons) button.setAttribute('aria-pressed', String(name === tool))
    }
    setIcon(this.#folded, this.#lastShape)
    this.#folded.classList.toggle('chosen', shapeTools.includes(tool))
    this.element.hidden = this.#app.viewOnly || this.#app.isPast
  }

  #enable() {
    for (const [name, button] of this.#buttons) {
      const isDisabled = String(!(this.#actions[name].isEnabled?.() ?? true))
      if (button.getAttribute('aria-disabled') !== isDisabled) button.setAttribute('aria-disabled', isDisabled)
    }
  }

  #moveFocus(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step) return
    const buttons = [...this.#bar.querySelectorAll('button')].filter((button) => button.offsetParent)
    const at = buttons.indexOf(document.activeElement)
    if (at < 0) return
    event.preventDefault()
    event.stopPropagation()
    buttons[(at + step + buttons.length) % buttons.length].focus()
  }
}
