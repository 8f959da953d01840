import { personColors } from '../basics/person-colors.js'
import { properties, type Shape } from '../core/table.js'
import { heightFor } from './text.js'

/** The fill of a person's notes, unless they have chosen another: a light one of the person's colour. */
const noteFills = [
  '#FFC2B8', '#FFBBD6', '#F3BDF5', '#D9C8FF', '#CACDFF', '#B8D2FF', '#AEE0FA', '#A6EADF', '#B2EBBE', '#D5EB98',
]
/** For people with a colour of their own. */
const commonFill = '#FFE27A'

export const noteFill = (personColor: string) => noteFills[personColors.indexOf(personColor)] ?? commonFill

export const isNote = ({ kind, fill }: Pick<Shape, 'kind' | 'fill'>) => kind === 'rectangle' && (fill === commonFill || noteFills.includes(fill))

/** The default size of text. It is not written to a shape. */
export const standardTextSize = properties.find(({ name }) => name === 'textSize')?.standard as number

/** The sizes of text that the bars offer above the default. */
export const largeTextSizes = [32, 48]

/** A note's text doesn't get smaller than this. If it still doesn't fit, the note grows. */
const noteTextMin = 12

/** The size at which a text fits into a note: at most `most`. */
export function noteTextSize(text: string, most: number, { width, height }: { width: number, height: number }): number {
  let size = most
  while (size > noteTextMin && heightFor(text, size, width) > height) size = Math.max(noteTextMin, Math.floor(size * 0.9))
  return size
}

/**
 * The size that a shape's text has, once `text` is written in the shape. Only a note's text changes its size.
 *
 * @param box the new size of the shape
 */
export function textSizeFor(shape: Shape, text: string, box: { width: number, height: number } = shape): number {
  if (!isNote(shape)) return shape.textSize
  // A text that was made smaller gets larger again when it gets shorter or the note larger. How large it was, the offered
  // sizes tell: from one of them, the text was made as small as it is now. Any other size was chosen, and is the largest.
  const offered = [standardTextSize, ...largeTextSizes]
  const chosen = offered.find((size) => shape.textSize === noteTextSize(shape.text, size, shape)) ?? shape.textSize
  return noteTextSize(text, chosen, box)
}
