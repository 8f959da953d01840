import { Source } from '../basics/source.js'
import type { Changes } from '../core/types.js'
import type { Shown } from './shown.js'

/** The selected shapes. `change`: the selection has changed. A deleted shape is removed, and can't be selected. */
export class Selection extends Source<{ change: number[] }> {
  #ids = new Set<number>()
  #shown

  constructor(shown: Shown) {
    super()
    this.#shown = shown
    shown.on('changes', (changes) => this.#follow(changes))
  }

  get size() { return this.#ids.size }
  ids(): number[] { return [...this.#ids] }
  has(id: number) { return this.#ids.has(id) }

  set(ids: Iterable<number>) {
    const next = new Set(ids)
    // A shape might have been deleted since the person chose it. Shapes that are selected already are followed.
    const added = [...next].filter((id) => !this.#ids.has(id))
    const alive = new Set(this.#shown.replica.shapesOf(added).map(({ id }) => id))
    for (const id of added) if (!alive.has(id)) next.delete(id)
    if (next.size === this.#ids.size && [...next].every((id) => this.#ids.has(id))) return
    this.#ids = next
    this.tell('change', this.ids())
  }

  add(ids: number[]) { this.set([...this.#ids, ...ids]) }
  remove(ids: number[]) {
    const gone = new Set(ids)
    this.set(this.ids().filter((id) => !gone.has(id)))
  }
  /** If all of the shapes are selected, removes them from the selection; otherwise adds them. */
  toggle(ids: number[]) { ids.every((id) => this.has(id)) ? this.remove(ids) : this.add(ids) }
  clear() { this.set([]) }

  #follow(changes: Changes) {
    if (this.#ids.size === 0) return
    if (changes.reset) this.set(this.#shown.replica.shapesOf(this.#ids).map(({ id }) => id))
    else if (changes.shapes.some(({ id, shape }) => !shape && this.#ids.has(id))) {
      this.remove(changes.shapes.filter(({ shape }) => !shape).map(({ id }) => id))
    }
  }
}
