import { Setting } from './setting.js'

/**
 * Whether overlaps are marked in the drawing, and which shape the pointer is on: if there are many overlaps, only those
 * of the selected shapes and of that one are marked. `change`: one of the two has changed.
 */
export class Marks extends Setting {
  /** @type {number | null} */
  #pointedAt = null

  constructor() { super('canvas.overlaps') }

  get pointedAt() { return this.#pointedAt }

  /** @param {number | null} id */
  pointAt(id) {
    if (id === this.#pointedAt) return
    this.#pointedAt = id
    this.tell('change', null)
  }
}
