import { inkOn } from '../basics/ink.js'
import { captionWidthMax, type Shape } from '../core/table.js'
import type { Box } from '../core/types.js'
import { type Context2D, offscreenContextOf } from './context.js'
import type { Drawn } from './drawn.js'
import type { Run, TextMarks } from './text-marks.js'
import { fillTone, inkTone } from './tones.js'

// Text in a shape: breaks it into lines that fit the shape's box, and paints it (S9).

/**
 * The part that reads and paints marks (S18). It is loaded when a text may have some. Until then, and in bundles that
 * have no such part, marks are drawn as characters.
 */
export const marking: { marks: TextMarks | null, want: () => void } = { marks: null, want: () => {} }

/** Matches every text that has marks, and some others. Which of them have marks, the core says. */
const maybeMarked = /\*\*|:\/\/|^ *(-|\d+\.) /m

/** The margin between a text and its box, in units of the canvas. */
export const textPadding = 8
/** The distance from one line to the next, as a multiple of the text's size. */
export const lineHeight = 1.25
export const textFace = 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif'
/** In device pixels: letters that are smaller than this are painted as bars, because they can't be read. */
const legible = 3

const blackSince = 128_000

/**
 * The colour of the letters. In a shape of the kind `text` it is the fill's colour. In other shapes it is black or
 * white, whichever contrasts more with the fill. Without a fill, and for a line, it is the stroke's colour.
 */
export function textColor({ shape: { kind, filled }, fill, stroke }: Drawn, isDark: boolean): string {
  if (kind === 'text' || kind === 'line' || !filled) return inkTone(kind === 'text' ? fill : stroke, isDark)
  const brightness = 299 * (fill >> 16) + 587 * (fill >> 8 & 255) + 114 * (fill & 255)
  return brightness >= blackSince ? '#000000' : '#FFFFFF'
}

/** The width of the contrasting edge around letters, as a multiple of the text's size. */
const setOff = 0.25

/**
 * The colour behind the letters: the shape's fill. Without a fill it is black or white, whichever contrasts more with
 * the letters.
 */
function aroundText(drawn: Drawn, isDark: boolean) {
  const { shape: { kind, filled }, fill } = drawn
  return kind === 'text' || !filled ? inkOn(textColor(drawn, isDark)) : fillTone(fill, isDark)
}

/** Matches a text whose first letter with a direction is written from right to left. */
const rightToLeft = /^[^A-Za-z\u00c0-\u058f\u0900-\u1fff\u2c00-\ud7ff]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

export const directionOf = (paragraph: string): 'rtl' | 'ltr' => (rightToLeft.test(paragraph) ? 'rtl' : 'ltr')

/**
 * `direction` is that of the line's paragraph. The others are given for a line with marks: what looks alike, and its
 * width; for an item of a list how far the line is indented, and how wide the whole list is. They are multiples of the
 * text's size.
 */
export type Line = {
  words: string, direction: 'rtl' | 'ltr', runs?: Run[], width?: number, indent?: number, list?: { width: number },
}
/**
 * A text's lines for a width of its box. `runs`: how many runs they have together; `widest`: the longest line, once it
 * is measured.
 */
export type DrawnLines = {
  text: string, width: number, lines: Line[], marks: TextMarks | null, runs: number, widest?: number,
}

/** Sets a font whose letters are equally far apart at every zoom and on every screen, without rounding to pixels. */
function setFont(context: Context2D, font: string) {
  context.font = font
  context.textRendering = 'geometricPrecision'
}

/** A context that measures texts. */
export function measuringIn(font: string) {
  const context = offscreenContextOf(new OffscreenCanvas(1, 1))
  setFont(context, font)
  return context
}

let measuring: OffscreenCanvasRenderingContext2D | undefined

/**
 * The width of a text, measured in a font of 100 units. All sizes use this one measurement, so that lines break alike
 * at every zoom.
 */
function widthOf(text: string) {
  measuring ??= measuringIn(`100px ${textFace}`)
  return measuring.measureText(text).width / 100
}

/** A cache of the widths of words. Long words are not kept. */
const widths = new Map<string, number>()
const widthsMax = 20_000
const keptLengthMax = 100

export function wordWidth(word: string) {
  if (word.length > keptLengthMax) return widthOf(word)
  const known = widths.get(word)
  if (known !== undefined) return known
  if (widths.size >= widthsMax) widths.clear()
  const width = widthOf(word)
  widths.set(word, width)
  return width
}

let graphemes: Intl.Segmenter | undefined
/** The letters of a word, as people see them: an emoji can consist of several characters, but it is one letter. */
export const lettersOf = (word: string) => {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(graphemes.segment(word), ({ segment }) => segment)
}

/**
 * Breaks a text into lines, if possible between words.
 *
 * @param width as a multiple of the text's size
 */
export function linesOf(text: string, width: number): Line[] {
  if (maybeMarked.test(text)) {
    const lines = marking.marks?.linesOf(text, width)
    if (lines) return lines
    marking.want()
  }
  return text.split('\n').flatMap((paragraph) => {
    const direction = directionOf(paragraph)
    return wrapped(wordsOf(paragraph), width, wordWidth, lettersOf).map((words) => ({ words, direction }))
  })
}

/** The words of a paragraph, each with the spaces before it. */
export const wordsOf = (paragraph: string): string[] => paragraph.match(/ *[^ ]+| +$/g) ?? []

/**
 * Puts words into lines.
 *
 * @param measure the width of a word or of a part of one
 */
export function wrapped(
  words: string[], width: number, measure: (words: string) => number, lettersOf: (word: string) => string[],
): string[] {
  const lines: string[] = []
  let line = ''
  // A line's width is the sum of its words' widths, because ligatures and kerning occur only within a word. Measuring
  // the whole line after each word would take quadratic time.
  let taken = 0
  for (const word of words) {
    if (word.trim() === '' || taken + measure(word) <= width) {
      line += word
      taken += measure(word)
      continue
    }
    if (line !== '') lines.push(line)
    line = line === '' ? word : word.trimStart()
    taken = measure(line)
    if (taken <= width) continue
    // A word that is longer than a line is broken between letters.
    const parts = brokenWord(lettersOf(line), width, measure)
    line = parts.pop() ?? ''
    lines.push(...parts)
    taken = measure(line)
  }
  return [...lines, line]
}

/**
 * Splits a word into parts that fit a line. A part has at least one letter.
 *
 * The number of letters is found by doubling and then halving, because measuring after each letter would take quadratic
 * time.
 */
function brokenWord(letters: string[], width: number, measure: (words: string) => number) {
  const parts: string[] = []
  for (let from = 0; from < letters.length;) {
    const fits = (count: number) => measure(letters.slice(from, from + count).join('')) <= width
    const left = letters.length - from
    let [least, most] = [1, 2]
    while (most <= left && fits(most)) [least, most] = [most, 2 * most]
    most = Math.min(most, left + 1)
    while (most - least > 1) {
      const middle = least + most >> 1
      if (fits(middle)) least = middle
      else most = middle
    }
    parts.push(letters.slice(from, from + least).join(''))
    from += least
  }
  return parts
}

/**
 * The box in which a shape's text is broken and placed. A line's caption has none of its own: its lines break at a
 * certain width, and it is never cut off.
 */
const roomOf = ({ shape: { kind, textSize }, width, height }: Drawn) =>
  (kind === 'line' ? { width: captionWidthMax * textSize + 2 * textPadding, height: Infinity } : { width, height })

/** How a text is aligned. A caption is centred, whatever the shape says. */
const alignmentOf = ({ kind, textAlign, textPlace }: Shape) =>
  (kind === 'line' ? { textAlign: 'center', textPlace: 'middle' } as const : { textAlign, textPlace })

/** The lines of a shape's text at its drawn size. They are cached until the text or the width changes. */
function linesIn(drawn: Drawn): DrawnLines {
  const { text, textSize } = drawn.shape
  const width = Math.max(0, roomOf(drawn).width - 2 * textPadding) / textSize
  const kept = drawn.lines
  const { marks } = marking
  if (kept && kept.text === text && kept.width === width && kept.marks === marks) return kept
  const lines = linesOf(text, width)
  const runs = lines.reduce((sum, line) => sum + (line.runs?.length ?? 0), 0)
  return drawn.lines = { text, width, lines, marks, runs }
}

/** The width of the widest line, as a multiple of the text's size. */
export const widestOf = (lines: Line[]) =>
  Math.max(...lines.map(({ words, width, list }) => list?.width ?? width ?? widthOf(words)))

/** The average width of a letter, as a multiple of the text's size. */
const roughWidth = 0.5

/**
 * An estimate of the text's lines, for letters that are too small to read. Nothing is measured. If several lines would
 * share a pixel, only one is returned.
 */
function roughLines(drawn: Drawn, scale: number): Line[] {
  const { text, textSize } = drawn.shape
  const { width, height } = roomOf(drawn)
  const across = Math.max(1, Math.floor(Math.max(0, width - 2 * textPadding) / (textSize * roughWidth)))
  const most = Math.max(1, Math.ceil(height / Math.max(textSize * lineHeight, 1 / scale)))
  const lines: Line[] = []
  for (const paragraph of text.split('\n')) {
    for (let at = 0; at === 0 || at < paragraph.length; at += across) {
      if (lines.length >= most) return lines
      lines.push({ words: paragraph.slice(at, at + across), direction: 'ltr' })
    }
  }
  return lines
}

/**
 * Where lines are in a shape's box. `step`: from one line to the next. `left`: where they are aligned. `left` and `top`
 * are relative to the shape's centre, or to the caption's middle.
 */
function placeOf(drawn: Drawn, lines: Line[]) {
  const { textSize } = drawn.shape
  const { textAlign, textPlace } = alignmentOf(drawn.shape)
  const { width, height } = roomOf(drawn)
  const step = lineHeight * textSize
  const taken = lines.length * step
  const insideWidth = Math.max(0, width - 2 * textPadding)
  const insideHeight = Math.max(0, height - 2 * textPadding)
  const top = textPlace === 'top' ? -insideHeight / 2 : textPlace === 'bottom' ? insideHeight / 2 - taken : -taken / 2
  const left = textAlign === 'left' ? -insideWidth / 2 : textAlign === 'right' ? insideWidth / 2 : 0
  return { step, height: taken, insideWidth, top, left }
}

/** The lines of a shape's text, and where they are. */
export function placedLines(drawn: Drawn) {
  const { lines } = linesIn(drawn)
  return { lines, ...placeOf(drawn, lines), ...alignmentOf(drawn.shape) }
}

/**
 * The box around a shape's text, relative to the shape's centre and before its rotation; around a caption, relative to
 * its middle. null if there is no text, or none that can be read at this scale.
 */
export function textBox(drawn: Drawn, scale = Infinity): Box | null {
  const { textSize, written } = drawn.shape
  const { textAlign } = alignmentOf(drawn.shape)
  if (!written || textSize * scale < legible) return null
  const drawnLines = linesIn(drawn)
  const { height, insideWidth, top } = placeOf(drawn, drawnLines.lines)
  const width = (drawnLines.widest ??= widestOf(drawnLines.lines)) * textSize
  const x = (textAlign === 'left' ? -insideWidth : textAlign === 'right' ? insideWidth - 2 * width : -width) / 2
  return { x, y: top, width, height }
}

/**
 * Paints a shape's text into a context that is transformed for the shape.
 *
 * @param scale device pixels for a unit
 * @param isSetOff whether letters get a contrasting edge, because something else was painted on the shape's fill
 */
export function paintText(context: Context2D, drawn: Drawn, scale: number, isDark: boolean, isSetOff = false) {
  const { shape, rotation } = drawn
  const { textSize, halfway } = shape
  const { textAlign } = alignmentOf(shape)
  const isLegible = textSize * scale >= legible
  const lines = isLegible ? linesIn(drawn).lines : roughLines(drawn, scale)
  const { step, height, insideWidth, top, left } = placeOf(drawn, lines)
  context.fillStyle = textColor(drawn, isDark)
  const isCut = height > roomOf(drawn).height
  if (isCut || halfway) context.save()
  if (halfway) {
    // A caption is upright.
    context.translate((halfway.x - 0.5) * drawn.width, (halfway.y - 0.5) * drawn.height)
    context.rotate(-rotation * Math.PI / 180)
  }
  if (isCut) {
    context.beginPath()
    context.rect(-drawn.width / 2, -drawn.height / 2, drawn.width, drawn.height)
    context.clip()
  }
  if (!isLegible) {
    const alpha = context.globalAlpha
    context.globalAlpha = alpha * 0.5
    for (const [index, { words }] of lines.entries()) {
      const length = Math.min(insideWidth, words.length * textSize * 0.5)
      const start = textAlign === 'left' ? left : textAlign === 'right' ? left - length : -length / 2
      context.fillRect(start, top + index * step + textSize * 0.35, length, textSize * 0.5)
    }
    context.globalAlpha = alpha
  } else {
    setFont(context, `${textSize}px ${textFace}`)
    context.textAlign = textAlign
    context.textBaseline = 'alphabetic'
    if (isSetOff) {
      context.lineJoin = 'round'
      context.lineWidth = textSize * setOff
      context.strokeStyle = aroundText(drawn, isDark)
    }
    for (const [index, line] of lines.entries()) {
      if (line.words === '') continue
      const base = top + index * step + (step - textSize) / 2 + 0.8 * textSize
      context.direction = line.direction
      if (line.runs) {
        marking.marks?.paint(context, line, left, base, textSize, isSetOff)
        continue
      }
      if (isSetOff) context.strokeText(line.words, left, base)
      context.fillText(line.words, left, base)
    }
  }
  if (isCut || halfway) context.restore()
}

/**
 * The height of a box that fits a text.
 *
 * @param width of the box
 */
export function heightFor(text: string, textSize: number, width: number) {
  const lines = linesOf(text, Math.max(0, width - 2 * textPadding) / textSize)
  return lines.length * lineHeight * textSize + 2 * textPadding
}

/** The width of a box in which a text, with its marks as characters, breaks only at its own line breaks. */
export function widthFor(text: string, textSize: number) {
  return Math.max(0, ...text.split('\n').map((line) => widthOf(line))) * textSize + 2 * textPadding + 1
}
