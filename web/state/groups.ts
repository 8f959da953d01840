import { listIn } from '../basics/lists.js'
import type { Locks } from './locks.js'
import type { Selection } from './selection.js'
import type { Shown } from './shown.js'

/**
 * Groups of shapes, which are selected and moved as one (S13). If a person enters a group, its shapes are handled one
 * by one, until a shape outside the group is selected.
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
   * The shapes that are handled together with a shape: all unlocked shapes of its group, and the shape itself. If the
   * person has entered the group, it is the shape alone.
   */
  with(id: number): number[] {
    const group = this.#groupOf.get(id)
    if (group === undefined || group === this.#entered) return [id]
    return [...this.#members.get(group) ?? []].filter((member) => member === id || !this.#locks.has(member))
  }

  /** The group of a shape; null if the group has no other shapes. */
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
   * Enters a shape's group, so that the shapes in the group are handled one by one.
   *
   * @returns false if the shape has no group, or if the person has already entered it
   */
  enter(id: number): boolean {
    const group = this.#groupOf.get(id)
    if (group === undefined || group === this.#entered || this.with(id).length < 2) return false
    this.#selection.set([id])
    this.#entered = group
    return true
  }

  /** The shapes that are handled as one with a shape, or the shape alone, as a key. */
  #unitOf(id: number) {
    const group = this.#groupOf.get(id)
    return group === undefined || group === this.#entered ? id : this.#members.get(group) ?? id
  }

  /** Divides shapes into units, each handled as one: the shapes of a group, or a single shape. */
  units<Shape extends { id: number }>(shapes: Shape[]): Shape[][] {
    const units = new Map<unknown, Shape[]>()
    for (const shape of shapes) listIn(units, this.#unitOf(shape.id)).push(shape)
    return [...units.values()]
  }

  /** Whether the shapes are at least `count` units. */
  areUnits(ids: number[], count: number) {
    const units = new Set<unknown>()
    return ids.some((id) => units.add(this.#unitOf(id)).size >= count)
  }

  /** Whether these are at least two shapes, and all of them have the same group. */
  areOne(ids: number[]) {
    const group = this.#groupOf.get(ids[0])
    return ids.length > 1 && group !== undefined && ids.every((id) => this.#groupOf.get(id) === group)
  }

  /** Whether any of these shapes has a group with other shapes. */
  hasAny(ids: number[]) {
    return ids.some((id) => this.of(id) !== null)
  }
}
