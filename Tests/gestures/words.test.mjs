// Tests how shapes and what was done to them are put into words, for lists, notices and screen readers.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Source } from '../../build/modules/basics/source.js'
import { capitalised, counted, momentWords, sentence, within } from '../../build/modules/basics/words.js'
import { changedBit } from '../../build/modules/core/table.js'
import { Deeds } from '../../build/modules/hear/deeds.js'
import { everythingOf, inReadingOrder, shapeWords, sideOf } from '../../build/modules/hear/words.js'
import { Chronicle } from '../../build/modules/keep/chronicle.js'
import { groupLabel, labelOf, mentionOf } from '../../build/modules/state/labels.js'
import { ago, lastMovers, Names } from '../../build/modules/state/names.js'
import { initials, isName } from '../../build/modules/storage/identity.js'
import { Drawing } from './drawing.mjs'

const note = { fill: '#FFE27A' }
const middle = (shape) => ({ shape, x: 32768, y: 32768 })

/** What `deeds` tells of the changes since the last frame. */
function told(drawing, known, { from = () => null } = {}) {
  const deeds = new Deeds()
  for (const change of drawing.frame().shapes) deeds.note(change, known.has(change.id))
  return { own: deeds.own(drawing.replica, () => null, from), others: deeds.others(), isEmpty: deeds.isEmpty }
}

test('what was done to a shape is told by what counts most, and undoing it by another word', () => {
  const drawing = new Drawing()
  const id = drawing.add({ name: 'Sun' })
  drawing.frame()
  for (const [set, own, others = own] of [
    [{ locked: true }, 'locked'], [{ locked: false }, 'unlocked'], [{ visible: false }, 'hidden', 'hid'], [{ visible: true }, 'shown', 'showed'],
    [{ group: 7 }, 'grouped'], [{ group: null }, 'ungrouped'], [{ rotation: 30 }, 'turned'], [{ size: [50, 60] }, 'resized'],
    [{ position: [4, 5] }, 'moved'], [{ z: 'V0a' }, 'reordered'], [{ fill: '#112233' }, 'recoloured'], [{ stroke: '#112233' }, 'recoloured'],
    [{ alpha: 3 }, 'changed'], [{ size: [70, 70], position: [9, 9], fill: '#332211', rotation: 1 }, 'turned'],
    [{ size: [71, 70], position: [9, 19], fill: '#332212' }, 'resized'],
  ]) {
    drawing.write(id, set)
    assert.deepEqual(told(drawing, new Set([id])), { own: `Rectangle “Sun” ${own}`, others: `${others} 1 shape`, isEmpty: false })
  }
  drawing.write(id, { text: 'Hot', position: [1, 1] })
  assert.equal(told(drawing, new Set([id])).others, 'wrote in 1 shape')
  drawing.write(id, { name: 'Moon', fill: '#000000' })
  assert.equal(told(drawing, new Set([id])).own, 'Rectangle “Moon”, “Hot” renamed')
  const line = drawing.add({ kind: 'line' })
  drawing.frame()
  drawing.write(line, { position: [30, 40] })
  assert.match(told(drawing, new Set([id, line])).own, /^Line \w{3} moved$/)
  drawing.write(line, { to: middle(id), size: [7, 7] })
  assert.equal(told(drawing, new Set([id, line])).others, 'connected 1 shape')
})

test('shapes that came and went, or that only follow others, are not told', () => {
  const drawing = new Drawing()
  const sun = drawing.add({ name: 'Sun' })
  const arrow = drawing.add({ kind: 'line', toEnd: 'arrow', from: middle(sun), name: 'Way' })
  drawing.frame()
  const deeds = new Deeds()
  const known = new Set([sun, arrow])
  const note = () => { for (const change of drawing.frame().shapes) deeds.note(change, known.has(change.id)) }
  assert.ok(deeds.isEmpty)
  drawing.write(sun, { position: [50, 50] })
  note()
  assert.equal(deeds.others(), 'moved 1 shape')
  const shape = drawing.add({ kind: 'ellipse' })
  note()
  drawing.write(shape, { kind: 'star' })
  note()
  assert.equal(deeds.others(), 'moved 1 shape, added 1 star')
  drawing.replica.delete([shape])
  note()
  assert.equal(deeds.others(), 'moved 1 shape')
  drawing.replica.delete([sun])
  note()
  assert.match(deeds.others(), /^deleted 1 shape(, .*)?$/)
  const led = new Deeds()
  led.note({ id: arrow, shape: drawing.replica.shape(arrow), changed: 0 }, true)
  assert.ok(!led.isEmpty)
  const unseen = new Deeds()
  unseen.note({ id: 5, shape: null, changed: 0 }, false)
  assert.ok(unseen.isEmpty)
})

test('a line that only follows what it is tied to is told if nothing else has changed', () => {
  const drawing = new Drawing()
  const sun = drawing.add()
  const arrow = drawing.add({ kind: 'line', from: middle(sun), name: 'Way' })
  drawing.frame()
  drawing.write(sun, { position: [50, 50] })
  const led = drawing.frame().shapes.find(({ id }) => id === arrow)
  const deeds = new Deeds()
  deeds.note(led, true)
  assert.ok(!deeds.isEmpty)
  assert.match(deeds.others(), /^\w+ 1 shape$/)
  deeds.note({ ...led, changed: led.changed | changedBit.text }, true)
  assert.equal(deeds.others(), 'wrote in 1 shape')
})

test('several shapes are counted by their kind if all are of one', () => {
  const drawing = new Drawing()
  for (const [sets, words] of [
    [[note, note], '2 notes'], [[note, {}], '2 shapes'], [[{ kind: 'ink' }, { kind: 'ink' }], '2 strokes of ink'], [[{ kind: 'ink' }], '1 stroke of ink'],
    [[{ kind: 'line', fromEnd: 'arrow' }, { kind: 'line', toEnd: 'arrow' }], '2 arrows'],
    [[{ kind: 'line' }, { kind: 'line', toEnd: 'arrow' }], '2 shapes'], [[{ kind: 'roundedRectangle' }, { kind: 'roundedRectangle' }], '2 rounded rectangles'],
  ]) {
    for (const set of sets) drawing.add(set)
    assert.equal(told(drawing, new Set()).others, `added ${words}`)
  }
  const ids = [drawing.add(), drawing.add()]
  drawing.frame()
  drawing.replica.delete(ids)
  assert.deepEqual(told(drawing, new Set(ids)), { own: '2 shapes deleted', others: 'deleted 2 shapes', isEmpty: false })
})

test('a single shape of one’s own is told with the way that it has gone', () => {
  const drawing = new Drawing()
  const id = drawing.add({ name: 'Sun' })
  drawing.frame()
  const from = () => ({ x: 100, y: 200 })
  for (const [position, way] of [
    [[110, 180], ', 10 to the right, 20 up'], [[90, 220], ', 10 to the left, 20 down'], [[100.4, 201], ', 1 down'], [[101, 200.2], ', 1 to the right'],
  ]) {
    drawing.write(id, { position })
    assert.equal(told(drawing, new Set([id]), { from }).own, `Rectangle “Sun” moved${way}`)
  }
  drawing.write(id, { rotation: 9 })
  assert.equal(told(drawing, new Set([id]), { from }).own, 'Rectangle “Sun” turned')
  drawing.replica.delete([id])
  const deeds = new Deeds()
  for (const change of drawing.frame().shapes) deeds.note(change, true)
  assert.deepEqual([() => 'Rectangle “Sun”', () => null].map((known) => deeds.own(drawing.replica, known, from)), ['Rectangle “Sun” deleted', '1 shape deleted'])
})

test('a shape is called by its name and its text, and a line by what it connects', () => {
  const drawing = new Drawing()
  const { replica } = drawing
  const words = (set) => shapeWords(replica, replica.shape(drawing.add(set)))
  assert.equal(words({ name: 'Sun' }), 'Rectangle “Sun”')
  assert.equal(words({ name: 'Sun 2', text: ' so\n\n**hot** ', kind: 'star' }), 'Star “Sun 2”, “so hot”')
  assert.equal(words({ ...note, text: 'Milk' }), 'Note “Milk”')
  assert.equal(words({ text: 'a'.repeat(201) }), `Rectangle “${'a'.repeat(200)}…”`)
  assert.equal(words({ text: 'a'.repeat(200) }), `Rectangle “${'a'.repeat(200)}”`)
  assert.match(words({ kind: 'ellipse' }), /^Ellipse \w{3}( 2)?$/)
  const [one, other] = ['One', 'Other'].map((name) => drawing.add({ name }))
  const [from, to] = [{ from: middle(one) }, { to: middle(other) }]
  const arrow = { toEnd: 'arrow' }
  const back = { fromEnd: 'arrow', toEnd: 'plain' }
  for (const [set, expected] of [
    [{ ...from, ...to, ...arrow }, 'Arrow from “One” to “Other”'], [{ ...from, ...to, ...back }, 'Arrow from “Other” to “One”'],
    [{ ...from, ...to, fromEnd: 'arrow', ...arrow }, 'Arrow between “One” and “Other”'], [{ ...from, ...to }, 'Line between “One” and “Other”'],
    [{ ...from, ...arrow }, 'Arrow from “One”'], [{ ...to, ...arrow }, 'Arrow to “Other”'], [{ ...from, ...back }, 'Arrow to “One”'],
    [{ ...from, ...to, ...arrow, text: 'yes', name: 'Way' }, 'Arrow “Way” from “One” to “Other”, “yes”'], [{ text: 'loose' }, 'Line, “loose”'],
  ]) assert.equal(words({ kind: 'line', ...set }), expected)
  assert.match(words({ kind: 'line' }), /^Line \w{3}( 2)?$/)
})

test('in lists a shape is labelled by its name, by the first line of its text, or by what it connects', () => {
  const drawing = new Drawing()
  const { replica } = drawing
  const label = (set, ...how) => labelOf(replica, drawing.add(set), ...how)
  assert.equal(label({ name: 'Sun', text: 'Hot' }), 'Sun')
  assert.equal(label({ text: '**Buy** milk\nand eggs' }), 'Buy milk')
  assert.equal(label({ text: 'a'.repeat(60) }), 'a'.repeat(60))
  assert.equal(label({ text: `${'a'.repeat(59)} b` }), `${'a'.repeat(59)}…`)
  const [one, other] = ['One', 'Other'].map((name) => drawing.add({ name }))
  const [from, to] = [{ from: middle(one) }, { to: middle(other) }]
  for (const [set, expected] of [
    [{ ...from, ...to }, 'Line One – Other'], [{ ...from, ...to, toEnd: 'arrow' }, 'Arrow One → Other'], [{ ...from, fromEnd: 'arrow' }, 'Arrow One ← …'],
    [{ ...to, fromEnd: 'arrow', toEnd: 'arrow' }, 'Arrow … ↔ Other'], [{ ...from, ...to, text: 'yes' }, 'yes'],
  ]) assert.equal(label({ kind: 'line', ...set }), expected)
  const tied = drawing.add({ kind: 'line', ...from, ...to })
  assert.notEqual(labelOf(replica, tied, true), 'Line One – Other', 'an end is not called by its own ends')
  assert.match(label({ kind: 'line', ...from, to: middle(tied) }), /^Line One – Line \w{3}( 2)?$/)
  assert.match(label({ kind: 'line' }), /^Line \w{3}( 2)?$/)
  assert.equal(labelOf(replica, 99), replica.shownName(99), 'also one that is gone')
  assert.equal(mentionOf(replica, 99), replica.shownName(99))
  assert.deepEqual([one, drawing.add({ text: 'Hot' })].map((id) => mentionOf(replica, id)), ['One', '“Hot”'])
  const bare = [drawing.add(), drawing.add()]
  assert.equal(groupLabel(replica, bare), 'Group of 2')
  const hot = drawing.add({ text: 'Hot' })
  assert.equal(groupLabel(replica, [hot, ...bare]), 'Group: Hot + 2')
})

test('everything that can be seen of a shape is told', () => {
  const drawing = new Drawing()
  const { replica } = drawing
  const read = (set, anchor = null) => everythingOf(replica, { shape: replica.shape(drawing.add({ name: 'It', position: [0, 5_000 * replica.shapeCount], ...set })), anchor }).replace(/ \d+”/, '”')
  const sun = drawing.add({ name: 'Sun', position: [0, 0] })
  const anchor = replica.shape(sun)
  assert.equal(read({ fill: '#f5cb45' }), 'Rectangle “It”, yellow')
  assert.equal(read({ fill: '#F5CB45', filled: false }, anchor), 'Rectangle “It”, below “Sun”')
  assert.equal(read({ fill: '#F5CB44', visible: false, locked: true }), 'Rectangle “It”, hidden, locked')
  assert.equal(read({ kind: 'line', fill: '#F5CB45', from: middle(sun), to: middle(sun) }, anchor), 'Line “It” between “Sun” and “Sun”')
  assert.match(read({ kind: 'line', size: [1, 1], to: middle(sun) }, anchor), / to “Sun”, (above|below|left of|right of) “Sun”/)
  const tied = drawing.add({ kind: 'line', position: [-9_000, 0], to: middle(sun) })
  assert.match(read({ kind: 'line', from: middle(tied), to: middle(sun) }), /^Line “It” between “Line \w{3}” and “Sun”/)
  const place = { position: [0, -9_000] }
  const crowded = replica.shape(drawing.add({ name: 'Io', ...place }))
  for (const [name, words] of [['Moon', '“Moon”'], ['Mars', '“…” and “…”'], ['Venus', '“…” and “…” and 1 more']]) {
    drawing.add({ name, ...place })
    const told = everythingOf(replica, { shape: crowded, anchor: null })
    assert.equal(words.includes('…') ? told.replace(/“(Moon|Mars|Venus)”/g, '“…”') : told, `Rectangle “Io”, overlaps ${words}`)
  }
})

test('a drawing is read in rows from the left, each line after where it begins, and each place from a shape before it', () => {
  const drawing = new Drawing()
  const at = (name, x, y, set = {}) => drawing.add({ name, position: [x, y], ...set })
  const right = at('right', 400, 0, { size: [500, 100] })
  at('left', 0, 49)
  at('next row', 7, 50)
  at('loose', 300, 105, { kind: 'line', size: [20, 20] })
  at('far', 600, 110)
  at('way', 0, 0, { kind: 'line', from: middle(right), toEnd: 'arrow' })
  at('to', 0, 0, { kind: 'line', to: middle(right), toEnd: 'arrow' })
  const { replica } = drawing
  assert.deepEqual(inReadingOrder(replica.shapes()).map(({ shape, anchor }) => [replica.shownName(shape.id), anchor && replica.shownName(anchor.id)]), [
    ['left', null], ['right', 'left'], ['way', null], ['to', null], ['next row', 'left'], ['loose', 'next row'], ['far', 'next row'],
  ])
  // The gap to the right or the left is 20 units, so a box is above or below only if that gap is wider.
  const [from, width, height] = [{ x: 1_000, y: 2_000, width: 100, height: 40 }, 60, 10]
  for (const [x, y, side] of [
    [1_120, 2_059, 'right of'], [1_120, 2_061, 'below'], [1_120, 1_971, 'right of'], [1_120, 1_969, 'above'],
    [920, 2_059, 'left of'], [920, 2_061, 'below'], [920, 1_971, 'left of'], [920, 1_969, 'above'], [920, 2_060, 'left of'],
  ]) assert.equal(sideOf({ x, y, width, height }, from), side, `${x}, ${y}`)
})

test('the past is told by its last change, and by what was removed', () => {
  const [ann, bob] = ['000-000-001', '000-000-002']
  const chronicle = new Chronicle({ of: (actor) => ['Nobody', 'Ann', 'Bob'][actor] }, (actor) => (actor === 1 ? '#123456' : null))
  const nameOf = (id) => id
  const shape = (id, stamps, rest = {}) => ({ id, stamps, ...rest })
  assert.equal(chronicle.last([], nameOf), null)
  assert.equal(chronicle.last([shape('Sun', {})], nameOf), null)
  for (const [stamps, rest, words] of [
    [{ kind: `9.0.${ann}`, text: `9.1.${ann}` }, {}, 'Ann drew Sun'], [{ kind: `1.0.${ann}`, text: `9.0.${bob}` }, { text: 'Hot' }, 'Bob wrote in Sun'],
    [{ group: `9.0.${bob}` }, { group: '7' }, 'Bob grouped Sun'], [{ text: `9.0.${bob}` }, { text: '' }, 'Bob emptied the text of Sun'], [{ from: `9.0.${bob}` }, { from: [1, 2, 3] }, 'Bob tied Sun'],
    [{ to: `9.0.${bob}` }, { to: [] }, 'Bob loosened Sun'], [{ locked: `9.0.${bob}` }, { locked: true }, 'Bob locked Sun'],
    [{ locked: `9.0.${bob}` }, { locked: false }, 'Bob unlocked Sun'], [{ group: `9.0.${bob}` }, { group: '' }, 'Bob ungrouped Sun'],
    [{ dash: `9.0.${bob}` }, { dash: 'dotted' }, 'Bob changed the line of Sun'], [{ filled: `9.0.${bob}` }, { filled: false }, 'Bob took the fill from Sun'],
    [{ visible: `9.0.${bob}` }, { visible: false }, 'Bob hid Sun'], [{ position: `9.0.${bob}` }, {}, 'Bob moved Sun'], [{ position: `9.0.${ann}`, size: `9.1.${ann}` }, {}, 'Ann resized Sun'],
    [{ size: `9.0.${bob}`, position: `9.1.${ann}` }, {}, 'Bob resized Sun'], [{ hum: `9.0.${ann}` }, {}, 'Ann changed Sun'],
  ]) assert.equal(chronicle.last([shape('Sun', stamps, rest)], nameOf).words, words)
  const together = chronicle.last([
    shape('Sun', { kind: `5000.0.${ann}` }), shape('Moon', { position: `4001.0.${ann}` }), shape('Mars', { position: `4000.0.${ann}` }), shape('Io', { position: `4900.0.${bob}` }),
  ], nameOf)
  assert.deepEqual(together, { at: 5000, words: 'Ann drew Sun and 1 more', drew: 'Sun', wordsIfBack: 'Ann brought back Sun and 1 more' })
  assert.equal(chronicle.last([shape('Sun', { fill: `5000.0.${ann}` })], nameOf).drew, null)
  const step = (from, to, actor, removed) => ({ from, to, actor, operations: 1, removed })
  const steps = [step(10, 30, ann, 0), step(20, 25, bob, 1), step(40, 50, ann, 3), step(45, 50, bob, 2)]
  chronicle.take(steps)
  assert.deepEqual(chronicle.marks().map(({ at }) => at), [25, 30, 50, 50])
  assert.equal(chronicle.marks()[1].color, '#123456')
  assert.match(chronicle.marks()[0].color, /^#[0-9A-F]{6}$/)
  assert.deepEqual([9, 10, 24, 26, 31, 42, 49, 50].map((at) => steps.indexOf(chronicle.stepAt(at))), [-1, 0, 1, 1, 0, 2, 3, 2])
  assert.deepEqual([24, 25, 49, 50].map((at) => steps.indexOf(chronicle.removalBefore(at))), [-1, 1, 1, 3])
  assert.deepEqual([[1, 4], [2, 0], [3, 0], [3, 1]].map(([gone, left]) => chronicle.removal(steps[1], gone, 'Sun', left)),
    ['Bob removed Sun', 'Bob removed 2 shapes', 'Bob cleared the canvas', 'Bob removed 3 shapes'])
  assert.deepEqual(steps.slice(0, 2).map((each) => chronicle.summary(each)), ['Ann changed the drawing', 'Bob removed 1 shape'])
})

test('an overlap is from when one of both was last moved, and times are told in words', () => {
  let time = 1_000
  const drawing = new Drawing({ clock: { wall: () => 1_763_650_000_000 + time, monotonic: () => time } })
  const [one, other] = [drawing.add(), drawing.add()]
  const pass = () => { time += 1_000 }
  const moved = () => lastMovers(drawing.replica)(one, other).milliseconds - 1_763_650_000_000
  pass()
  drawing.write(other, { size: [9, 9] })
  assert.equal(moved(), 2_000)
  pass()
  drawing.write(one, { rotation: 9 })
  assert.equal(moved(), 3_000)
  pass()
  drawing.write(one, { fill: '#123456' })
  assert.equal(moved(), 3_000)
  assert.equal(lastMovers(drawing.replica)(one, 99).milliseconds, lastMovers(drawing.replica)(99, one).milliseconds)
  assert.equal(lastMovers(drawing.replica)(98, 99), null)
  const now = 1e12
  const seconds = [-5, 44, 45, 89, 90, 3_569, 3_570, 84_599, 84_600, 604_799]
  assert.deepEqual(seconds.map((each) => ago(now - each * 1_000, now)), [
    'just now', 'just now', '1 min ago', '1 min ago', '2 min ago', '59 min ago', '1 h ago', '23 h ago', '1 d ago', '7 d ago',
  ])
  assert.match(ago(now - 604_800_000, now), /^on /)
})

test('parts of sentences have the right number, capital and end, and a name from right to left turns nothing around it', (t) => {
  // Noon, because on the day on which clocks are set back, 24 hours before late evening is the same day.
  t.mock.timers.enable({ apis: ['Date'], now: new Date(2025, 10, 20, 12).getTime() })
  assert.deepEqual([0, 1, 2, 1_000].map((count) => counted(count, 'shape')), ['0 shapes', '1 shape', '2 shapes', '1,000 shapes'])
  assert.deepEqual(['', 'it fell', 'it fell.', 'so?', 'so…'].map(sentence), ['', 'It fell.', 'It fell.', 'So?', 'So…'])
  assert.equal(capitalised(''), '')
  assert.match(momentWords(Date.now()), /^today, \d/)
  assert.match(momentWords(Date.now() - 86_400_000), /^(?!today).*\d{4}.*, \d/)
  assert.deepEqual(['Ann', 'ש', 'a\u202eb'].map(within), ['Ann', '\u2068ש\u2069', '\u2068a\u202eb\u2069'])
})

test('people are called by the last names that they had, also after they have left, and oneself is You', () => {
  const drawing = new Drawing()
  const presence = new (class extends Source { meet(...people) { this.people = () => people; this.tell('people', people) } })()
  presence.meet({ actor: 1, name: 'Bob' })
  const names = new Names(drawing, presence)
  presence.meet({ actor: 2, name: 'Eve' })
  presence.meet({ actor: 2, name: 'ש' })
  assert.deepEqual([1, 2, 3, drawing.replica.actor].map((actor) => names.of(actor)), ['Bob', '\u2068ש\u2069', 'Someone (003)', 'You'])
})

test('a person has one or two initials, and a name that the server takes', () => {
  assert.deepEqual(['Ann', 'ann b. carl', ' Zoë  Äther ', '👩‍👩‍👧 Fam', 'x 🌀'].map(initials), ['A', 'AC', 'ZÄ', '👩‍👩‍👧', 'X🌀'])
  assert.deepEqual(['Ann', 'é'.repeat(64), ' ', '', 'a\u0007', 'é'.repeat(65), 'a\u202eb'].map(isName), [true, true, false, false, false, false, false])
})
