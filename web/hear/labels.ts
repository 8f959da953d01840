import { capitalised } from '../basics/words.js'
import { isStroke } from '../canvas/lines.js'
import type { Replica } from '../core/replica.js'

// The names of shapes and groups in lists.

/**
 * The name of a shape: the name that somebody gave it, or its text, or what a line connects, or else a generated name.
 *
 * @param isEnd whether the name is used to name a line that ends at this shape; then a line isn't named after its own
 *   ends
 */
export function labelOf(replica: Replica, id: number, isEnd = false): string {
  const shape = replica.shape(id)
  if (!shape || shape.named) return replica.shownName(id)
  const [words] = replica.unmarked(shape.text).trim().split('\n', 1)
  if (words !== '') return words
  const { from, to, fromEnd, toEnd } = shape
  if (isEnd || !isStroke(shape.kind) || (!from && !to)) return replica.shownName(id)
  const isArrow = fromEnd === 'arrow' || toEnd === 'arrow'
  const sign = !isArrow ? '–' : toEnd !== 'arrow' ? '←' : fromEnd === 'arrow' ? '↔' : '→'
  const [first, last] = [from, to].map((tie) => (tie ? labelOf(replica, tie.shape, true) : '…'))
  return capitalised(`${isArrow ? 'arrow' : 'line'} ${first} ${sign} ${last}`)
}

/**
 * At most this many shapes of a group are searched for a name or a text, because the rows of groups are updated in
 * every frame in which a shape moves.
 */
const searchedMax = 50

/** @param ids the shapes of the group */
export function groupLabel(replica: Replica, ids: number[]): string {
  const named = replica.shapesOf(ids.slice(0, searchedMax)).find((shape) => shape.named || shape.text.trim() !== '')
  return named ? `Group: ${labelOf(replica, named.id)} + ${ids.length - 1}` : `Group of ${ids.length}`
}
