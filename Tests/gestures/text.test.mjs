// Tests where texts are broken into lines, how many words have to be measured for that, how large a note's text is, and
// how words with marks are painted.

import assert from 'node:assert/strict'
import test from 'node:test'

import { letters } from './drawing.mjs'
import { textSizeFor } from '../../build/modules/canvas/notes.js'
import * as tools from '../../build/modules/canvas/text.js'
import { TextMarks } from '../../build/modules/canvas/text-marks.js'
import { cleaned } from '../../build/modules/keep/plain-text.js'

const { linesOf } = tools
const words = (text, width) => linesOf(text, width).map((line) => line.words)

test('a pasted text has no control characters, one kind of line break, and no half of a surrogate pair', () => {
  assert.equal(cleaned('a\r\nb\u2028c\rd\te\u0007\vf\fg'), 'a\nb\nc\nd    e\nf\ng')
  assert.equal(cleaned('half \ud83c a pair, \udf00, and a whole 🌀'), 'half \ufffd a pair, \ufffd, and a whole 🌀')
})

test('a text breaks between words, and within a word that is longer than a line', () => {
  assert.deepEqual(words('one two  three\nfour', 4), ['one two', 'three', 'four'])
  assert.deepEqual(words('abcdefghi jk', 1.5), ['abc', 'def', 'ghi', 'jk'])
  assert.deepEqual(words('abc', 0.1), ['a', 'b', 'c'])
  assert.deepEqual(linesOf('\u05d0 b\nc \u05d0', 0.1).map(({ direction }) => direction), ['rtl', 'rtl', 'ltr', 'ltr'], 'each paragraph has that of its first letter')
})

test('measuring grows with the text, not with its square', () => {
  const text = 'ab '.repeat(1_365)
  letters.measured = 0
  linesOf(text, 100_000)
  assert.ok(letters.measured <= text.length, `${letters.measured} letters measured`)
  letters.measured = 0
  linesOf('x'.repeat(4_096), 100)
  assert.ok(letters.measured <= 16 * 4_096, `${letters.measured} letters measured`)
})

test('a note’s text that shrinks has the size again that was chosen, once there is space', () => {
  const note = { kind: 'rectangle', fill: '#FFE27A', width: 200, height: 200 }
  for (let chosen = 8; chosen <= 96; chosen++) {
    const seen = new Set()
    let [before, textSize] = ['', chosen]
    // The text gets longer word by word. Each step knows only what is stored.
    for (let text = ''; text.length < 600; text += 'words ') {
      textSize = textSizeFor({ ...note, text: before, textSize }, text)
      before = text
      seen.add(textSize)
      assert.ok(textSize >= Math.min(chosen, 12), `${chosen} shrinks to ${textSize}`)
      assert.equal(textSizeFor({ ...note, text, textSize }, 'a'), chosen, `from ${textSize}`)
    }
    assert.ok(seen.size > 1 || chosen < 14, `${chosen} shrinks`)
  }
})

/** Of a text in which the core has put the signs of marks: bold, link, both, and plain again. */
const [plain, bold, link, both] = ['\u0001', '\u0002', '\u0003', '\u0004']
const marked = (text, width) => new TextMarks({ replica: { drawnText: (text) => text } }, tools).linesOf(text, width)

test('a text with marks breaks where it would without them, and each line goes on in the look of the last', () => {
  const text = `a ${bold}one two  three${plain}\nfour ${link}abcdefgh${both}ij`
  const lines = marked(text, 4)
  assert.deepEqual(lines.map((line) => line.words), words(text.replace(/[\u0001-\u0004]/g, ''), 4))
  const looks = lines.map(({ runs }) => runs.map(({ words, isBold, isLink }) => `${words}${isBold ? '*' : ''}${isLink ? '_' : ''}`))
  assert.deepEqual(looks, [['a ', 'one*'], ['two*'], ['three*'], ['four'], ['abcdefgh_'], ['ij*_']])
})

test('addresses are underlined, also in bold words, and only bold words are painted bold', () => {
  const painted = []
  const context = {
    font: '20px sans', textAlign: 'center',
    fillText(words, x) { painted.push([words, x, this.font]) },
    strokeText(words) { painted.push(['edge', words]) },
    fillRect(x, _y, width) { painted.push([x, width]) },
  }
  const [line] = marked(`on ${link}site${both}more${plain} ${bold}now`, 100)
  new TextMarks({}, tools).paint(context, line, 100, 50, 20, false)
  // 15 letters of 10 units are centred at 100.
  assert.deepEqual(painted, [
    ['on ', 25, '20px sans'], ['site', 55, '20px sans'], [55, 40], ['more', 95, 'bold 20px sans'], [95, 40],
    [' ', 135, '20px sans'], ['now', 145, 'bold 20px sans'],
  ])
  assert.deepEqual([context.font, context.textAlign], ['20px sans', 'center'])
  // From right to left, the first words are at the right.
  const [{ runs }] = marked(`\u05d0\u05d1 ${bold}\u05d2`, 100)
  assert.deepEqual(runs.map(({ x, width }) => [x, width]), [[0.5, 1.5], [0, 0.5]])
})
