import type { Marks } from '../state/marks.js'
import type { Selection } from '../state/selection.js'
import type { Drawn } from './drawn.js'
import type { Region } from './regions.js'
import type { Scene } from './scene.js'
import { liesWithin } from './within.js'

/**
 * If more pairs than this overlap, only the overlaps of selected shapes and of the shape under the pointer are marked.
 */
export const crowdedMin = 50
const crowdedEnd = 40
/**
 * The upper bound on the number of overlaps that are marked for a selection. Above it, only the overlaps of the shape
 * under the pointer are marked.
 */
const marksMax = 150

const none: Region[] = []

/**
 * Decides which overlaps are marked: all if there are few, otherwise those of the selected shapes and of the shape
 * under the pointer. None are marked if this person has turned the marks off.
 */
export class Marked {
  #scene
  #marks
  #selection
  #isCrowded = false
  #isOn
  /** The shapes whose overlaps are marked, if there are too many overlaps to mark all. */
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
   * Chooses again which overlaps get a mark. Regions that gain or lose their mark are painted again.
   *
   * @param pairs the number of overlapping pairs
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
   * Returns a function that lists the overlaps to paint on a shape, which is the upper one of each pair. The overlaps
   * are sorted by the drawing order of the lower shapes, so that everybody sees the same picture.
   *
   * @returns a function that is valid until something changes
   */
  painted(): (drawn: Drawn) => Region[] {
    if (!this.#isOn) return () => none
    if (!this.#isCrowded) return (drawn) => (drawn.regions.size === 0 ? none : inOrder(drawn, drawn.regions))
    // Only the marked shapes are searched, because there can be many other shapes.
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

  /** @returns an upper bound on the number of regions that are painted on the shape */
  countOf(drawn: Drawn): number {
    return this.#isOn && (!this.#isCrowded || this.#shapes.has(drawn.id)) ? drawn.regions.size : 0
  }

  has({ first, second }: Region) {
    return this.#isOn && (!this.#isCrowded || this.#shapes.has(first.id) || this.#shapes.has(second.id))
  }
}

export const upperOf = ({ first, second }: Region) => (first.place > second.place ? first : second)
export const lowerOf = ({ first, second }: Region) => (first.place > second.place ? second : first)

/** @returns those of the regions that are painted on the shape */
function inOrder(drawn: Drawn, regions: Iterable<Region>): Region[] {
  return [...regions].filter((region) => upperOf(region) === drawn && !isWhole(region))
    .sort((one, other) => lowerOf(one).place - lowerOf(other).place)
}

/**
 * Whether the overlap covers a whole shape: the upper shape lies completely inside the lower one, or an upper shape
 * without a fill contains the whole lower one. Such an overlap is only listed in the panel, because a mark would cover
 * a whole shape.
 */
function isWhole(region: Region) {
  const [upper, lower] = [upperOf(region), lowerOf(region)]
  return liesWithin(upper, lower) || (!upper.shape.filled && liesWithin(lower, upper))
}
