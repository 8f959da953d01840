import { element, icon, iconButton } from '../elements/element.js'
import type { Frames } from '../state/frames.js'
import { lastTab, rememberTab } from './last-tab.js'
import { sheetGrip } from './sheet.js'

export { Overlaps } from './overlaps.js'

/** The panel: at the right, or on a phone at the bottom. At most one of its tabs is open. */
export class Panel {
  #tabs
  #open: string | null = null
  #remembered
  #element
  #button
  #frames

  /**
   * @param place the panel's element, still empty
   * @param button opens and closes the panel
   * @param opens whether the panel is open at first
   */
  constructor(
    place: HTMLElement, button: HTMLElement, opens: boolean, frames: Frames,
    tabs: { name: string, words: string, icon: string, element: HTMLElement, onShow?: () => unknown }[],
  ) {
    this.#element = place
    this.#button = button
    this.#frames = frames
    this.#tabs = tabs.map((tab) => ({
      ...tab,
      button: element('button', {
        type: 'button', role: 'tab', id: `tab-${tab.name}`, class: 'tab', 'aria-controls': `panel-${tab.name}`,
        onclick: () => this.show(tab.name),
      }, icon(tab.icon), element('span', {}, tab.words)),
      count: element('span', { class: 'tab-count', hidden: true }),
    }))
    const list = element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Panel' })
    this.#element.append(sheetGrip(this.#element, () => this.hide()),
      element('div', { class: 'panel-head row' }, list, iconButton('close', 'Close the panel', {
        class: 'plain small', onclick: () => this.hide(),
      })))
    for (const tab of this.#tabs) {
      tab.button.append(tab.count)
      list.append(tab.button)
      tab.element.id = `panel-${tab.name}`
      tab.element.setAttribute('role', 'tabpanel')
      tab.element.setAttribute('aria-labelledby', tab.button.id)
      tab.element.hidden = true
      this.#element.append(tab.element)
    }
    list.addEventListener('keydown', (event) => this.#moveFocus(event))
    this.#element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      event.stopPropagation()
    })
    this.#remembered = lastTab() || 'layers'
    if (opens) this.open()
    button.addEventListener('click', () => this.isOpen() ? this.hide() : this.open())
  }

  isOpen() { return this.#open !== null }

  open() { this.show(this.#remembered) }

  /** @param count the number beside the tab's label */
  setCount(name: string, count: number) {
    const tab = this.#tabs.find((tab) => tab.name === name)
    if (!tab) return
    tab.count.textContent = count > 999 ? '999+' : String(count)
    tab.count.hidden = count === 0
  }

  show(name: string) {
    this.#open = name
    this.#remembered = name
    this.#element.hidden = false
    for (const tab of this.#tabs) {
      const isOpen = tab.name === name
      tab.button.setAttribute('aria-selected', String(isOpen))
      tab.button.tabIndex = isOpen ? 0 : -1
      tab.element.hidden = !isOpen
      if (isOpen) tab.onShow?.()
    }
    this.#changed()
    // In a small window the panel takes the place of the bars, and so of its own button.
    const hadFocus = document.activeElement === this.#button
    if (hadFocus && getComputedStyle(this.#button).visibility === 'hidden') this.#tabs.find((tab) => tab.name === name)?.button.focus()
  }

  hide() {
    this.#open = null
    this.#element.hidden = true
    this.#changed()
    this.#button.focus()
  }

  #changed() {
    this.#button.setAttribute('aria-expanded', String(this.isOpen()))
    document.body.classList.toggle('has-panel', this.isOpen())
    rememberTab(this.#open ?? '')
    // What is placed beside the panel moves.
    this.#frames.request()
  }

  #moveFocus(event: KeyboardEvent) {
    const at = this.#tabs.findIndex(({ name }) => name === this.#open)
    const last = this.#tabs.length - 1
    const to = new Map([['ArrowLeft', at - 1], ['ArrowRight', at + 1], ['Home', 0], ['End', last]]).get(event.key)
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const tab = this.#tabs[(to + this.#tabs.length) % this.#tabs.length]
    this.show(tab.name)
    tab.button.focus()
  }
}
