import { Setting } from './setting.js'

/**
 * Which overlaps are marked in the drawing. A setting says whether any are marked. If there are many overlaps, only
 * those of the shape under the pointer and of the selected shapes are marked. `change`: the setting, or the shape under
 * the pointer, has changed.
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
