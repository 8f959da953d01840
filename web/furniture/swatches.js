import { shapeColors } from '../basics/shape-colors.js'
import { element, icon, setAttributes, setIcon } from '../elements/element.js'

/** @typedef {'fill' | 'stroke'} Part */

/** @type {Record<Part, string>} */
const partWords = { fill: 'Fill', stroke: 'Outline' }

/**
 * Fill or outline, and the colours for the chosen one. The first swatch means no particular colour, the second no fill.
 * For shapes with a single colour there are only colours.
 */
export class Swatches {
  #choose
  #special
  /** @type {Part} */
  #part = 'fill'
  /** Whether the selection has a single colour, instead of a fill and an outline. To be set before `show`. */
  isOfOneColor = false
  /** @type {Record<Part, string | null | undefined>} */
  #shown = { fill: undefined, stroke: undefined }
  /** @type {[Part, HTMLButtonElement][]} */
  #parts
  /** @type {{button: HTMLButtonElement, name: string, color: string | null}[]} */
  #buttons

  /**
   * @param {string} label @param {Record<Part, {words: string, icon: string}>} special the first swatch of each part
   * @param {(part: Part, color: string | null) => unknown} choose null: the first one; `none`: no fill
   */
  constructor(label, special, choose) {
    this.#choose = choose
    this.#special = special
    this.#parts = /** @type {Part[]} */ (['fill', 'stroke']).map((part) => [part, element('button', {
      type: 'button', class: 'swatch-button part', 'aria-label': `Colour the ${partWords[part].toLowerCase()}`, title: partWords[part], onclick: () => {
        this.#part = part
        this.#refresh()
      },
    }, icon(part))])
    const colors = /** @type {[string, string | null][]} */ ([['', null], ['None', 'none'], ...shapeColors])
    this.#buttons = colors.map(([name, color]) => {
      const button = element('button', {
        type: 'button', class: 'swatch-button', onclick: () => this.#choose(this.isOfOneColor ? 'fill' : this.#part, color),
      }, color === null || color === 'none' ? icon('none') : element('span', { class: 'paint-swatch' }))
      if (color !== null && color !== 'none') button.style.setProperty('--swatch', color)
      return { button, name, color }
    })
    this.element = element('div', { class: 'swatch-grid', role: 'group', 'aria-label': label },
      this.#parts.map(([, button]) => button), this.#buttons.map(({ button }) => button))
    this.#refresh()
  }

  /**
   * The current choice: null for the first swatch, `none` for no fill, undefined if it is none of these, or several.
   *
   * @param {Record<Part, string | null | undefined>} colors
   */
  show(colors) {
    this.#shown = colors
    this.#refresh()
  }

  #refresh() {
    const part = this.isOfOneColor ? 'fill' : this.#part
    for (const [each, button] of this.#parts) {
      button.hidden = this.isOfOneColor
      setAttributes(button, { 'aria-pressed': String(each === part) })
    }
    const partWord = this.isOfOneColor ? 'Colour' : partWords[part]
    for (const { button, name, color } of this.#buttons) {
      const words = color === null ? this.#special[part].words : `${partWord}: ${name}`
      setAttributes(button, { 'aria-label': words, title: words, 'aria-pressed': String(this.#shown[part] === color) })
      // For an outline, the first swatch already means none.
      if (color === 'none') button.hidden = this.isOfOneColor || part === 'stroke'
      else if (color === null) setIcon(button, this.#special[part].icon)
      else button.classList.toggle('as-outline', part === 'stroke')
    }
  }
}
