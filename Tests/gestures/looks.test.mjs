// Tests how new shapes look, what texts and documents become, and the keys that write marks into a text.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Drawing, editingOf, stepOf } from './drawing.mjs'
import { Element, makeElements } from './elements.mjs'
import { Swatches } from '../../build/modules/bars/swatches.js'
import { colorsInTurn, shapeColors } from '../../build/modules/basics/shape-colors.js'
import { Source } from '../../build/modules/basics/source.js'
import { boxHeight, fittedNotes, fittedTo, lettered, newWidth } from '../../build/modules/canvas/fitted.js'
import { chosenTextSize, isNote, noteFill, noteShade, otherNoteFill, textSizeFor } from '../../build/modules/canvas/notes.js'
import {
  arrowLook, bared, filledWith, inkLook, isWrittenOn, lineLook, lookOf, nextFill, nextLook, noteLook, outlinedWith, recolored, textLook,
} from '../../build/modules/draw/look.js'
import { drawingOf } from '../../build/modules/keep/pasted-text.js'
import { sliderField } from '../../build/modules/panels/fields.js'
import { Inspector } from '../../build/modules/panels/inspector.js'
import { isTooLong, plainText } from '../../build/modules/keep/plain-text.js'
import { ownName, restoration, valuesOf, writeAll } from '../../build/modules/keep/restoration.js'
import { pressed } from '../../build/modules/write/mark-keys.js'

const paintOf = (style = {}) => ({ fill: null, stroke: null, strokeWidth: 4, dash: 'solid', route: 'straight', textSize: 20, person: { color: '#B42318' }, ...style })
const yellow = '#FFE27A'

test('a new shape has the colours that were chosen, or the next in turn, and values that are standard are left out', () => {
  const replica = { shapeCount: 0, brightColor: () => '#BADA55' }
  assert.deepEqual(nextLook(paintOf(), replica), { fill: colorsInTurn[0] })
  assert.equal(nextFill(paintOf(), { shapeCount: 7 }), colorsInTurn[1])
  assert.deepEqual(colorsInTurn, ['#F5CB45', '#D63D33', '#3273D3', '#2E8558', '#8A5BD1', '#EC8FB4'])
  assert.deepEqual([0, 1, 2].map((shapeCount) => nextFill(paintOf({ fill: 'any' }), { shapeCount })), [colorsInTurn[0], colorsInTurn[1], null])
  assert.deepEqual(nextLook(paintOf({ fill: 'any', stroke: '#111111', dash: 'dotted', textSize: 30 }), { ...replica, shapeCount: 2 }),
    { fill: '#BADA55', stroke: '#111111', strokeWidth: 4, dash: 'dotted', textSize: 30 })
  assert.deepEqual(nextLook(paintOf({ fill: '#222222', textSize: 20 }), replica), { fill: '#222222' })
  const bare = nextLook(paintOf({ fill: 'none', strokeWidth: 7 }), replica)
  assert.deepEqual([bare.filled, bare.strokeWidth, bare.stroke !== undefined, bare.fill], [false, 7, true, undefined])
  assert.equal(nextLook(paintOf({ fill: 'none', stroke: '#111111' }), replica).stroke, '#111111')
  const [grey] = [lineLook(paintOf()).stroke]
  assert.deepEqual(lineLook(paintOf()), { stroke: grey, strokeWidth: 4 })
  for (const [style, stroke] of [[{ stroke: '#111111', fill: '#222222' }, '#111111'], [{ fill: '#222222' }, '#222222'], [{ fill: 'none' }, grey], [{ fill: 'any' }, grey]]) {
    assert.equal(lineLook(paintOf(style)).stroke, stroke)
  }
  assert.deepEqual(arrowLook(paintOf({ route: 'elbow', stroke: '#111111', dash: 'dashed' })), { stroke: '#111111', strokeWidth: 4, dash: 'dashed', route: 'elbow', toEnd: 'arrow' })
  assert.notEqual(inkLook(paintOf()).stroke, grey)
  assert.deepEqual(textLook(paintOf({ fill: '#222222', textSize: 30 })), { fill: '#222222', textAlign: 'left', textPlace: 'top', textSize: 30 })
  assert.match(textLook(paintOf({ fill: 'none' })).fill, /^#/)
  assert.deepEqual(noteLook(paintOf()), { fill: noteFill('#B42318') })
  assert.equal(noteLook(paintOf({ fill: '#123456' })).fill, '#123456')
})

test('a note is a rectangle with a fill of notes, which each person and most colours have', () => {
  assert.ok(isNote({ kind: 'rectangle', fill: yellow }) && isNote({ kind: 'rectangle', fill: noteFill('#B42318') }))
  assert.ok(!isNote({ kind: 'ellipse', fill: yellow }) && !isNote({ kind: 'rectangle', fill: '#123456' }))
  assert.equal(noteFill('#123456'), yellow)
  assert.notEqual(noteFill('#B42318'), noteFill('#1D4ED8'))
  const shades = shapeColors.map(([, color]) => noteShade(color))
  assert.deepEqual(shades.map((fill) => isNote({ kind: 'rectangle', fill })), [false, false, true, true, true, true, true, true])
  assert.deepEqual(shades.slice(0, 2), shapeColors.slice(0, 2).map(([, color]) => color))
  for (let count = 0; count < 50; count++) assert.ok(otherNoteFill(yellow) && otherNoteFill('#FFC2B8') !== '#FFC2B8')
  assert.deepEqual([{ written: true }, { kind: 'text' }, { kind: 'rectangle', fill: yellow }, { kind: 'ellipse', fill: yellow }].map((shape) => isWrittenOn(shape)), [true, true, true, false])
  const note = { kind: 'rectangle', fill: yellow, width: 200, height: 200, textSize: 20 }
  assert.equal(chosenTextSize({ ...note, textSize: 18.2 }), 20)
  assert.equal(chosenTextSize({ ...note, kind: 'ellipse', textSize: 18.2 }), 18.2)
  assert.equal(textSizeFor({ ...note, kind: 'ellipse' }, 'word '.repeat(300)), 20)
  assert.ok(textSizeFor(note, 'word '.repeat(30), { width: 100, height: 100 }) < textSizeFor(note, 'word '.repeat(30)))
})

test('the swatch of the colour that shapes have is marked, which for notes is a lighter shade, and only what has an effect is offered', () => {
  makeElements()
  const chosen = []
  let plays = true
  const swatches = new Swatches('Colours', {
    fill: { words: 'Next in turn', icon: 'next' }, stroke: { words: 'No outline', icon: 'none' }, any: { words: 'Any colour', icon: 'any', isShown: () => plays },
  }, (...choice) => chosen.push(choice))
  const buttons = swatches.element.children
  const labels = (...names) => buttons.filter(({ hidden, attributes }) => !hidden && names.some((name) => attributes['aria-label'].endsWith(name)))
    .map(({ attributes }) => attributes['aria-label'] + (attributes['aria-pressed'] === 'true' ? '!' : ''))
  const press = (name) => buttons.find(({ attributes }) => attributes['aria-label'] === name).dispatchEvent(new Event('click'))
  const all = ['fill', 'outline', 'turn', 'Any colour', 'None', 'Red', 'Yellow']
  const color = new Map(shapeColors)
  swatches.show({ fill: color.get('Red'), stroke: null })
  assert.deepEqual(labels(...all), ['Colour the fill!', 'Colour the outline', 'Next in turn', 'Any colour', 'Fill: None', ...shapeColors.map(([name]) => name)
    .filter((name) => /^(Red|Yellow)$/.test(name)).map((name) => `Fill: ${name}${name === 'Red' ? '!' : ''}`)])
  press('Fill: Yellow')
  press('Colour the outline')
  assert.deepEqual(labels('fill', 'outline', 'Any colour', 'None'), ['Colour the fill', 'Colour the outline!', 'No outline!'])
  press('Outline: Red')
  swatches.isOfOneColor = true
  swatches.show({ fill: color.get('Yellow'), stroke: color.get('Red') })
  assert.deepEqual(labels('fill', 'outline', 'None', 'Red', 'Yellow').toSorted(), ['Colour: Red', 'Colour: Yellow!'])
  press('Colour: Red')
  assert.deepEqual(chosen, [['fill', color.get('Yellow')], ['stroke', color.get('Red')], ['fill', color.get('Red')]])
  plays = swatches.isOfOneColor = false
  swatches.isOfNotes = true
  press('Colour the fill')
  swatches.show({ fill: noteShade(color.get('Yellow')), stroke: null })
  assert.deepEqual(labels('Any colour', 'Red', 'Yellow').toSorted(), ['Fill: Red', 'Fill: Yellow!'])
})

test('a slider has its value in words, or that shapes differ, and what one drags is one step that nobody else’s value disturbs', () => {
  makeElements()
  const heard = []
  const field = sliderField('Opacity', {
    min: 0, max: 10, words: (value) => `${10 * value} %`, change: (value) => heard.push(value) && value !== 7, settle: (value) => heard.push(`settles ${value}`),
  }, { openStep: () => ({ isOpen: true, end: () => heard.push('ends') }) })
  const [input, output] = field.element.children[1].children
  document.activeElement = input
  const tell = (type, value) => {
    if (value !== undefined) input.value = String(value)
    input.dispatchEvent(new Event(type))
  }
  const says = (value, words) => assert.deepEqual([input.value, output.textContent, input.attributes['aria-valuetext']], [value, words, words])
  field.show(5)
  says('5', '50 %')
  field.show(null)
  says('5', 'Mixed')
  tell('pointerdown')
  tell('input', 6)
  field.show(2)
  says('6', '60 %')
  tell('input', 7)
  says('6', '60 %')
  tell('change')
  field.show(2)
  says('2', '20 %')
  assert.deepEqual(heard, [6, 7, 'settles 6', 'ends'])
  document.activeElement = null
  tell('input', 9)
  says('2', '20 %')
  assert.equal(heard.length, 4, 'another finger has selected other shapes')
})

test('a field has the old value again if what was typed is for a shape that is locked or gone, and a name once one leaves it', () => {
  makeElements()
  const [shown, place] = [new Drawing(), new Element()]
  const id = shown.add({ position: [10, 20], rotation: 45, name: 'Sun' })
  const said = []
  let selected = [id]
  const locks = { hasAny: () => false, refuse: (ids) => ids.some((each) => shown.replica.shape(each)?.locked) && said.push('It is locked.') }
  new Inspector({
    shown, locks, editing: { ...editingOf(shown), openStep: () => ({ end() {} }) }, permission: Object.assign(new Source(), { mayEdit: true }),
    selection: Object.assign(new Source(), { size: 1, ids: () => selected, has: () => true }), notices: { say: (words) => said.push(words) },
    actions: new Proxy({}, { get: () => ({ words: '', isEnabled: () => true, run() {} }) }), fitting: { fittedNotes: () => [] },
  }, place).onShow()
  const allIn = (part) => [part, ...part.children.flatMap(allIn)]
  const all = allIn(place)
  const inputOf = (label) => all.find(({ attributes }) => attributes.id && attributes.id === all.find(({ textContent }) => textContent === label).attributes.for)
  const type = (label, value, { event = 'change', member = 'value' } = {}) => {
    const input = document.activeElement = inputOf(label)
    input[member] = value
    input.dispatchEvent(new Event(event))
    return input[member]
  }
  assert.deepEqual([type('X', '50'), shown.replica.shape(id).x], ['50', 50])
  selected = [shown.add({ kind: 'line', path: [[0, 0], [65535, 65535]], from: { shape: id, x: 0, y: 0 } })]
  shown.frame()
  type('Rotation', '30')
  assert.equal(shown.replica.shape(selected[0]).from, null, 'a tied line could not be turned')
  selected = [id]
  const lock = (locked) => {
    shown.write(id, { locked })
    shown.frame()
    said.length = 0
  }
  for (const [label, value, how] of [
    ['X', '70'], ['W', '500'], ['Rotation', '90'], ['Fill', '#123456'], ['Shape', 'ellipse'], ['Filled', false, { member: 'checked' }], ['Outline width', '9', { event: 'input' }],
  ]) {
    lock(true)
    const before = inputOf(label)[how?.member ?? 'value']
    assert.deepEqual([type(label, value, how), said], [before, ['It is locked.']], label)
  }
  assert.equal(type('Name', 'Moon'), 'Moon')
  lock(false)
  const name = inputOf('Name')
  assert.equal(name.value, 'Moon')
  document.activeElement = null
  name.dispatchEvent(new Event('blur'))
  assert.equal(name.value, 'Sun')
  shown.replica.delete([id])
  assert.deepEqual([type('X', '70'), said], ['50', ['It was deleted while you changed it.']])
})

test('a look is given to a shape so that it stays visible', () => {
  const shape = (set) => ({ kind: 'rectangle', filled: true, fill: '#111111', stroke: '#222222', strokeWidth: 0, ...set })
  assert.deepEqual([filledWith(shape(), '#333333'), filledWith(shape({ filled: false }), '#333333'), filledWith(shape({ kind: 'ink' }), '#333333')],
    [{ fill: '#333333' }, { fill: '#333333', filled: true }, { stroke: '#333333' }])
  assert.deepEqual([bared(shape(), 'fill'), bared(shape({ strokeWidth: 2 }), 'fill'), bared(shape(), 'stroke'), bared(shape({ kind: 'text' }), 'fill')],
    [{ filled: false, stroke: '#111111', strokeWidth: 4 }, { filled: false }, { strokeWidth: 0, filled: true }, {}])
  assert.deepEqual([outlinedWith(shape(), '#333333'), outlinedWith(shape({ strokeWidth: 2 }), '#333333'), outlinedWith(shape({ kind: 'line' }), '#333333')],
    [{ stroke: '#333333', strokeWidth: 4 }, { stroke: '#333333' }, {}])
  assert.ok(isNote({ kind: 'rectangle', fill: recolored(shape({ fill: yellow }), null).fill }))
  assert.deepEqual(recolored(shape({ kind: 'line' }), { brightColor: () => '#BADA55' }), { stroke: '#BADA55' })
  const drawing = new Drawing()
  const look = lookOf(drawing.replica.shape(drawing.add({ kind: 'star', points: 7, rotation: 30, alpha: 4, locked: true, text: 'A', name: 'Sun' })))
  assert.deepEqual([look.kind, look.points, look.rotation, look.alpha, look.locked, look.text, look.name, look.position], ['star', 7, 30, 4, undefined, undefined, undefined, undefined])
})

test('a box is fitted to its text: a new text is as wide as its longest line, any other box only grows', () => {
  const text = (set) => ({ kind: 'text', x: 10, y: 20, width: 100, height: 30, rotation: 0, textSize: 20, textAlign: 'left', fill: '#111111', ...set })
  const wide = newWidth('0123456789', 20)
  assert.ok(wide > 100 && wide < 140)
  assert.equal(newWidth('', 20), 24)
  assert.equal(newWidth('x'.repeat(500), 20), 640)
  const { size, ...rest } = fittedTo(text(), '0123456789', true)
  assert.deepEqual([size[0], size[1] >= 20, rest], [wide, true, {}])
  assert.deepEqual(fittedTo(text({ width: wide, height: size[1] }), '0123456789', true), {})
  assert.deepEqual(fittedTo(text({ height: 300 }), 'a', false), {})
  const grown = fittedTo(text(), 'a b c d e f g h i j k l m n o p', false)
  assert.deepEqual([grown.size[0], grown.size[1] > 30, grown.position], [100, true, undefined])
  assert.deepEqual(fittedTo(text({ kind: 'line' }), 'a\nb\nc', true), {})
  const turned = fittedTo(text({ rotation: 90 }), 'a b c d e f g h i j k l m n o p', false)
  // The upper left corner of what is turned by 90 degrees is where the upper right one was.
  const cornerOf = (x, y, width, height) => [x + width / 2 + height / 2, y + height / 2 - width / 2].map((each) => Math.round(each * 100) / 100)
  assert.deepEqual(cornerOf(...turned.position, ...turned.size), cornerOf(10, 20, 100, 30))
  assert.deepEqual(fittedTo(text({ textSize: 1_000 }), 'x'.repeat(1_000), false).size, [100, 1_000_000], 'a shape can’t be higher')
  const hebrew = fittedTo(text(), '\u05d0\u05d1', true)
  assert.equal(hebrew.textAlign, 'right')
  assert.ok(hebrew.position[0] < 10 && hebrew.position[1] === 20)
  assert.equal(fittedTo(text(), '\u05d0\u05d1', false).textAlign, undefined)
  const note = { ...text({ kind: 'rectangle', fill: yellow, width: 200, height: 200 }), id: 1, written: true, text: 'word '.repeat(60) }
  const { textSize } = fittedTo(note, note.text, false)
  assert.ok(textSize < 20)
  assert.equal(fittedTo({ ...note, textSize }, `${note.text}!`, false).textSize, textSize, 'of two texts written at once none gets the size of the other')
  assert.deepEqual(fittedNotes([note], [note]), [])
  assert.deepEqual(fittedNotes([note], [{ ...note, width: 150 }]).map(({ shape }) => shape), [1])
  assert.deepEqual(fittedNotes([note], [{ ...note, height: 150 }]).length, 1)
  for (const other of [{ id: 2 }, { written: false }, { fill: '#123456' }]) assert.deepEqual(fittedNotes([note], [{ ...note, height: 150, ...other }]), [])
  assert.equal(lettered(note, 40).size[1] > 200, true)
  assert.deepEqual([lettered({ ...note, kind: 'text' }, 40), lettered({ ...note, written: false }, 40)], Array(2).fill({ textSize: 40 }))
})

test('a pasted text of several lines becomes notes in a square grid, and one line or too many become a text', () => {
  const fitting = { boxHeight, newWidth, textSizeFor }
  const shapes = (text) => JSON.parse(drawingOf(text, paintOf(), fitting).drawing).shapes
  assert.equal(drawingOf(' \n\t', paintOf(), fitting), null)
  const notes = shapes('- One\n\n* Two\n• Three\n– Four\n-Five')
  assert.deepEqual(notes.map(({ text }) => text), ['One', 'Two', 'Three', 'Four', '-Five'])
  const [, [second], [third]] = notes.map(({ position }) => position)
  assert.ok(second > 200 && second < 260 && third === 2 * second)
  assert.deepEqual(notes.map(({ position: [x, y] }) => [x / second, y / second]), [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1]])
  assert.ok(notes.every(({ kind, fill, size, textSize }) => isNote({ kind, fill }) && size[0] === 200 && size[1] === 200 && textSize === undefined))
  const long = shapes(`${'word '.repeat(400)}\nb\nc\nd`)
  assert.ok(long[0].size[1] > 200 && long[0].textSize < 20 && long[2].position[1] - long[0].size[1] === second - 200)
  const [one, ...none] = shapes('- Just one')
  assert.deepEqual([one.kind, one.text, one.textAlign, none], ['text', '- Just one', 'left', []])
  assert.equal(shapes('\u05d0\u05d1')[0].textAlign, 'right')
  assert.deepEqual(JSON.parse(drawingOf('x'.repeat(4_000), paintOf({ textSize: 1_000 }), fitting).drawing).shapes[0].size, [640, 1_000_000])
  assert.deepEqual([100, 101].map((count) => shapes(Array(count).fill('a').join('\n')).length), [100, 1])
  assert.deepEqual(['a'.repeat(4_096), 'a'.repeat(4_097), 'é'.repeat(2_049)].map((text) => [isTooLong(text), plainText(text).length]), [[false, 4_096], [true, 4_096], [true, 2_048]])
  assert.deepEqual([drawingOf('a'.repeat(4_097), paintOf(), fitting).isCut, drawingOf('a', paintOf(), fitting).isCut], [true, false])
})

test('an older drawing is restored by the values that differ, and what is new goes', () => {
  const [sun, moon, star] = ['000-000-001', '000-000-002', '000-000-003']
  const { edits, gone } = restoration(
    [{ id: sun, position: [1, 2], alpha: 3, name: 'Sun' }, { id: moon, position: [5, 5], text: '' }],
    [{ id: sun, position: [1, 2], alpha: 4, name: 'Star' }, { id: moon, position: [5, 5], text: 'Hi' }, { id: star, position: [0, 0] }])
  assert.deepEqual([edits, gone], [[{ shape: 1, set: { alpha: 3, name: 'Sun' } }, { shape: 2, set: { text: '' } }], [3]])
  assert.deepEqual(restoration([{ id: sun, name: 'S\u200bun' }, { id: moon, name: `${'n'.repeat(128)} 2` }], []).edits.map(({ set }) => set.name), ['Sun', 'n'.repeat(128)])
  assert.deepEqual(restoration([{ id: sun, position: [1, 2] }], [{ id: sun, position: [1, 2] }]), { edits: [], gone: [] })
  assert.deepEqual(restoration([{ id: sun, position: [1, 2] }], [{ id: sun, position: [1, 2], text: 'Hi' }]).edits, [{ shape: 1, set: { text: '' } }], 'a document leaves out what is standard')
  assert.deepEqual(['Sun', `${'a'.repeat(126)} 12`, `${'a'.repeat(125)} 12`, 'a\u202eb', '\u202e', 7, undefined].map(ownName),
    ['Sun', 'a'.repeat(126), `${'a'.repeat(125)} 12`, 'ab', undefined, undefined, undefined])
  const drawing = new Drawing()
  const set = { kind: 'star', position: [7, 8], size: [9, 10], text: 'Hi', points: 7, alpha: 4 }
  const { kind, position, size, text, points, alpha, group, locked, name } = valuesOf(drawing.replica.shape(drawing.add({ ...set, name: 'Sun' })))
  assert.deepEqual({ kind, position, size, text, points, alpha }, set)
  assert.deepEqual([group, locked, name], [undefined, undefined, undefined])
})

test('all of many edits are made in one step, or none', () => {
  const run = (edits, gone, failsAt = -1) => {
    const done = []
    const replica = { edit: (part) => `edit ${part.length}`, delete: (ids) => `delete ${ids.length}` }
    const editing = {
      openStep: () => stepOf(done),
      edit(change) {
        if (done.length === failsAt) return undefined
        done.push(change(replica))
        return []
      },
    }
    return [writeAll(editing, Array(edits).fill({}), gone), done]
  }
  assert.deepEqual(run(500, []), [true, ['edit 500', 'end']])
  assert.deepEqual(run(1_001, [1, 2]), [true, ['edit 500', 'edit 500', 'edit 1', 'delete 2', 'end']])
  assert.deepEqual(run(1_001, [1], 1), [false, ['edit 500', 'abandon']])
  assert.deepEqual(run(1, [1], 1), [false, ['edit 1', 'abandon']])
  assert.deepEqual(run(0, [1]), [true, ['delete 1', 'end']])
})

// Keys that write marks (S18).

globalThis.document = { execCommand: () => false }
globalThis.InputEvent ??= class extends Event {}

/** A field for a text. In `marked`, `[` and `]` enclose what is selected, and `|` is the caret. */
class Field extends EventTarget {
  constructor(marked) {
    super()
    this.value = marked.replace(/[[\]|]/g, '')
    const start = marked.search(/[[|]/)
    this.setSelectionRange(start, marked.includes(']') ? marked.indexOf(']') - 1 : start)
  }
  setSelectionRange(from, to) { [this.selectionStart, this.selectionEnd] = [from, to] }
  setRangeText(words) { this.value = this.value.slice(0, this.selectionStart) + words + this.value.slice(this.selectionEnd) }
  type(words) {
    this.setRangeText(words)
    this.setSelectionRange(this.selectionStart + words.length, this.selectionStart + words.length)
  }
  get marked() {
    const { value, selectionStart: from, selectionEnd: to } = this
    return from === to ? `${value.slice(0, from)}|${value.slice(from)}` : `${value.slice(0, from)}[${value.slice(from, to)}]${value.slice(to)}`
  }
}
const keyOf = (key, more = {}) => ({ key, altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, ...more })
const after = (text, key) => {
  const field = new Field(text)
  return pressed(key, field) ? field.marked : null
}

test('S18: Ctrl+B makes a selection or a word bold, line by line, and plain if it is bold', () => {
  const bold = keyOf('b', { ctrlKey: true })
  for (const [before, expected] of [
    ['one [two] three', 'one **[two]** three'], ['one **[two]** three', 'one [two] three'], ['one t|wo three', 'one **t|wo** three'], ['[one two]', '**[one two]**'],
    ['[one\ntwo]', '**[one**\n**two]**'], ['- [one]', '- **[one]**'], ['12. o|ne', '12. **o|ne**'],
    ['|', '**|**'], ['a | b', 'a **|** b'], ['a **|** b', 'a | b'], ['**one|**', '**one**|'], ['**one**|', '**one|**'], ['**one |**', '**one** |'],
    ['**one two th|ree**', '**one two** th|ree'], ['**one** [two]', '**one [two]**'], ['**[one] two**', '[one] **two**'], ['**[one** **two]**', '[one two]'],
  ]) {
    assert.equal(after(before, bold), expected, before)
  }
  assert.equal(after('a|', keyOf('B', { metaKey: true })), '**a|**')
  const field = new Field('on|e')
  pressed(bold, field)
  pressed(bold, field)
  assert.equal(field.marked, 'on|e', 'a second press takes back what the first made')
  pressed(bold, field)
  field.type('x')
  pressed(bold, field)
  assert.equal(field.marked, 'onx|e', 'a word that is bold becomes plain')
})

test('S18: Enter goes on with a list, ends it in an item without words, and is left to the browser elsewhere', () => {
  const enter = keyOf('Enter')
  for (const [before, expected] of [
    ['- one|', '- one\n- |'], ['- o|ne', '- o\n- |ne'], ['  - one|', '  - one\n  - |'], ['9. one|', '9. one\n10. |'], ['a\n- one|\nb', 'a\n- one\n- |\nb'],
    ['- |', '|'], ['a\n12. |', 'a\n|'], ['999. one|', null], ['one|', null], ['-|', null], ['|- one', null], ['- one [two]', '- one \n- |'],
    ['**one |two**', '**one**\n**|two**'], ['**one|**', '**one**\n|'], ['- **one|**', '- **one**\n- |'], ['- **o|ne**', '- **o**\n- **|ne**'], ['**|one**', null], ['         - one|', null],
  ]) assert.equal(after(before, enter), expected, before)
  for (const key of [keyOf('Enter', { shiftKey: true }), keyOf('Enter', { altKey: true }), keyOf('c', { ctrlKey: true }), keyOf('b'), keyOf('b', { ctrlKey: true, altKey: true })]) {
    assert.equal(after('- one|', key), null)
  }
  const full = new Field(`- ${'a'.repeat(4_094)}|`)
  let told = 0
  full.addEventListener('full', () => { told += 1 })
  assert.ok(pressed(enter, full))
  assert.deepEqual([told, full.value.length], [1, 4_096])
})
