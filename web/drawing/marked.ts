import type { Marks } from '../state/marks.js'
import type { Selection } from '../state/selection.js'
import type { Drawn } from './drawn.js'
import type { Region } from './regions.js'
import type { Scene } from './scene.js'
import { liesWithin } from './within.js'

/**
 * If more pairs than this overlap, only the pairs of some shapes are marked. When there are few enough again, all are
 * marked.
 */
export const crowdedMin = 50
const crowdedEnd = 40
/**
 * The upper bound on marks that a person can tell apart. If a selection has more, only the marks of the shape under the
 * pointer are painted.
 */
const marksMax = 150

const none: Region[] = []

/**
 * Decides which common regions are painted. If there are few, all are painted; otherwise only those of the selected
 * shapes and of the shape under the pointer. If this person has turned the marks off, none are painted.
 */
export class Marked {
  #scene
  #marks
  #selection
  #isCrowded = false
  #isOn
  /** The shapes whose regions are painted while there are many regions. */
  #shapes = new Set<number>()

  constructor({ scene, marks, selection }: { scene: Scene, marks: Marks, selection: Selection }) {
    this.#scene = scene
    this.#marks = marks
    this.#selection = selection
    this.#isOn = marks.isOn
  }

  /** Whether only the regions of some shapes are painted. */
  get isCrowded() { return this.#isCrowded }

  /**
   * Decides again which overlaps are marked, and repaints the regions for which that has changed.
   *
   * @param pairs how many there are
   */
  refresh(pairs: number) {
    const isCrowded = pairs > (this.#isCrowded ? crowdedEnd : crowdedMin)
    const isAllOther = isCrowded !== this.#isCrowded || this.#isOn !== this.#marks.isOn
    this.#isCrowded = isCrowded
    this.#isOn = this.#marks.isOn
    const before = this.#shapes
    this.#shapes = isCrowded && this.#isOn ? this.#wanted() : new Set()
    if (isAllOther) return this.#scene.touchAll()
    for (const id of before) if (!this.#shapes.has(id)) this.#scene.touch(id)
    for (const id of this.#shapes) if (!before.has(id)) this.#scene.touch(id)
  }

  #wanted() {
    const { pointedAt } = this.#marks
    const wanted = new Set<number>()
    let marks = 0
    for (const id of this.#selection.ids()) {
      marks += this.#scene.drawn(id)?.regions.size ?? 0
      if (marks > marksMax && this.#selection.size > 1) {
        wanted.clear()
        break
      }
      wanted.add(id)
    }
    if (pointedAt !== null) wanted.add(pointedAt)
    return wanted
  }

  /**
   * What is painted together with each shape: the regions of which it is the upper one of the two shapes. They are in
   * the drawing order of the lower ones, so they lie on each other in the same way for everybody.
   *
   * @returns to be asked while nothing changes
   */
  painted(): (drawn: Drawn) => Region[] {
    if (!this.#isOn) return () => none
    if (!this.#isCrowded) return (drawn) => (drawn.regions.size === 0 ? none : inOrder(drawn, drawn.regions))
    // Few shapes are marked, and there may be many others.
    const found = new Map<Drawn, Set<Region>>()
    for (const id of this.#shapes) {
      for (const region of this.#scene.drawn(id)?.regions ?? none) {
        const upper = upperOf(region)
        const regions = found.get(upper)
        if (regions) regions.add(region)
        else found.set(upper, new Set([region]))
      }
    }
    return (drawn) => inOrder(drawn, found.get(drawn) ?? none)
  }

  /** @returns no fewer than there are regions to be painted with it */
  countOf(drawn: Drawn): number {
    return this.#isOn && (!this.#isCrowded || this.#shapes.has(drawn.id)) ? drawn.regions.size : 0
  }

  has({ first, second }: Region) {
    return this.#isOn && (!this.#isCrowded || this.#shapes.has(first.id) || this.#shapes.has(second.id))
  }
}

const upperOf = ({ first, second }: Region) => (first.place > second.place ? first : second)
const lowerOf = ({ first, second }: Region) => (first.place > second.place ? second : first)

/** @returns those that are marked on it */
function inOrder(drawn: Drawn, regions: Iterable<Region>): Region[] {
  return [...regions].filter((region) => upperOf(region) === drawn && !isWhole(region))
    .sort((one, other) => lowerOf(one).place - lowerOf(other).place)
}

/**
 * Whether one of two shapes lies wholly on the other, or in an empty frame: that is told in the panel, and painting
 * over all of a shape would tell no more.
 */
export function isWhole(region: Region) {
  const [upper, lower] = [upperOf(region), lowerOf(region)]
  return liesWithin(upper, lower) || (!upper.shape.filled && liesWithin(lower, upper))
}
