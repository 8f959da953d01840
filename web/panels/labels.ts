import { capitalised } from '../basics/words.js'
import type { Replica } from '../core/replica.js'
import { isStroke } from '../drawing/lines.js'

// What shapes are called where they are listed.

/**
 * The name that somebody gave a shape; else what is written in it; else, of a line, where it leads; else the name that
 * was made up for it.
 *
 * @param isEnd of a line, which isn't named after its own ends
 */
export function labelOf(replica: Replica, id: number, isEnd = false): string {
  const shape = replica.shape(id)
  if (!shape || shape.named) return replica.shownName(id)
  const [words] = shape.text.trim().split('\n', 1)
  if (words !== '') return words
  const { from, to, fromEnd, toEnd } = shape
  if (isEnd || !isStroke(shape.kind) || (!from && !to)) return replica.shownName(id)
  const isArrow = fromEnd === 'arrow' || toEnd === 'arrow'
  const sign = !isArrow ? '–' : toEnd !== 'arrow' ? '←' : fromEnd === 'arrow' ? '↔' : '→'
  const [first, last] = [from, to].map((tie) => (tie ? labelOf(replica, tie.shape, true) : '…'))
  return capitalised(`${isArrow ? 'arrow' : 'line'} ${first} ${sign} ${last}`)
}

/**
 * The upper bound on the shapes of a group that are searched for a name or a text. The rows of groups are filled in
 * every frame in which a shape moves.
 */
const searchedMax = 50

/** @param ids of a group */
export function groupLabel(replica: Replica, ids: number[]): string {
  const named = replica.shapesOf(ids.slice(0, searchedMax)).find((shape) => shape.named || shape.text.trim() !== '')
  return named ? `Group: ${labelOf(replica, named.id)} + ${ids.length - 1}` : `Group of ${ids.length}`
}
