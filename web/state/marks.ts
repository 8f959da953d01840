import { Setting } from './setting.js'

/**
 * Whether overlaps are marked in the drawing, which is a setting, and which shape is under the pointer. If there are
 * many overlaps, only those of that shape and of the selected shapes are marked. `change`: the setting or the shape has
 * changed.
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
