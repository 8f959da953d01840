import type { View } from '../drawing/view.js'

/** In CSS pixels: the space between the text and the edges of the visible area. */
const margin = 12

/**
 * Moves the paper up so far that the text that is being written stays above the on-screen keyboard, and moves the paper
 * back afterwards. The keyboard covers the page without changing the page's size.
 */
export class AboveKeyboard {
  #view
  /** How far the paper has been moved up, in CSS pixels, and at which scale. */
  #moved = 0
  #scale = 1

  constructor(view: View) {
    this.#view = view
  }

  /** @param field where it lies now */
  follow(field: HTMLTextAreaElement) {
    const { height = innerHeight, offsetTop = 0 } = window.visualViewport ?? {}
    if (this.#moved !== 0 && this.#scale !== this.#view.scale) this.#moved = 0
    const { top, bottom } = field.getBoundingClientRect()
    // How much of the field would be hidden if the paper had not been moved.
    const hidden = bottom + this.#moved + margin - (offsetTop + height)
    const free = top + this.#moved - margin - offsetTop
    // If the field is higher than the visible space, its end is shown while the text cursor is at the end, since people
    // mostly write there.
    const isAtEnd = field.selectionEnd === field.value.length
    this.#moveTo(Math.max(0, isAtEnd ? hidden : Math.min(hidden, free)))
  }

  /** Moves the paper back. */
  rest() { this.#moveTo(0) }

  /** @param wanted CSS pixels */
  #moveTo(wanted: number) {
    if (Math.abs(wanted - this.#moved) < 1) return
    if (this.#moved === 0 || this.#scale === this.#view.scale) this.#view.panBy(0, this.#moved - wanted)
    this.#moved = wanted
    this.#scale = this.#view.scale
  }
}
