// Tests where texts are broken into lines, how many words have to be measured for that, and how large a note's text is.

import assert from 'node:assert/strict'
import test from 'node:test'

let measured = 0
globalThis.OffscreenCanvas = class {
  getContext() {
    return {
      measureText: (text) => {
        measured += text.length
        return { width: 50 * [...text].length }
      },
    }
  }
}
const { linesOf } = await import('../../build/modules/canvas/text.js')
const { textSizeFor } = await import('../../build/modules/canvas/notes.js')

const words = (text, width) => linesOf(text, width).map((line) => line.words)

test('a text breaks between words, and within a word that is longer than a line', () => {
  assert.deepEqual(words('one two  three\nfour', 4), ['one two', 'three', 'four'])
  assert.deepEqual(words('abcdefgh ij', 1.5), ['abc', 'def', 'gh', 'ij'])
  assert.deepEqual(words('abc', 0.1), ['a', 'b', 'c'])
})

test('measuring grows with the text, not with its square', () => {
  const text = 'ab '.repeat(1_365)
  measured = 0
  linesOf(text, 100_000)
  assert.ok(measured <= text.length, `${measured} letters measured`)
  measured = 0
  linesOf('x'.repeat(4_096), 100)
  assert.ok(measured <= 16 * 4_096, `${measured} letters measured`)
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
