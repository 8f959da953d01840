import { personColors } from '../basics/person-colors.js'
import { within } from '../basics/words.js'
import { identifierNumber } from '../core/values.js'

/** What one person wrote within so many milliseconds of each other is told as one change. */
const gatherMilliseconds = 1_000
/** More marks than this can't be told apart on a slider. */
const marksMax = 200
/** More changes than these aren't remembered: the marks couldn't show them. */
const changesMax = 20_000

/** @typedef {import('./restoration.js').KeptShape & {stamps?: {[property: string]: string}}} StampedShape */
/** @typedef {{at: number, actor: number, shape: string, property: string}} Change */

/**
 * What was done, the first that fits: to which properties, in words.
 *
 * @type {[properties: string[], words: string][]}
 */
const deeds = [
  [['kind'], 'drew'], [['from', 'to'], 'tied or loosened'], [['path'], 'led'], [['size'], 'resized'], [['rotation'], 'turned'], [['position'], 'moved'], [['name'], 'renamed'],
  [['fill', 'stroke', 'alpha'], 'recoloured'], [['z'], 'reordered'], [['visible'], 'hid or showed'],
]

/**
 * Who did what to the drawing, and when: what the stamps of each moment that was looked at tell. A value that was written over
 * is known only if a moment before that was looked at, and who deleted a shape isn't known at all.
 */
export class Chronicle {
  #names
  #colorOf
  /** @type {Map<string, Change>} */
  #changes = new Map()

  /**
   * @param {import('../panels/names.js').Names} names
   * @param {(actor: number) => string | null} colorOf the colour of somebody who is here
   */
  constructor(names, colorOf) {
    this.#names = names
    this.#colorOf = colorOf
  }

  forget() { this.#changes.clear() }

  /** @param {StampedShape[]} shapes as they were at some moment */
  learn(shapes) {
    for (const { key, change } of changesOf(shapes)) {
      if (this.#changes.size >= changesMax) return
      this.#changes.set(key, change)
    }
  }

  /**
   * The moments at which something was done, in order, with the colour of who did it.
   *
   * @returns {{at: number, color: string}[]}
   */
  marks() {
    const sorted = [...this.#changes.values()].sort((one, other) => one.at - other.at)
    /** @type {{at: number, actor: number}[]} */
    const moments = []
    for (const { at, actor } of sorted) {
      const last = moments[moments.length - 1]
      // The last write of a run: at that moment all of it was there.
      if (last && last.actor === actor && at - last.at < gatherMilliseconds) last.at = at
      else moments.push({ at, actor })
    }
    const step = Math.max(1, moments.length / marksMax)
    const shown = Array.from({ length: Math.min(moments.length, marksMax) }, (_, place) => moments[Math.floor(place * step)])
    return shown.map(({ at, actor }) => ({ at, color: this.#color(actor) }))
  }

  /**
   * What was done last before a moment, by what stands in the drawing then.
   *
   * @param {StampedShape[]} shapes @param {(id: string) => string} nameOf the name that a shape shows
   * @returns {{at: number, words: string} | null}
   */
  last(shapes, nameOf) {
    const changes = [...changesOf(shapes)].map(({ change }) => change)
    if (changes.length === 0) return null
    const newest = changes.reduce((one, other) => (other.at > one.at ? other : one))
    const together = changes.filter(({ at, actor }) => actor === newest.actor && newest.at - at < gatherMilliseconds)
    const written = new Set(together.filter(({ shape }) => shape === newest.shape).map(({ property }) => property))
    const done = deeds.find(([properties]) => properties.some((property) => written.has(property)))?.[1] ?? 'changed'
    const others = new Set(together.map(({ shape }) => shape)).size - 1
    const what = `${within(nameOf(newest.shape))}${others > 0 ? ` and ${others} more` : ''}`
    return { at: newest.at, words: `${this.#names.of(newest.actor)} ${done} ${what}` }
  }

  /** @param {number} actor */
  #color(actor) { return this.#colorOf(actor) ?? personColors[actor % personColors.length] }
}

/**
 * What stands in a drawing, by whom and since when.
 *
 * @param {StampedShape[]} shapes @returns {Generator<{key: string, change: Change}>}
 */
function* changesOf(shapes) {
  for (const { id, stamps = {} } of shapes) {
    for (const [property, stamp] of Object.entries(stamps)) {
      const [at, , actor] = stamp.split('.')
      yield { key: `${id} ${property} ${stamp}`, change: { at: Number(at), actor: identifierNumber(actor), shape: id, property } }
    }
  }
}
