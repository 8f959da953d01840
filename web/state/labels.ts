import { capitalised, within } from '../basics/words.js'
import type { Replica } from '../core/replica.js'
import type { Shape } from '../core/table.js'

// The names by which lists and sentences call shapes and groups.

/** In characters: a longer text is cut, because a name has to fit into a row or a sentence. */
const textMax = 60

/** The first line of a shape's text, which stands for a missing name. Empty if the shape has a name or no text. */
function textNameOf(replica: Replica, shape: Shape | null) {
  if (!shape || shape.named) return ''
  const words = Array.from(replica.unmarked(shape.text).trim().split('\n', 1)[0])
  return words.length > textMax ? `${words.slice(0, textMax).join('').trimEnd()}…` : words.join('')
}

/**
 * The name of a shape: the name that somebody gave it, or its text, or what a line connects, or else a generated name.
 *
 * @param isEnd whether the name is used to name a line that ends at this shape; then a line isn't named after its own
 *   ends
 */
export function labelOf(replica: Replica, id: number, isEnd = false): string {
  const shape = replica.shape(id)
  if (!shape || shape.named) return replica.shownName(id)
  const words = textNameOf(replica, shape)
  if (words !== '') return words
  const { kind, from, to, fromEnd, toEnd } = shape
  if (isEnd || kind !== 'line' || (!from && !to)) return replica.shownName(id)
  const isArrow = fromEnd === 'arrow' || toEnd === 'arrow'
  const sign = !isArrow ? '–' : toEnd !== 'arrow' ? '←' : fromEnd === 'arrow' ? '↔' : '→'
  const [first, last] = [from, to].map((tie) => (tie ? labelOf(replica, tie.shape, true) : '…'))
  return capitalised(`${isArrow ? 'arrow' : 'line'} ${first} ${sign} ${last}`)
}

/** The name of a shape inside a sentence. A text is quoted: `“Log in” overlaps Sun`. */
export function mentionOf(replica: Replica, id: number): string {
  const label = within(labelOf(replica, id))
  return textNameOf(replica, replica.shape(id)) === '' ? label : `“${label}”`
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
