import { Source } from '../basics/source.js'

const key = 'canvas.overlaps'

/**
 * Whether overlaps are marked in the drawing, and which shape the pointer is on: if there are many overlaps, only those
 * of the selected shapes and of the shape under the pointer are marked. `change`: one of the two has changed. The
 * setting is stored in this browser.
 *
 * @extends {Source<{change: null}>}
 */
export class Marks extends Source {
  #isOn = remembered()
  /** @type {number | null} */
  #pointedAt = null

  get isOn() { return this.#isOn }
  get pointedAt() { return this.#pointedAt }

  toggle() {
    this.#isOn = !this.#isOn
    try {
      localStorage.setItem(key, this.#isOn ? 'on' : 'off')
    } catch {
      // If the setting can't be stored, it lasts as long as the page does.
    }
    this.tell('change', null)
  }

  /** @param {number | null} id */
  pointAt(id) {
    if (id === this.#pointedAt) return
    this.#pointedAt = id
    this.tell('change', null)
  }
}

function remembered() {
  try {
    return localStorage.getItem(key) !== 'off'
  } catch {
    return true
  }
}
