import type { Shape } from '../core/table.js'
import { sideMax } from './lines.js'
import { isNote, textSizeFor } from './notes.js'
import { directionOf, heightFor, linesOf, textPadding, widestOf } from './text.js'

/**
 * In units of the canvas: the lower bound on the width of a text's box, and the width at which a new text begins to
 * wrap.
 */
export const widthMin = 24
export const widthMax = 640

export const newWidth = (text: string, textSize: number) =>
  Math.max(widthMin, Math.min(widthMax, Math.ceil(widestOf(linesOf(text, Infinity)) * textSize + 2 * textPadding + 1)))

/** How high a box must be for a text, but not higher than a shape can be. */
export const boxHeight = (text: string, textSize: number, width: number) =>
  Math.min(sideMax, Math.ceil(heightFor(text, textSize, width)))

/** Whether a new text grows to the left, because it is written from right to left. */
export const goesLeft = ({ kind, textAlign }: Shape, text: string, isNew: boolean) =>
  isNew && kind === 'text' && textAlign === 'left' && directionOf(text) === 'rtl'

type Fitted = { textSize?: number, size?: number[], position?: number[], textAlign?: Shape['textAlign'] }

/**
 * The values that fit a shape's box to a text, or a note's text to its box. The box of a new text is as wide as the
 * longest line. A line's box has nothing to do with its caption.
 *
 * @param was the shape before its size changed
 */
export function fittedTo(shape: Shape, text: string, isNew: boolean, was = shape): Fitted {
  const textSize = textSizeFor(was, text, shape)
  return {
    // A note's size of text is written with each text. Otherwise one of two texts written at once could get the size
    // of the other.
    ...isNote(shape) && { textSize }, ...sizeFor({ ...shape, textSize }, text, isNew), ...sideFor(shape, text, isNew),
  }
}

/** The edits that fit notes' texts to the notes' new sizes. */
export function fittedNotes(before: Shape[], now: Shape[]) {
  const starts = new Map(before.map((shape) => [shape.id, shape]))
  return now.flatMap((shape) => {
    const start = starts.get(shape.id)
    if (!start || !isNote(shape) || !shape.written || (shape.width === start.width && shape.height === start.height)) return []
    return [{ shape: shape.id, set: fittedTo(shape, shape.text, false, start) }]
  })
}

/**
 * The values that give a shape's text another size. A box grows that would cut off so large a text. A text on its own
 * has no box.
 */
export const lettered = (shape: Shape, textSize: number): Fitted => ({
  textSize, ...shape.written && shape.kind !== 'text' && sizeFor({ ...shape, textSize }, shape.text, false),
})

/** The values that make a shape's box as large as a text needs. */
function sizeFor(shape: Shape, text: string, isNew: boolean): Fitted {
  if (shape.kind === 'line') return {}
  const isText = shape.kind === 'text'
  const width = isText && isNew ? newWidth(text, shape.textSize) : shape.width
  const needed = boxHeight(text, shape.textSize, width)
  const height = isText && isNew ? needed : Math.max(shape.height, needed)
  if (width === shape.width && height === shape.height) return {}
  if (shape.rotation === 0) return { size: [width, height] }
  // The upper left corner keeps its place on the canvas, also if the shape is rotated.
  const turn = shape.rotation * Math.PI / 180
  const [dx, dy] = [(width - shape.width) / 2, (height - shape.height) / 2]
  return {
    size: [width, height],
    position: [
      shape.x + dx * Math.cos(turn) - dy * Math.sin(turn) - dx, shape.y + dx * Math.sin(turn) + dy * Math.cos(turn) - dy,
    ],
  }
}

/** Where the box of a new text begins: at the pointer. A right-to-left text ends there instead. */
function sideFor(shape: Shape, text: string, isNew: boolean): Fitted {
  if (!goesLeft(shape, text, isNew)) return {}
  return { textAlign: 'right', position: [shape.x + 2 * textPadding - newWidth(text, shape.textSize), shape.y] }
}

/**
 * What parts that are loaded later use. Their own copies would measure texts without the marks, which the room's bundle
 * knows.
 */
export const fitting = { boxHeight, fittedNotes, lettered, newWidth, textSizeFor }
export type Fitting = typeof fitting
