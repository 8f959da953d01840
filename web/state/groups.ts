import type { Locks } from './locks.js'
import type { Selection } from './selection.js'
import type { Shown } from './shown.js'

/**
 * Shapes that are handled as one (S13). A person may enter a group. Then each of its shapes is handled by itself, until
 * a shape outside the group is selected.
 */
export class Groups {
  #selection
  /** The shapes of each group, and the group of each shape. */
  #members = new Map<number, Set<number>>()
  #groupOf = new Map<number, number>()
  #entered: number | null = null
  #locks

  constructor({ shown, selection, locks }: { shown: Shown, selection: Selection, locks: Locks }) {
    this.#locks = locks
    this.#selection = selection
    shown.on('changes', ({ reset, shapes }) => {
      if (reset) {
        this.#members.clear()
        this.#groupOf.clear()
      }
      for (const { id, shape } of shapes) this.#note(id, shape?.group ?? null)
    })
    selection.on('change', (ids) => {
      if (this.#entered !== null && !ids.some((id) => this.#groupOf.get(id) === this.#entered)) this.#entered = null
    })
  }

  #note(id: number, group: number | null) {
    const before = this.#groupOf.get(id) ?? null
    if (before === group) return
    if (before !== null) {
      const members = this.#members.get(before)
      members?.delete(id)
      if (members?.size === 0) this.#members.delete(before)
    }
    if (group === null) {
      this.#groupOf.delete(id)
      return
    }
    this.#groupOf.set(id, group)
    const members = this.#members.get(group)
    if (members) members.add(id)
    else this.#members.set(group, new Set([id]))
  }

  /**
   * The shapes that are handled together with a shape: all shapes of its group that aren't locked. If the group was
   * entered, it is only the shape itself.
   */
  with(id: number): number[] {
    const group = this.#groupOf.get(id)
    if (group === undefined || group === this.#entered) return [id]
    return [...this.#members.get(group) ?? []].filter((member) => member === id || !this.#locks.has(member))
  }

  /** The group of a shape, if there are others in it. */
  of(id: number): { group: number, ids: Set<number> } | null {
    const group = this.#groupOf.get(id)
    const ids = group === undefined ? undefined : this.#members.get(group)
    return group === undefined || !ids || ids.size < 2 ? null : { group, ids }
  }

  withAll(ids: Iterable<number>): number[] {
    const whole = new Set<number>()
    for (const id of ids) if (!whole.has(id)) for (const member of this.with(id)) whole.add(member)
    return [...whole]
  }

  /**
   * Enters a shape's group: from now on its shapes are handled one by one.
   *
   * @returns whether there is a group that wasn't entered yet
   */
  enter(id: number): boolean {
    const group = this.#groupOf.get(id)
    if (group === undefined || group === this.#entered || this.with(id).length < 2) return false
    this.#selection.set([id])
    this.#entered = group
    return true
  }

  /** Whether these shapes are exactly one group, of at least two shapes. */
  areOne(ids: number[]) {
    const group = this.#groupOf.get(ids[0])
    return ids.length > 1 && group !== undefined && ids.every((id) => this.#groupOf.get(id) === group)
  }

  /** Whether any of these shapes is in a group with others. */
  hasAny(ids: number[]) {
    return ids.some((id) => this.of(id) !== null)
  }
}
