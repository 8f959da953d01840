import type { View } from '../canvas/view.js'

/** In CSS pixels: the margin between the text field and the edges of the visible area. */
const margin = 12

/**
 * Scrolls the canvas up so that the text field stays above the on-screen keyboard, and scrolls back afterwards. This is
 * needed because the keyboard covers the page without changing its size.
 */
export class AboveKeyboard {
  #view
  /** `#moved`: how far the canvas was scrolled up, in CSS pixels. `#scale`: the view's scale at that time. */
  #moved = 0
  #scale = 1

  constructor(view: View) {
    this.#view = view
  }

  /** @param field the field, at its present place */
  follow(field: HTMLTextAreaElement) {
    const { height = innerHeight, offsetTop = 0 } = window.visualViewport ?? {}
    if (this.#moved !== 0 && this.#scale !== this.#view.scale) this.#moved = 0
    const { top, bottom } = field.getBoundingClientRect()
    // How much of the field would be hidden if the canvas had not been scrolled.
    const hidden = bottom + this.#moved + margin - (offsetTop + height)
    const free = top + this.#moved - margin - offsetTop
    // If the field is higher than the visible area, its lower end is shown while the text cursor is at the end of the
    // text.
    const isAtEnd = field.selectionEnd === field.value.length
    this.#moveTo(Math.max(0, isAtEnd ? hidden : Math.min(hidden, free)))
  }

  /** Scrolls the canvas back. */
  rest() { this.#moveTo(0) }

  /** @param wanted in CSS pixels */
  #moveTo(wanted: number) {
    if (Math.abs(wanted - this.#moved) < 1) return
    if (this.#moved === 0 || this.#scale === this.#view.scale) this.#view.shift(0, this.#moved - wanted)
    this.#moved = wanted
    this.#scale = this.#view.scale
  }
}
