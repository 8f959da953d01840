import { personColors } from '../basics/person-colors.js'
import { counted, within } from '../basics/words.js'
import { identifierNumber } from '../core/values.js'

/** Edits of one person within this many milliseconds are shown as one change. */
export const gatherMilliseconds = 1_000
/** If a step removes at least this many shapes and leaves none, it counts as clearing the canvas. */
const clearedMin = 3

/** @typedef {import('./restoration.js').KeptShape & {stamps?: {[property: string]: string}}} StampedShape */
/** @typedef {{from: number, to: number, actor: string, operations: number, removed: number}} Step as the server tells it (H18) */
/** @typedef {{at: number, actor: number, shape: StampedShape, property: string}} Change */
/** @typedef {Exclude<keyof typeof import('../core/table.js').changedBit, 'shownName'>} Property */

/** @param {StampedShape} shape @param {string} property @param {string} yes @param {string} no */
const either = (shape, property, yes, no) => {
  const value = shape[property]
  return value === true || (Array.isArray(value) || typeof value === 'string') && value.length > 0 ? yes : no
}

/**
 * For each property, the words for an edit that wrote it. If an edit changes several properties of a shape, the words
 * of the first one in this list are used.
 *
 * @type {Record<Property, string | ((shape: StampedShape) => string)>}
 */
const deeds = {
  kind: 'drew',
  deleted: 'removed',
  text: (shape) => either(shape, 'text', 'wrote in', 'emptied the text of'),
  from: (shape) => either(shape, 'from', 'tied', 'loosened'),
  to: (shape) => either(shape, 'to', 'tied', 'loosened'),
  path: 'bent',
  size: 'resized',
  rotation: 'turned',
  position: 'moved',
  name: 'renamed',
  fill: 'recoloured',
  stroke: 'recoloured',
  alpha: 'changed the opacity of',
  filled: (shape) => either(shape, 'filled', 'filled', 'took the fill from'),
  dash: 'changed the dashes of',
  strokeWidth: 'changed the outline of',
  fromEnd: 'changed the ends of',
  toEnd: 'changed the ends of',
  textSize: 'changed the text size of',
  textAlign: 'placed the text of',
  textPlace: 'placed the text of',
  cornerRadius: 'rounded the corners of',
  points: 'reshaped',
  innerRatio: 'reshaped',
  group: (shape) => either(shape, 'group', 'grouped', 'ungrouped'),
  locked: (shape) => either(shape, 'locked', 'locked', 'unlocked'),
  visible: (shape) => either(shape, 'visible', 'showed', 'hid'),
  z: 'reordered',
}

/**
 * The history of the drawing in words. The server reports who made each step and how many shapes it removed; everything
 * else is read from the stamps in the earlier drawing.
 */
export class Chronicle {
  #names
  #colorOf
  /** @type {Step[]} */
  #steps = []

  /**
   * @param {import('../panels/names.js').Names} names
   * @param {(actor: number) => string | null} colorOf the colour of somebody who is here
   */
  constructor(names, colorOf) {
    this.#names = names
    this.#colorOf = colorOf
  }

  /** @param {Step[]} steps in the order in which they began */
  take(steps) { this.#steps = steps }

  /**
   * The moments at which a step was made, in order, each with the colour of its actor.
   *
   * @returns {{at: number, color: string}[]}
   */
  marks() {
    return this.#steps.map(({ to, actor }) => ({ at: to, color: this.#color(identifierNumber(actor)) }))
      .sort((one, other) => one.at - other.at)
  }

  /**
   * The step to name at a moment: the newest one. A step that has ended counts by its end, and a step under way by its
   * beginning. If two steps are equally new, the one that removed more shapes is named, because a removal can't be seen
   * in the drawing.
   *
   * @param {number} at @returns {Step | null}
   */
  stepAt(at) {
    const noted = (/** @type {Step} */ { from, to }) => (to <= at ? to : from)
    const begun = this.#steps.filter(({ from }) => from <= at)
    return begun.sort((one, other) => noted(one) - noted(other) || one.removed - other.removed).at(-1) ?? null
  }

  /**
   * The words for a step that removed shapes.
   *
   * @param {Step} step @param {StampedShape[]} gone @param {number} left how many shapes were there then
   */
  removal({ actor }, gone, left) {
    const what = gone.length === 1 ? within(String(gone[0].name)) : counted(gone.length, 'shape')
    return `${this.#who(actor)} ${left === 0 && gone.length >= clearedMin ? 'cleared the canvas' : `removed ${what}`}`
  }

  /**
   * The words for a step that don't name its shapes.
   *
   * @param {Step} step
   */
  summary({ actor, removed }) {
    return `${this.#who(actor)} ${removed > 0 ? `removed ${counted(removed, 'shape')}` : 'changed the drawing'}`
  }

  /**
   * The newest step up to a moment that removed shapes.
   *
   * @param {number} at @returns {Step | null}
   */
  removalBefore(at) {
    return this.#steps.filter(({ to, removed }) => removed > 0 && to <= at).sort((one, other) => one.to - other.to).at(-1) ?? null
  }

  /**
   * The last change before a moment, found in the drawing as of that moment.
   *
   * @param {StampedShape[]} shapes @param {(id: string) => string} nameOf the name that a shape shows
   * @param {Set<string>} [former] shapes that were removed before: they are written again when somebody undoes the
   * removal
   * @returns {{at: number, words: string, drew: string | null} | null} `drew`: the shape of which the words say that it
   * was drawn
   */
  last(shapes, nameOf, former = new Set()) {
    const changes = [...changesOf(shapes)]
    if (changes.length === 0) return null
    const newest = changes.reduce((one, other) => (other.at > one.at ? other : one))
    const together = changes.filter(({ at, actor }) => actor === newest.actor && newest.at - at < gatherMilliseconds)
    const written = new Set(together.filter(({ shape }) => shape === newest.shape).map(({ property }) => property))
    const [property, standard] = Object.entries(deeds).find(([property]) => written.has(property)) ?? ['', 'changed']
    const isBack = property === 'kind' && former.has(newest.shape.id)
    const deed = isBack ? 'brought back' : standard
    const others = new Set(together.map(({ shape }) => shape)).size - 1
    const what = `${within(nameOf(newest.shape.id))}${others > 0 ? ` and ${others} more` : ''}`
    const done = typeof deed === 'string' ? deed : deed(newest.shape)
    return {
      at: newest.at, words: `${this.#names.of(newest.actor)} ${done} ${what}`, drew: property === 'kind' ? newest.shape.id : null,
    }
  }

  /** @param {string} actor */
  #who(actor) { return this.#names.of(identifierNumber(actor)) }

  /** @param {number} actor */
  #color(actor) { return this.#colorOf(actor) ?? personColors[actor % personColors.length] }
}

/**
 * The values in a drawing, each with the actor that wrote it and the time.
 *
 * @param {StampedShape[]} shapes @returns {Generator<Change>}
 */
function* changesOf(shapes) {
  for (const shape of shapes) {
    for (const [property, stamp] of Object.entries(shape.stamps ?? {})) {
      const [at, , actor] = stamp.split('.')
      yield { at: Number(at), actor: identifierNumber(actor), shape, property }
    }
  }
}
