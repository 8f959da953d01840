import { properties, propertiesInOrder, type Shape } from '../core/table.js'
import type { Values } from '../core/types.js'
import { identifierNumber } from '../core/values.js'
import type { Editing } from '../state/editing.js'

/** How many edits are written in one go. */
const editsAtOnce = 500

/** A shape as documents have it. */
export type KeptShape = Values & { id: string }

/**
 * The edits that restore a drawing: values that differ from it are written as they were, and shapes that it doesn't
 * have are deleted.
 *
 * @param shapes those that there are now
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

/** The defaults of rare properties. Documents leave these values out. */
const standards = new Map(properties.filter(({ isRare }) => isRare).map(({ name, standard }) => [name, standard]))

const valueIn = (shape: KeptShape | undefined, property: string) => shape?.[property] ?? standards.get(property)

/**
 * The values that bring back a deleted shape: all except its name and its place in the drawing order, which are not
 * known. A rare property with its default is left out.
 */
export function valuesOf(shape: Shape): Values {
  return Object.fromEntries(properties.filter(({ parts }) => parts.length > 0)
    .map(({ name, parts }) => [name, parts.length === 1 ? shape[parts[0]] : parts.map((part) => shape[part])])
    .filter(([name, value]) => !isStandard(String(name), value)))
}

/**
 * Whether a value is its property's default. `null`, which stands for no group and no tie, is the default of every
 * property that can be empty.
 */
const isStandard = (property: string, value: unknown) =>
  standards.has(property) && (value === null || JSON.stringify(value) === JSON.stringify(standards.get(property)))

/**
 * Writes all edits as one step of undo.
 *
 * @param gone shapes to be deleted
 * @returns whether it is done
 */
export function writeAll(editing: Editing, edits: { shape: number, set: Values }[], gone: number[]): boolean {
  return editing.group(() => {
    for (let at = 0; at < edits.length; at += editsAtOnce) {
      const done = editing.edit((replica) => replica.edit(edits.slice(at, at + editsAtOnce)))
      if (done === undefined) return false
    }
    return gone.length === 0 || editing.edit((replica) => replica.delete(gone)) !== undefined
  })
}
