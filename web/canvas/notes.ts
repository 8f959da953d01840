import { personColors } from '../basics/person-colors.js'
import { shapeColors } from '../basics/shape-colors.js'
import type { Shape } from '../core/table.js'
import { rowOf } from '../core/values.js'
import { heightFor } from './text.js'

/** The fill of a person's notes, unless they have chosen another: a light one of the person's colour. */
const noteFills = [
  '#FFC2B8', '#FFBBD6', '#F3BDF5', '#D9C8FF', '#CACDFF', '#B8D2FF', '#AEE0FA', '#A6EADF', '#B2EBBE', '#D5EB98',
]
/** For people with a colour of their own. */
const commonFill = '#FFE27A'

export const noteFill = (personColor: string) => noteFills[personColors.indexOf(personColor)] ?? commonFill

/** The fills of notes for the colours that the bars offer, in their order. There is none for black and white. */
const shades = ['', '', '#FFC2B8', commonFill, '#B2EBBE', '#B8D2FF', '#D9C8FF', '#FFBBD6']

/** What a note is filled with if somebody chooses this colour. If it has no light shade, it is no note any more. */
export const noteShade = (color: string) => shades[shapeColors.findIndex(([, offered]) => offered === color)] || color

/** Another fill for a note, by chance. */
export function otherNoteFill(fill: string) {
  const others = noteFills.filter((each) => each !== fill)
  return others[Math.floor(Math.random() * others.length)]
}

export const isNote = ({ kind, fill }: Pick<Shape, 'kind' | 'fill'>) => kind === 'rectangle' && (fill === commonFill || noteFills.includes(fill))

/** The default size of text. It is not written to a shape. */
export const standardTextSize = rowOf('textSize')?.standard as number

/** A note's text doesn't get smaller than this. If it still doesn't fit, the note grows. */
const noteTextMin = 12
/** The inspector offers whole sizes up to this. */
const chosenMax = 96
const shrinking = 0.91

/**
 * A size that a note's text shrinks to. From whole sizes up to 96 it never shrinks to the same one twice, by whichever
 * steps. So a size tells which one the text has shrunk from.
 */
const shrunk = (size: number, steps: number) => Math.round(size * shrinking ** steps * 10_000) / 10_000

/** What decides how large a shape's text is. */
type Lettered = Pick<Shape, 'kind' | 'fill' | 'textSize' | 'width' | 'height'>

/** The size that somebody has chosen for a shape's text. A note's text may have shrunk since. */
export function chosenTextSize(shape: Lettered): number {
  const { textSize } = shape
  if (!isNote(shape)) return textSize
  for (let steps = 0, size = textSize; size < chosenMax + 1; size = textSize / shrinking ** ++steps) {
    const whole = Math.round(size)
    if (shrunk(whole, steps) === textSize) return whole
  }
  return textSize
}

/** The size at which a text fits into a note: at most `most`. */
function noteTextSize(text: string, most: number, { width, height }: { width: number, height: number }): number {
  let size = most
  for (let steps = 1; heightFor(text, size, width) > height; steps += 1) {
    const next = shrunk(most, steps)
    if (next < noteTextMin) break
    size = next
  }
  return size
}

/**
 * The size that a shape's text has, once `text` is written in the shape. Only a note's text changes its size.
 *
 * @param box the new size of the shape
 */
export const textSizeFor = (shape: Lettered, text: string, box: { width: number, height: number } = shape) =>
  (isNote(shape) ? noteTextSize(text, chosenTextSize(shape), box) : shape.textSize)
