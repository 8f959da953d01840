import { shapeColors } from '../basics/shape-colors.js'
import { noteShade } from '../canvas/notes.js'
import { element, icon, setAttributes, setIcon } from '../elements/element.js'

type Part = 'fill' | 'stroke'

const partWords: Record<Part, string> = { fill: 'Fill', stroke: 'Outline' }

/** The swatch is always shown if `isShown` is left out. */
type Special = { words: string, icon: string, isShown?: () => boolean }

/**
 * The choice between fill and outline, and the colours for the chosen one. For shapes with a single colour there is no
 * such choice.
 */
export class Swatches {
  #choose
  #special
  #part: Part = 'fill'
  /** Whether the selected shapes have a single colour, instead of a fill and an outline. Must be set before `show`. */
  isOfOneColor = false
  /** Whether the selected shapes are notes, which get lighter shades as fills. Must be set before `show`. */
  isOfNotes = false
  #shown: Record<Part, string | null | undefined> = { fill: undefined, stroke: undefined }
  #parts: [Part, HTMLButtonElement][]
  #buttons: { button: HTMLButtonElement, name: string, color: string | null }[]
  readonly element

  /**
   * @param special the first swatch for the fill and for the outline; `any` stands for a random fill
   * @param choose gets null for the first swatch, and `none` for no fill
   */
  constructor(
    label: string, special: Record<Part, Special> & { any?: Special },
    choose: (part: Part, color: string | null) => unknown,
  ) {
    this.#choose = choose
    this.#special = special
    this.#parts = (['fill', 'stroke'] as Part[]).map((part) => [part, element('button', {
      type: 'button', class: 'swatch-button part', 'aria-label': `Colour the ${partWords[part].toLowerCase()}`, title: partWords[part], onclick: () => {
        this.#part = part
        this.#refresh()
      },
    }, icon(part))])
    const colors = [
      ['', null], ...special.any ? [['', 'any']] : [], ['None', 'none'], ...shapeColors] as [string, string | null][]
    this.#buttons = colors.map(([name, color]) => {
      const button = element('button', {
        type: 'button', class: 'swatch-button', onclick: () => this.#choose(this.isOfOneColor ? 'fill' : this.#part, color),
      }, color?.startsWith('#') ? element('span', { class: 'paint-swatch' }) : icon('none'))
      return { button, name, color }
    })
    this.element = element('div', {
      class: `swatch-grid${special.any ? ' has-any' : ''}`, role: 'group', 'aria-label': label,
    },
      this.#parts.map(([, button]) => button), this.#buttons.map(({ button }) => button))
  }

  /**
   * Marks the current colours: null for the first swatch, `none` for no fill. With undefined no swatch is marked,
   * because the shapes differ or have a colour that no swatch shows.
   */
  show(colors: Record<Part, string | null | undefined>) {
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
      const shown = color !== null && this.isOfNotes && part === 'fill' ? noteShade(color) : color
      button.style.setProperty('--swatch', shown)
      setAttributes(button, { 'aria-label': words, title: words, 'aria-pressed': String(this.#shown[part] === shown) })
      if (special) setIcon(button, special.icon)
      button.hidden = !(special?.isShown?.() ?? true)
      // There is no swatch for “no outline”, because the first swatch of the outline means that already.
      if (color === 'none') button.hidden = this.isOfOneColor || part === 'stroke'
      else if (color === 'any') button.hidden ||= part === 'stroke'
      else button.classList.toggle('as-outline', part === 'stroke')
    }
  }
}
