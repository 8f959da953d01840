import { hiddenCharacters, properties, propertiesInOrder, type Shape } from '../core/table.js'
import type { Values } from '../core/types.js'
import { identifierNumber, rowOf } from '../core/values.js'
import type { Editing } from '../state/editing.js'

/** The number of edits in one call. */
const editsAtOnce = 500

/** A shape in the form that documents have. */
export type KeptShape = Values & { id: string }

/**
 * The edits that restore an older drawing. They write all values that differ now, and delete the shapes that the older
 * drawing doesn't have.
 *
 * @param then the older drawing
 * @param shapes the present drawing
 */
export function restoration(then: KeptShape[], shapes: KeptShape[]) {
  const now = new Map(shapes.map((shape) => [shape.id, shape]))
  const edits: { shape: number, set: Values }[] = []
  for (const shape of then) {
    const current = now.get(shape.id)
    now.delete(shape.id)
    const set: Values = {}
    for (const property of propertiesInOrder) {
      const [was, is] = [valueIn(shape, property), valueIn(current, property)]
      if (was !== undefined && JSON.stringify(was) !== JSON.stringify(is)) set[property] = was
    }
    if (Object.keys(set).length > 0) edits.push({ shape: identifierNumber(shape.id), set })
  }
  return { edits, gone: [...now.keys()].map(identifierNumber) }
}

/** The default values of rare properties. Documents leave these values out. */
const standards = new Map(properties.filter(({ isRare }) => isRare).map(({ name, standard }) => [name, standard]))

function valueIn(shape: KeptShape | undefined, property: string) {
  return property === 'name' ? ownName(shape?.name) : shape?.[property] ?? standards.get(property)
}

const nameBytesMax = rowOf('name')?.bytesMax ?? 0
const encoder = new TextEncoder()
const allHidden = new RegExp(hiddenCharacters, 'gu')

/**
 * The name to write for a shown name, as imports take it: without the number that makes it too long, and without the
 * characters that only old names have (S8).
 *
 * @returns undefined if nothing is left
 */
export function ownName(shown: unknown): string | undefined {
  if (typeof shown !== 'string') return undefined
  let name = encoder.encode(shown).length > nameBytesMax ? shown.replace(/ [1-9]\d*$/, '') : shown
  // A joiner may lose its effect with the character before it.
  while (hiddenCharacters.test(name)) name = name.replace(allHidden, '')
  return name || undefined
}

/**
 * The values that bring back a deleted shape. Its name and its place in the drawing order are not known. Default values
 * of rare properties are left out.
 */
export function valuesOf(shape: Shape): Values {
  return Object.fromEntries(properties.filter(({ parts }) => parts.length > 0)
    .map(({ name, parts }) => [name, parts.length === 1 ? shape[parts[0]] : parts.map((part) => shape[part])])
    .filter(([name, value]) => !isStandard(String(name), value)))
}

/** Whether a value is its property's default. `null` stands for no group or no tie, which is a default. */
const isStandard = (property: string, value: unknown) =>
  standards.has(property) && (value === null || JSON.stringify(value) === JSON.stringify(standards.get(property)))

/**
 * Makes all edits in one step of undo, or none of them.
 *
 * @param gone shapes to delete
 * @returns whether that succeeded
 */
export function writeAll(editing: Editing, edits: { shape: number, set: Values }[], gone: number[]): boolean {
  const step = editing.openStep()
  const parts = Array.from({ length: Math.ceil(edits.length / editsAtOnce) }, (_, part) =>
    edits.slice(part * editsAtOnce, (part + 1) * editsAtOnce))
  const isDone = parts.every((part) => editing.edit((replica) => replica.edit(part)) !== undefined)
    && (gone.length === 0 || editing.edit((replica) => replica.delete(gone)) !== undefined)
  if (isDone) step.end()
  else step.abandon()
  return isDone
}
