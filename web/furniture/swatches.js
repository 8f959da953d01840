import { shapeColors } from '../basics/shape-colors.js'
import { element, icon, setAttributes, setIcon } from '../elements/element.js'

/** @typedef {'fill' | 'stroke'} Part */

/** @type {Record<Part, string>} */
const partWords = { fill: 'Fill', stroke: 'Outline' }

/** @typedef {{words: string, icon: string, isShown?: () => boolean}} Special `isShown`: unless it always is */

/**
 * The choice between fill and outline, and the colours for the chosen one. The first swatch stands for no particular
 * colour; further swatches stand for a random colour and for no fill. Shapes with only one colour have no such choice.
 */
export class Swatches {
  #choose
  #special
  /** @type {Part} */
  #part = 'fill'
  /** Whether the selection has a single colour instead of a fill and an outline. Must be set before `show`. */
  isOfOneColor = false
  /** @type {Record<Part, string | null | undefined>} */
  #shown = { fill: undefined, stroke: undefined }
  /** @type {[Part, HTMLButtonElement][]} */
  #parts
  /** @type {{button: HTMLButtonElement, name: string, color: string | null}[]} */
  #buttons

  /**
   * @param {string} label @param {Record<Part, Special> & {any?: Special}} special the first swatch of each part; `any`:
   * for a random fill
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
    const colors = /** @type {[string, string | null][]} */ ([
      ['', null], ...special.any ? [['', 'any']] : [], ['None', 'none'], ...shapeColors])
    this.#buttons = colors.map(([name, color]) => {
      const isColor = color?.startsWith('#')
      const button = element('button', {
        type: 'button', class: 'swatch-button', onclick: () => this.#choose(this.isOfOneColor ? 'fill' : this.#part, color),
      }, isColor ? element('span', { class: 'paint-swatch' }) : icon('none'))
      if (isColor) button.style.setProperty('--swatch', color)
      return { button, name, color }
    })
    this.element = element('div', {
      class: `swatch-grid${special.any ? ' has-any' : ''}`, role: 'group', 'aria-label': label,
    },
      this.#parts.map(([, button]) => button), this.#buttons.map(({ button }) => button))
    this.#refresh()
  }

  /**
   * Shows the current colours: null chooses the first swatch, `none` means no fill, and undefined chooses no swatch,
   * because the colour has none or the shapes differ.
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
      const special = color === null ? this.#special[part] : color === 'any' ? this.#special.any : undefined
      const words = special?.words ?? `${partWord}: ${name}`
      setAttributes(button, { 'aria-label': words, title: words, 'aria-pressed': String(this.#shown[part] === color) })
      if (special) setIcon(button, special.icon)
      button.hidden = !(special?.isShown?.() ?? true)
      // The swatch for none is hidden for an outline, where the first swatch already means none.
      if (color === 'none') button.hidden = this.isOfOneColor || part === 'stroke'
      else if (color === 'any') button.hidden ||= part === 'stroke'
      else button.classList.toggle('as-outline', part === 'stroke')
    }
  }
}
