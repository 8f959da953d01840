import { personColors } from '../basics/person-colors.js'
import { counted } from '../basics/words.js'
import type { changedBit } from '../core/table.js'
import { identifierNumber } from '../core/values.js'
import type { Names } from '../state/names.js'
import type { KeptShape } from './restoration.js'

/** Edits by one person count as one change if they follow each other within this time. */
export const gatherMilliseconds = 1_000
/** A step counts as clearing the canvas if it removes at least this many shapes and no shape is left. */
const clearedMin = 3

export type StampedShape = KeptShape & { stamps?: { [property: string]: string } }
/** A step of the history in the form that the server sends (H18). */
type Step = { from: number, to: number, actor: string, operations: number, removed: number }
type Change = { at: number, actor: number, shape: StampedShape, property: string }
type Property = Exclude<keyof typeof changedBit, 'shownName'>

const either = (shape: StampedShape, property: string, yes: string, no: string) => {
  const value = shape[property]
  return value === true || (Array.isArray(value) || typeof value === 'string') && value.length > 0 ? yes : no
}

/**
 * The words for an edit, by the property that it wrote. If an edit has written several properties of a shape, the first
 * of them in this list counts.
 */
const deeds: Record<Property, string | ((shape: StampedShape) => string)> = {
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
  dash: 'changed the line of',
  strokeWidth: 'changed the outline of',
  fromEnd: 'changed the ends of',
  toEnd: 'changed the ends of',
  route: 'changed the route of',
  textSize: 'changed the text size of',
  textAlign: 'aligned the text of',
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
 * Describes the history of a drawing in words. The server's steps say who edited when, and how many shapes were
 * removed. Everything else comes from the stamps of the values in the past drawing.
 */
export class Chronicle {
  #names
  #colorOf
  #steps: Step[] = []

  /** @param colorOf the colour of a person, or null if that person is not in the room */
  constructor(names: Names, colorOf: (actor: number) => string | null) {
    this.#names = names
    this.#colorOf = colorOf
  }

  /** @param steps sorted by their beginnings */
  take(steps: Step[]) { this.#steps = steps }

  /** The end of each step with its actor's colour, sorted by time. */
  marks(): { at: number, color: string }[] {
    return this.#steps.map(({ to, actor }) => ({ at: to, color: this.#color(identifierNumber(actor)) }))
      .sort((one, other) => one.at - other.at)
  }

  /**
   * The step that the page names for a point in time: the newest step that had begun by then. A step that had ended by
   * then counts from its end, any other from its beginning. Of two equally new steps, the one that removed more shapes
   * is named.
   */
  stepAt(at: number): Step | null {
    const noted = ({ from, to }: Step) => (to <= at ? to : from)
    const begun = this.#steps.filter(({ from }) => from <= at)
    return begun.sort((one, other) => noted(one) - noted(other) || one.removed - other.removed).at(-1) ?? null
  }

  /**
   * The words for a step that removed shapes.
   *
   * @param name of the removed shape, if there is only one
   * @param left how many shapes were left
   */
  removal({ actor }: Step, gone: number, name: string, left: number) {
    const what = gone === 1 ? name : counted(gone, 'shape')
    return `${this.#who(actor)} ${left === 0 && gone >= clearedMin ? 'cleared the canvas' : `removed ${what}`}`
  }

  /** Describes a step without naming its shapes. */
  summary({ actor, removed }: Step) {
    return `${this.#who(actor)} ${removed > 0 ? `removed ${counted(removed, 'shape')}` : 'changed the drawing'}`
  }

  /** Of the steps that removed shapes, the newest one before a point in time. */
  removalBefore(at: number): Step | null {
    return this.#steps.filter(({ to, removed }) => removed > 0 && to <= at).sort((one, other) => one.to - other.to).at(-1) ?? null
  }

  /**
   * The last change before a point in time. It is found from the stamps in the drawing of that time.
   *
   * @param nameOf the name of a shape for a sentence
   * @returns `drew`: the shape that was drawn, if the words say that a shape was drawn. If it had existed before and was
   *   removed, its removal was undone: `wordsIfBack` say that.
   */
  last(
    shapes: StampedShape[], nameOf: (id: string) => string,
  ): { at: number, words: string, drew: string | null, wordsIfBack: string } | null {
    const changes = [...changesOf(shapes)]
    if (changes.length === 0) return null
    const newest = changes.reduce((one, other) => (other.at > one.at ? other : one))
    const together = changes.filter(({ at, actor }) => actor === newest.actor && newest.at - at < gatherMilliseconds)
    const written = new Set(together.filter(({ shape }) => shape === newest.shape).map(({ property }) => property))
    const [property, deed] = Object.entries(deeds).find(([property]) => written.has(property)) ?? ['', 'changed']
    const others = new Set(together.map(({ shape }) => shape)).size - 1
    const what = `${nameOf(newest.shape.id)}${others > 0 ? ` and ${others} more` : ''}`
    const who = this.#names.of(newest.actor)
    return {
      at: newest.at, words: `${who} ${typeof deed === 'string' ? deed : deed(newest.shape)} ${what}`,
      drew: property === 'kind' ? newest.shape.id : null, wordsIfBack: `${who} brought back ${what}`,
    }
  }

  #who(actor: string) { return this.#names.of(identifierNumber(actor)) }

  #color(actor: number) { return this.#colorOf(actor) ?? personColors[actor % personColors.length] }
}

/** Lists the values in a drawing, each with its actor and time. */
function* changesOf(shapes: StampedShape[]): Generator<Change> {
  for (const shape of shapes) {
    for (const [property, stamp] of Object.entries(shape.stamps ?? {})) {
      const [at, , actor] = stamp.split('.')
      yield { at: Number(at), actor: identifierNumber(actor), shape, property }
    }
  }
}
