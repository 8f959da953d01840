import { Setting } from './setting.js'

/**
 * Whether overlaps are marked in the drawing, and which shape the pointer is on. If there are many overlaps, only the
 * overlaps of the selected shapes and of the shape under the pointer are marked. `change`: the switch or the shape
 * under the pointer has changed.
 */
export class Marks extends Setting {
  #pointedAt: number | null = null

  constructor() { super('canvas.overlaps') }

  get pointedAt() { return this.#pointedAt }

  pointAt(id: number | null) {
    if (id === this.#pointedAt) return
    this.#pointedAt = id
    this.tell('change', null)
  }
}
