import type { Point } from '../core/types.js'
import type { Shown } from '../state/shown.js'
import type { Context2D } from './context.js'
import type { Drawn } from './drawn.js'
import type { Line } from './text.js'

/** Characters of a line that look alike. `x`, from the line's left, and `width` are multiples of the text's size. */
export type Run = { words: string, isBold: boolean, isLink: boolean, x: number, width: number }

/** What the room's bundle has already. A copy of it in this part's bundle would know nothing of the room. */
type Tools = Pick<typeof import('./captions.js'), 'captionMiddle'> & Pick<typeof import('./text.js'),
  'directionOf' | 'lettersOf' | 'measuringIn' | 'placedLines' | 'textFace' | 'wordsOf' | 'wordWidth' | 'wrapped'>

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

/** Of bold words, this many widths are kept, and none of longer words. */
const widthsMax = 20_000
const keptLengthMax = 100

/** Breaks texts with marks into lines, and paints these lines (S18). */
export class TextMarks {
  #shown
  #tools
  #measuring
  /** The widths of bold words. */
  #widths = new Map<string, number>()

  constructor(shown: Shown, tools: Tools) {
    this.#shown = shown
    this.#tools = tools
    this.#measuring = tools.measuringIn(`bold 100px ${tools.textFace}`)
  }

  /** @param width as a multiple of the text's size */
  linesOf(text: string, width: number): Line[] {
    const lines = this.#shown.replica.drawnText(text).split('\n').flatMap((paragraph) => this.#broken(paragraph, width))
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
    const known = words.length > keptLengthMax ? this.#measured(words) : this.#widths.get(words)
    if (known !== undefined) return known
    if (this.#widths.size >= widthsMax) this.#widths.clear()
    const width = this.#measured(words)
    this.#widths.set(words, width)
    return width
  }

  #measured(words: string) { return this.#measuring.measureText(words).width / 100 }

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

  /** The address that a shape shows at a point of the canvas. */
  addressAt(drawn: Drawn, point: Point): string | null {
    const { captionMiddle, placedLines } = this.#tools
    const { shape: { text, textSize }, centerX, centerY, rotation, growth } = drawn
    const caption = captionMiddle(drawn)
    const turn = caption ? 0 : -rotation * Math.PI / 180
    const { lines, top, left, step, textAlign } = placedLines(drawn)
    const [dx, dy] = [(point.x - (caption?.x ?? centerX)) / growth, (point.y - (caption?.y ?? centerY)) / growth]
    const index = Math.floor((dx * Math.sin(turn) + dy * Math.cos(turn) - top) / step)
    const line = lines[index]
    if (!line) return null
    const x = (dx * Math.cos(turn) - dy * Math.sin(turn) - left) / textSize - leftOf(line, textAlign)
    const hit = line.runs?.find((run) => run.isLink && x >= run.x && x <= run.x + run.width)
    if (!hit) return null
    // An address can be broken into several runs, so the letters of addresses up to the hit one are counted.
    const runs = lines.slice(0, index + 1).flatMap((each) => each.runs ?? []).filter(({ isLink }) => isLink)
    let letters = runs.slice(0, runs.indexOf(hit)).reduce((sum, { words }) => sum + words.length, 0)
    return this.#shown.replica.addresses(text).find((address) => (letters -= address.length) < 0) ?? null
  }
}

/**
 * Where a line begins, relative to where it is aligned, as a multiple of the text's size. The lines of a list are
 * aligned as one block.
 */
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
