import type { Core } from '../core/core.js'
import { type Context2D, offscreenContextOf } from './context.js'
import type { Line } from './text.js'

/** Characters of a line that look alike. `x`, from the line's left, and `width` are multiples of the text's size. */
export type Run = { words: string, isBold: boolean, isLink: boolean, x: number, width: number }

/** What the room's bundle has of `text.ts`. */
type Tools = Pick<typeof import('./text.js'),
  'directionOf' | 'lettersOf' | 'textFace' | 'wordsOf' | 'wordWidth' | 'wrapped'>

// The signs that the core puts in place of marks: see Sources/CanvasCRDT/Shapes/DrawnText.swift.
const plainSign = 1
const boldBit = 1
const linkBit = 2
const itemSign = '\u0005'

const looks = /[\u0001-\u0004]/g
/** Matches the sign of a look, if there is one, and the characters behind it. */
const signedRuns = /([\u0001-\u0004]?)([^\u0001-\u0004]+)/g

/** Where an address is underlined, and how thick, as multiples of the text's size. */
const underline = { below: 0.1, thickness: 0.06 }

const widthsMax = 20_000

/** Breaks texts with marks into lines, and paints these lines (S18). */
export class TextMarks {
  #core
  #tools
  #measuring
  /** The widths of bold words. */
  #widths = new Map<string, number>()

  constructor(core: Core, tools: Tools) {
    this.#core = core
    this.#tools = tools
    this.#measuring = offscreenContextOf(new OffscreenCanvas(1, 1))
    this.#measuring.font = `bold 100px ${tools.textFace}`
  }

  /** @param width as a multiple of the text's size */
  linesOf(text: string, width: number): Line[] {
    const lines = this.#core.drawnText(text).split('\n').flatMap((paragraph) => this.#broken(paragraph, width))
    let list: { width: number } | null = null
    for (const line of lines) {
      if (line.indent === undefined) list = null
      else {
        list ??= { width: 0 }
        list.width = Math.max(list.width, line.indent + (line.width ?? 0))
        line.list = list
      }
    }
    return lines
  }

  #broken(paragraph: string, width: number): Line[] {
    const { directionOf, lettersOf, wordsOf, wordWidth, wrapped } = this.#tools
    const direction = directionOf(paragraph)
    const [body, head] = paragraph.split(itemSign).reverse()
    const words = wordsOf(body)
    if (head === undefined && body.search(looks) < 0) {
      return wrapped(words, width, wordWidth, lettersOf).map((line) => ({ words: line, direction }))
    }
    const indent = this.#width(head ?? '')
    return wrapped(signed(words), width - indent, (part) => this.#width(part), (word) => this.#letters(word))
      .map((line, index) => ({
        ...this.#line(index === 0 && head ? head + line : line, direction),
        ...head && { indent: index === 0 ? 0 : indent },
      }))
  }

  #line(words: string, direction: Line['direction']): Line {
    let width = 0
    const runs = runsOf(words).map((run) => {
      const placed = { ...run, x: width, width: this.#runWidth(run) }
      width += placed.width
      return placed
    })
    if (direction === 'rtl') for (const run of runs) run.x = width - run.x - run.width
    return { words: runs.map((run) => run.words).join(''), direction, runs, width }
  }

  /** The letters of a word, each with the sign of its look. */
  #letters(word: string) {
    return runsOf(word).flatMap(({ words, isBold, isLink }) => {
      const sign = String.fromCharCode(plainSign + (isBold ? boldBit : 0) + (isLink ? linkBit : 0))
      return this.#tools.lettersOf(words).map((letter) => sign + letter)
    })
  }

  #width(words: string) { return runsOf(words).reduce((sum, run) => sum + this.#runWidth(run), 0) }

  #runWidth({ words, isBold }: { words: string, isBold: boolean }) {
    if (!isBold) return this.#tools.wordWidth(words)
    const known = this.#widths.get(words)
    if (known !== undefined) return known
    if (this.#widths.size >= widthsMax) this.#widths.clear()
    const width = this.#measuring.measureText(words).width / 100
    this.#widths.set(words, width)
    return width
  }

  /**
   * Paints a line. The context has the font of plain letters, and the alignment of the text.
   *
   * @param x where the line is aligned
   * @param y the base of its letters
   */
  paint(context: Context2D, line: Line, x: number, y: number, textSize: number, isSetOff: boolean) {
    const { font, textAlign } = context
    const left = x + leftOf(line, textAlign) * textSize
    context.textAlign = 'left'
    for (const run of line.runs ?? []) {
      const start = left + run.x * textSize
      context.font = run.isBold ? `bold ${font}` : font
      if (isSetOff) context.strokeText(run.words, start, y)
      context.fillText(run.words, start, y)
      if (run.isLink) {
        context.fillRect(start, y + underline.below * textSize, run.width * textSize, underline.thickness * textSize)
      }
    }
    Object.assign(context, { font, textAlign })
  }
}

/** Where a line begins, relative to where it is aligned. The lines of a list are aligned as one block. */
function leftOf({ direction, width = 0, indent = 0, list }: Line, textAlign: CanvasTextAlign) {
  const block = list?.width ?? width
  const left = textAlign === 'left' ? 0 : textAlign === 'center' ? -block / 2 : -block
  return left + (direction === 'rtl' ? block - indent - width : indent)
}

/** Gives each word the sign of the look that it begins with, because a line can begin with any word. */
function signed(words: string[]) {
  let sign = ''
  return words.map((word) => {
    const own = word.trim() === '' ? word : word.replace(/^ */, `$&${sign}`)
    sign = word.match(looks)?.at(-1) ?? sign
    return own
  })
}

/** The runs of a line or a word. Without a sign, it begins plain. */
function runsOf(words: string) {
  const runs: { words: string, isBold: boolean, isLink: boolean }[] = []
  let look = 0
  let lookBefore = -1
  for (const [, sign, run] of words.matchAll(signedRuns)) {
    if (sign) look = sign.charCodeAt(0) - plainSign
    if (look === lookBefore) runs[runs.length - 1].words += run
    else runs.push({ words: run, isBold: (look & boldBit) !== 0, isLink: (look & linkBit) !== 0 })
    lookBefore = look
  }
  return runs
}
