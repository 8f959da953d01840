import type { Effect, Point } from '../core/types.js'
import type { Momentum } from './momentum.js'
import type { Reach } from './reach.js'

/** The distance of a copy from its original, in units of the canvas. */
export const copyDistance = 20

/** Copies shapes within the room, without the clipboard. */
export class Duplicating {
  #reach

  constructor(reach: Pick<Reach, 'documents' | 'editing' | 'selection' | 'shown'> & { momentum: Momentum }) {
    this.#reach = reach
  }

  /**
   * Copies the selected shapes.
   *
   * @returns the copies
   */
  async duplicate(): Promise<number[]> {
    const { documents, momentum, selection } = this.#reach
    const ids = selection.ids()
    if (ids.length === 0 || !await documents.load()) return []
    momentum.settleAll()
    return this.duplicateNow(copyDistance, ids)
  }

  /** Copies shapes without waiting for the module for documents, which must be loaded already. */
  duplicateNow(distance: number, ids: number[]): number[] {
    return addDrawing(this.#reach, this.#reach.shown.replica.exportShapes(ids), { x: distance, y: distance })
  }
}

/**
 * Adds the shapes of a drawing and selects them.
 *
 * @param distance how far from their places in the drawing they are added
 * @returns the new shapes
 */
export function addDrawing(
  { editing, selection }: Pick<Reach, 'editing' | 'selection'>, drawing: string, distance: Point,
): number[] {
  const added = addedBy(editing.edit((replica) => replica.importDocument(drawing, distance)))
  if (added.length > 0) selection.set(added)
  return added
}

/** The shapes that were added, from the effects of an edit. */
export function addedBy(effects: Effect[] | undefined = []): number[] {
  return effects.flatMap((effect) => (effect.type === 'added' ? effect.shapes : []))
}
