import { listIn } from '../basics/lists.js'
import { shapeColors } from '../basics/shape-colors.js'
import { capitalised, counted, within } from '../basics/words.js'
import { isStroke } from '../canvas/lines.js'
import { isNote } from '../canvas/notes.js'
import type { Replica } from '../core/replica.js'
import { kindWords, type Shape } from '../core/table.js'
import type { Box } from '../core/types.js'
import { labelOf } from '../state/labels.js'

// Shapes in words, for people who don't see them.

/** In characters: a longer text is cut, because a list of shapes is read to find one of them. */
const textMax = 200
/** At most this many of the shapes that a shape overlaps are named. */
const overlapsNamedMax = 2

const isArrow = ({ fromEnd, toEnd }: Shape) => fromEnd === 'arrow' || toEnd === 'arrow'

/** What a shape is, in lower case: `rectangle`, `note`, `arrow`. */
export const kindOf = (shape: Shape): string =>
  (shape.kind === 'line' && isArrow(shape) ? 'arrow' : isNote(shape) ? 'note' : kindWords[shape.kind].toLowerCase())

/** `3 notes`; ink has no plural. */
export const countedKind = (count: number, kind: string) =>
  (kind === 'ink' ? counted(count, 'stroke of ink', 'strokes of ink') : counted(count, kind))

const quoted = (words: string) => `“${within(words)}”`

function shortened(text: string) {
  const words = text.trim().replace(/\s+/g, ' ')
  return words.length > textMax ? `${words.slice(0, textMax)}…` : words
}

/** What a line connects: `from “Valid?” to “Dashboard”`; empty for a line with loose ends. */
function endsOf(replica: Replica, { from, to, fromEnd, toEnd }: Shape) {
  const [first, last] = [from, to].map((tie) => (tie ? quoted(labelOf(replica, tie.shape, true)) : null))
  const pointsOneWay = (fromEnd === 'arrow') !== (toEnd === 'arrow')
  if (first && last && !pointsOneWay) return ` between ${first} and ${last}`
  const [start, end] = fromEnd === 'arrow' && pointsOneWay ? [last, first] : [first, last]
  return `${start ? ` from ${start}` : ''}${end ? ` to ${end}` : ''}`
}

/** A shape in words: `Note “Call Ben”`, `Arrow from “Valid?” to “Dashboard”, “yes”`, `Rectangle 3`. */
export function shapeWords(replica: Replica, shape: Shape): string {
  const kind = capitalised(kindOf(shape))
  const text = shortened(replica.unmarked(shape.text))
  const name = shape.named ? quoted(replica.shownName(shape.id)) : ''
  if (shape.kind === 'line') {
    const ends = endsOf(replica, shape)
    if (ends || name || text) return `${kind}${name && ` ${name}`}${ends}${text && `, ${quoted(text)}`}`
  }
  if (name) return `${kind} ${name}${text && `, ${quoted(text)}`}`
  return text ? `${kind} ${quoted(text)}` : capitalised(replica.shownName(shape.id))
}

/** Where a box is, seen from another one: `right of`, `above`. */
export function sideOf(box: Box, from: Box): string {
  const across = box.x + box.width / 2 - from.x - from.width / 2
  const down = box.y + box.height / 2 - from.y - from.height / 2
  const gapAcross = Math.abs(across) - (box.width + from.width) / 2
  const gapDown = Math.abs(down) - (box.height + from.height) / 2
  if (gapAcross >= gapDown) return across < 0 ? 'left of' : 'right of'
  return down < 0 ? 'above' : 'below'
}

const colorNames = new Map(shapeColors.map(([name, color]) => [color, name.toLowerCase()]))

/**
 * A shape with what else can be seen of it: its colour, where it is, what it overlaps, and whether it is hidden or
 * locked.
 */
export function everythingOf(replica: Replica, { shape, anchor }: Read): string {
  const { from, to } = shape
  const isTied = shape.kind === 'line' && from !== null && to !== null
  const color = isStroke(shape.kind) || !shape.filled ? undefined : colorNames.get(shape.fill.toUpperCase())
  return [
    shapeWords(replica, shape),
    color,
    anchor && !isTied ? `${sideOf(shape, anchor)} ${quoted(labelOf(replica, anchor.id))}` : null,
    overlapWords(replica, shape.id),
    shape.visible ? null : 'hidden',
    shape.locked ? 'locked' : null,
  ].filter(Boolean).join(', ')
}

function overlapWords(replica: Replica, id: number) {
  const ids = replica.neighbours(id)
  if (ids.length === 0) return null
  const named = ids.slice(0, overlapsNamedMax).map((each) => quoted(labelOf(replica, each)))
  const more = ids.length - named.length
  return `overlaps ${[...named, ...more > 0 ? [`${more} more`] : []].join(' and ')}`
}

/** A shape in a list. `anchor`: a shape before it, from which its place is told. */
export type Read = { shape: Shape, anchor: Shape | null }

/**
 * The shapes in the order in which a page is read: row by row, and from left to right. A line that is tied to a shape
 * comes right after that shape.
 */
export function inReadingOrder(shapes: Shape[]): Read[] {
  // A line that is tied to a line is read by itself.
  const ids = new Set(shapes.filter(({ kind }) => kind !== 'line').map(({ id }) => id))
  const tied = new Map<number, Read[]>()
  const free: Shape[] = []
  for (const shape of shapes) {
    const start = [shape.from, shape.to].find((tie) => tie && ids.has(tie.shape))?.shape
    if (shape.kind !== 'line' || start === undefined) free.push(shape)
    else listIn(tied, start).push({ shape, anchor: null })
  }
  return inRows(free).flatMap((read) => [read, ...tied.get(read.shape.id) ?? []])
}

/**
 * A shape belongs to a row if its middle is above the lower edge of the row's first shape. Its place is told from the
 * shape to its left, and the place of a row's first shape from the first one of the row above. Lines are no anchors.
 */
function inRows(shapes: Shape[]): Read[] {
  const rows: Shape[][] = []
  let bottom = -Infinity
  for (const shape of [...shapes].sort((one, other) => one.y - other.y || one.x - other.x)) {
    if (shape.y + shape.height / 2 < bottom) rows[rows.length - 1].push(shape)
    else {
      rows.push([shape])
      bottom = shape.y + shape.height
    }
  }
  let above: Shape | null = null
  return rows.flatMap((row) => {
    let anchor = above
    let isFirst = true
    return row.sort((one, other) => one.x - other.x).map((shape) => {
      const read = { shape, anchor }
      if (shape.kind !== 'line') {
        anchor = shape
        if (isFirst) above = shape
        isFirst = false
      }
      return read
    })
  })
}
