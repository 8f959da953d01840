import { newWidth } from '../canvas/fitted.js'
import { isNote, noteTextSize } from '../canvas/notes.js'
import { directionOf, heightFor } from '../canvas/text.js'
import { properties } from '../core/table.js'
import type { Values } from '../core/types.js'
import { noteLook, noteSide, textLook } from '../draw/look.js'
import { noteGap } from '../draw/making.js'
import type { Paint } from '../state/paint.js'

const bytesMax = properties.find(({ name }) => name === 'text')?.bytesMax ?? 0
const encoder = new TextEncoder()

/** Matches control characters except line feeds. */
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g

export const isTooLong = (text: string) => text.length * 3 > bytesMax && encoder.encode(text).length > bytesMax

/** Cleans a text for a shape: no control characters, and only line feeds as line breaks. */
const cleaned = (text: string) => text.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll('\t', '    ').replace(controls, '')

/** Cleans a text for a shape, and cuts it if it is too long. */
export function plainText(typed: string) {
  const text = cleaned(typed)
  if (!isTooLong(text)) return text
  let bytes = 0
  let cut = ''
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    bytes += encoder.encode(segment).length
    if (bytes > bytesMax) break
    cut += segment
  }
  return cut
}

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
export function drawingOf(text: string, paint: Paint): { drawing: string, isCut: boolean } | null {
  const lines = cleaned(text).split('\n').map((line) => line.trim()).filter((line) => line !== '')
  if (lines.length === 0) return null
  const isList = lines.length > 1 && lines.length <= notesMax
  const texts = isList ? lines.map((line) => line.replace(bullet, '')) : [cleaned(text).trim()]
  const cut = texts.map(plainText)
  const shapes = isList ? notes(cut, paint) : [textOf(cut[0], paint)]
  return { drawing: JSON.stringify({ format: 'canvassync', version: 1, shapes }), isCut: texts.some(isTooLong) }
}

function textOf(text: string, paint: Paint): Values {
  const width = newWidth(text, paint.textSize)
  return {
    kind: 'text', position: [0, 0], size: [width, Math.ceil(heightFor(text, paint.textSize, width))], text, ...textLook(paint),
    ...directionOf(text) === 'rtl' && { textAlign: 'right' },
  }
}

function notes(lines: string[], paint: Paint): Values[] {
  const look = noteLook(paint)
  const columns = Math.ceil(Math.sqrt(lines.length))
  let [top, next] = [0, 0]
  return lines.map((text, index) => {
    const column = index % columns
    if (column === 0) top = next
    // With another fill it is a rectangle, whose text keeps its size.
    const textSize = isNote({ kind: 'rectangle', fill: String(look.fill) })
      ? noteTextSize(text, paint.textSize, { width: noteSide, height: noteSide }) : paint.textSize
    const height = Math.max(noteSide, Math.ceil(heightFor(text, textSize, noteSide)))
    next = Math.max(next, top + height + noteGap)
    return {
      kind: 'rectangle', position: [column * (noteSide + noteGap), top], size: [noteSide, height], text, ...look,
      ...textSize !== paint.textSize && { textSize },
    }
  })
}
