import { listIn } from '../basics/lists.js'
import { counted } from '../basics/words.js'
import type { Replica } from '../core/replica.js'
import { changedBit, type Shape } from '../core/table.js'
import type { Point, ShapeChange } from '../core/types.js'
import { countedKind, kindOf, shapeWords } from './words.js'

/** What was done to a shape, by the properties that tell it. The first of them that has changed decides. */
const deeds: [what: string, bits: number][] = [
  ['written', changedBit.text],
  ['connected', changedBit.from | changedBit.to],
  ['turned', changedBit.rotation],
  ['resized', changedBit.size],
  ['moved', changedBit.position],
  ['reordered', changedBit.z],
  ['grouped', changedBit.group],
  ['locked', changedBit.locked],
  ['hidden', changedBit.visible],
  ['renamed', changedBit.name],
  ['recoloured', changedBit.fill | changedBit.stroke],
]
/** A tied line follows its shapes by these properties. Nobody has changed the line itself then. */
const ends = changedBit.position | changedBit.size | changedBit.rotation | changedBit.path

const isLedOnly = ({ shape, changed }: ShapeChange) =>
  shape?.kind === 'line' && (shape.from !== null || shape.to !== null) && (changed & ~ends) === 0

function deedTo({ locked, visible, group }: Shape, changed: number): string {
  const [what] = deeds.find(([, bits]) => (changed & bits) !== 0) ?? ['changed']
  if (what === 'locked') return locked ? what : 'unlocked'
  if (what === 'hidden') return visible ? 'shown' : what
  return what === 'grouped' && group === null ? 'ungrouped' : what
}

/** Gathers the changes that one person has made, and puts them in a sentence. */
export class Deeds {
  /** What was done to each shape. `added` and `deleted` are kept apart, because they count more than the others. */
  #done = new Map<number, string>()
  /** The kinds of the shapes that were added. */
  #kinds = new Map<number, string>()
  /** The changes of tied lines, which count only if nothing else has changed. */
  #led = new Map<number, string>()

  get isEmpty() { return this.#done.size + this.#led.size === 0 }

  /** @param wasKnown whether the shape existed before */
  note(change: ShapeChange, wasKnown: boolean) {
    const { id, shape, changed } = change
    const before = this.#done.get(id)
    if (!shape) {
      if (before === 'added') this.#forget(id)
      else if (wasKnown) this.#done.set(id, 'deleted')
    } else if (!wasKnown) {
      this.#done.set(id, 'added')
      this.#kinds.set(id, kindOf(shape))
    } else if (before === 'added') {
      this.#kinds.set(id, kindOf(shape))
    } else {
      if (changed === changedBit.shownName) return
      const what = deedTo(shape, changed)
      if (isLedOnly(change)) this.#led.set(id, what)
      else this.#done.set(id, what)
    }
  }

  #forget(id: number) {
    this.#done.delete(id)
    this.#kinds.delete(id)
  }

  /** The shapes of each deed, in the order in which the deeds began. */
  #groups() {
    const groups = new Map<string, number[]>()
    for (const [id, what] of this.#done.size > 0 ? this.#done : this.#led) listIn(groups, what).push(id)
    return [...groups]
  }

  #countOf(what: string, ids: number[]) {
    const kinds = new Set(what === 'added' ? ids.map((id) => this.#kinds.get(id)) : [])
    const [kind] = kinds
    return kinds.size === 1 && kind ? countedKind(ids.length, kind) : counted(ids.length, 'shape')
  }

  /**
   * What this person did: `3 shapes moved`, `Note “Call Ben” moved, 10 to the right`.
   *
   * @param known the words for a shape that may be deleted by now
   * @param from where the moved shape was, if it is a single one
   */
  own(replica: Replica, known: (id: number) => string | null, from: (shape: Shape) => Point | null): string {
    return this.#groups().map(([what, ids]) => {
      if (ids.length > 1) return `${this.#countOf(what, ids)} ${what}`
      const [id] = ids
      const shape = replica.shape(id)
      const words = shape ? shapeWords(replica, shape) : known(id) ?? '1 shape'
      return `${words} ${what}${shape && what === 'moved' ? wayFrom(from(shape), shape) : ''}`
    }).join(', ')
  }

  /** What somebody else did: `added 2 notes, moved 3 shapes`. */
  others(): string {
    return this.#groups().map(([what, ids]) => `${active[what] ?? what} ${this.#countOf(what, ids)}`).join(', ')
  }
}

/** The participles that are not the past tense too. */
const active: Record<string, string> = { written: 'wrote in', hidden: 'hid', shown: 'showed' }

/** How far a shape has moved: `, 10 to the right, 20 down`. */
function wayFrom(before: Point | null, { x, y }: Point) {
  if (!before) return ''
  const [across, down] = [Math.round(x - before.x), Math.round(y - before.y)]
  return [
    across === 0 ? '' : `, ${Math.abs(across)} to the ${across > 0 ? 'right' : 'left'}`,
    down === 0 ? '' : `, ${Math.abs(down)} ${down > 0 ? 'down' : 'up'}`,
  ].join('')
}
