import type { Fitting } from '../canvas/fitted.js'
import { directionOf } from '../canvas/text.js'
import type { Values } from '../core/types.js'
import { noteLook, noteSide, textLook } from '../draw/look.js'
import { noteGap } from '../draw/making.js'
import type { Paint } from '../state/paint.js'
import { cleaned, isTooLong, plainText } from './plain-text.js'

/** A text of more lines than this becomes one text instead of notes. */
const notesMax = 100
/** Matches what marks the entries of a list. */
const bullet = /^[-*•–]\s+/

/**
 * The drawing that a pasted text becomes: a note for each line, in as many columns as rows, or a text if it has only
 * one line.
 *
 * @returns null if nothing is written in it; `isCut`: whether the text is too long for a shape, and its end is left out
 */
export function drawingOf(text: string, paint: Paint, fitting: Fitting): { drawing: string, isCut: boolean } | null {
  const lines = cleaned(text).split('\n').map((line) => line.trim()).filter((line) => line !== '')
  if (lines.length === 0) return null
  const isList = lines.length > 1 && lines.length <= notesMax
  const texts = isList ? lines.map((line) => line.replace(bullet, '')) : [cleaned(text).trim()]
  const cut = texts.map(plainText)
  const shapes = isList ? notes(cut, paint, fitting) : [textOf(cut[0], paint, fitting)]
  return { drawing: JSON.stringify({ format: 'canvassync', version: 1, shapes }), isCut: texts.some(isTooLong) }
}

function textOf(text: string, paint: Paint, { boxHeight, newWidth }: Fitting): Values {
  const width = newWidth(text, paint.textSize)
  return {
    kind: 'text', position: [0, 0], size: [width, boxHeight(text, paint.textSize, width)], text, ...textLook(paint),
    ...directionOf(text) === 'rtl' && { textAlign: 'right' },
  }
}

function notes(lines: string[], paint: Paint, { boxHeight, textSizeFor }: Fitting): Values[] {
  const look = noteLook(paint)
  const columns = Math.ceil(Math.sqrt(lines.length))
  let [top, next] = [0, 0]
  return lines.map((text, index) => {
    const column = index % columns
    if (column === 0) top = next
    const shape = { kind: 'rectangle', fill: String(look.fill), textSize: paint.textSize, width: noteSide, height: noteSide }
    const textSize = textSizeFor(shape, text)
    const height = Math.max(noteSide, boxHeight(text, textSize, noteSide))
    next = Math.max(next, top + height + noteGap)
    return {
      kind: 'rectangle', position: [column * (noteSide + noteGap), top], size: [noteSide, height], text, ...look,
      ...textSize !== paint.textSize && { textSize },
    }
  })
}
