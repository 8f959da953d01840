import { rowOf } from '../core/values.js'

const bytesMax = rowOf('text')?.bytesMax ?? 0
const encoder = new TextEncoder()

/** Matches half a surrogate pair, which no UTF-8 can say. */
const halves = /\p{Surrogate}/gu
/** Matches control characters except line feeds. */
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g

export const isTooLong = (text: string) => text.length * 3 > bytesMax && encoder.encode(text).length > bytesMax

/** Cleans a text for a shape: no control characters, only line feeds as line breaks, and nothing that isn't Unicode. */
export const cleaned = (text: string) => text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n').replaceAll('\t', '    ')
  .replace(controls, '').replace(halves, '\ufffd')

/** Cleans a text for a shape, and cuts it if it is too long. */
export const plainText = (typed: string) => shortened(cleaned(typed))

/** Cuts the end of a cleaned text that is too long, also if only the `rest`, which comes behind it, makes it so. */
export function shortened(text: string, rest = '') {
  if (!isTooLong(text + rest)) return text
  let bytes = encoder.encode(rest).length
  let cut = ''
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    bytes += encoder.encode(segment).length
    if (bytes > bytesMax) break
    cut += segment
  }
  return cut
}
