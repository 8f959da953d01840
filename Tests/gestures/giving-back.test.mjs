// Tests how texts and shapes that others have replaced or removed are given back, and how the past is shown and restored.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { core, Drawing } from './drawing.mjs'
import { Element, makeElements } from './elements.mjs'
import { Source } from '../../build/modules/basics/source.js'
import { leading } from '../../build/modules/canvas/lines.js'
import { changedBit } from '../../build/modules/core/table.js'
import { identifierText } from '../../build/modules/core/values.js'
import { History } from '../../build/modules/keep/history.js'
import { BringingBack } from '../../build/modules/others/bringing-back.js'
import { Editing } from '../../build/modules/state/editing.js'
import { TextLosses } from '../../build/modules/write/text-losses.js'

// Texts.

/** A drawing of texts that several people write. This person is actor 1. */
class Board extends Source {
  actor = 1
  isPast = false
  #shapes = new Map()
  #stamps = new Map()
  #time = 100
  get live() { return this }
  shape(id) { return this.#shapes.get(id) ?? null }
  written(id, property) { return this.#stamps.get(`${id} ${property}`) ?? null }
  shownName(id) { return `Shape ${id}` }
  edit(edits) {
    this.edits = edits
    for (const { shape, set } of edits) this.write(this.actor, [shape], set.text)
  }

  /** @param text null deletes the shapes */
  write(actor, ids, text) {
    for (const id of ids) {
      if (text === null) this.#shapes.delete(id)
      else this.#shapes.set(id, { id, text, named: true, written: true })
      this.#stamps.set(`${id} ${text === null ? 'deleted' : 'text'}`, { actor, milliseconds: ++this.#time })
    }
    this.tell('changes', { reset: false, shapes: ids.map((id) => ({ id, changed: changedBit.text })) })
  }
  show(isPast) {
    this.isPast = isPast
    this.tell('past', isPast)
  }
}

/** Others, of whom each is known by what they have put back. */
class Others extends Source {
  told = []
  putBack = new Map()
  person(actor) { return this.putBack.has(actor) ? { actor, putBack: this.putBack.get(actor) } : null }
  setPutBack(times) { this.told.push(times) }
  /** Somebody's presence tells from now on that these texts were put back. */
  hear(actor, times) {
    this.putBack.set(actor, times)
    this.tell('putBack', this.person(actor))
  }
}

function written() {
  const [shown, presence, losses, said, withdrawn, kept] = [new Board(), new Others(), [], [], [], []]
  const locks = { refuses: false, refuse() { return this.refuses } }
  const teller = new TextLosses({
    shown, presence, locks, editing: { edit: (change) => { change(shown); return [] } }, scene: { order: [] }, view: {},
    names: { of: (actor) => ['', 'Ann', 'Bob', 'Eve'][actor] }, fittedTo: ({ id }, text) => ({ textSize: id + text.length }),
    keepBeside: (_reach, shape, text) => { kept.push([shape?.id, text]); return 9 },
    notices: { say: (words, { group, action }) => said.push({ words, group, run: action.run }), withdraw: (group) => withdrawn.push(group) },
  }, losses)
  const stamp = (id) => shown.written(id, 'text').milliseconds
  const told = () => said.splice(0).map(({ words }) => words)
  return { shown, presence, losses, said, withdrawn, kept, locks, teller, stamp, told }
}

test('a text over which somebody has put back theirs is told, once, and is put back unless its shape is locked', () => {
  const { shown, presence, said, locks, stamp, told } = written()
  shown.write(1, [7, 8], 'by Ann')
  shown.write(2, [7, 8], 'by Bob')
  assert.deepEqual(told(), [], 'the core tells of what is overwritten soon')
  presence.hear(2, [stamp(7)])
  presence.hear(2, [stamp(7)])
  const [{ words, run }, ...more] = said.splice(0)
  assert.deepEqual([words, more], ['Bob wrote over your text in Shape 7: “by Ann”', []])
  locks.refuses = true
  assert.equal(run(), false)
  locks.refuses = false
  assert.ok(run())
  assert.deepEqual([shown.shape(7).text, shown.edits[0].set.textSize, presence.told], ['by Ann', 7 + 6, [[stamp(7)]]], 'it fits too')
  shown.write(2, [8], 'anything')
  assert.equal(presence.told.length, 1)
  shown.write(2, [7], 'again by Bob')
  assert.deepEqual(presence.told.at(-1), [], 'others hear of it only as long as it is there')
  // Who was away gets the text after the presence.
  shown.write(1, [8], 'also by Ann')
  presence.putBack.set(3, [stamp(8) + 1])
  shown.write(3, [8], 'by Eve')
  assert.deepEqual(told(), ['Eve wrote over your text in Shape 8: “also by Ann”'])
})

test('a lost text is told until its writer has it back by themselves, and not while they look at the past', () => {
  const { shown, losses, withdrawn, teller, told, kept, said } = written()
  shown.write(1, [7], 'by Ann')
  losses.push({ type: 'textLost', shape: 7, text: 'by Ann', by: 2 })
  shown.show(true)
  teller.tell()
  assert.deepEqual(told(), [])
  shown.show(false)
  assert.deepEqual(told(), ['Bob wrote over your text in Shape 7: “by Ann”'])
  withdrawn.length = 0
  shown.write(3, [7], 'by Ann')
  assert.deepEqual(withdrawn, [], 'Eve could take her text back unnoticed')
  shown.write(1, [7], 'by Ann')
  assert.deepEqual(withdrawn, ['lost text 7 by Ann'])
  shown.write(2, [7], null)
  losses.push({ type: 'textLost', shape: 7, text: 'by Ann', by: 2 })
  teller.tell()
  const [{ words, run }] = said
  assert.equal(words, 'Bob deleted the shape in which you had written: “by Ann”')
  assert.ok(run())
  assert.deepEqual(kept, [[7, 'by Ann']])
})

test('five hundred replaced texts are remembered, for an hour, but none that their writer has deleted', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 })
  const { shown, presence, stamp, told } = written()
  const many = Array.from({ length: 500 }, (_, at) => 100 + at)
  const replace = (ids) => {
    shown.write(1, ids, 'by Ann')
    shown.write(2, ids, 'by Bob')
  }
  const toldOf = (...ids) => {
    presence.hear(2, ids.map(stamp))
    return told().map((words) => Number(words.match(/Shape (\d+)/)[1]))
  }
  replace([1])
  shown.write(1, many, 'by Ann')
  shown.write(1, many, null)
  assert.deepEqual(toldOf(1), [1])
  replace([2])
  replace(many.slice(1))
  replace([3])
  assert.deepEqual(toldOf(2, 3), [3], 'the first of 501 is forgotten')
  t.mock.timers.setTime(3_600_000)
  replace([2])
  assert.deepEqual(toldOf(many[1], 2), [2])
})

// Shapes.

/** Somebody who removes and restores, and the page that brings back: one replica is both, at different times. */
function drawn() {
  let time = 1_000
  const drawing = new Drawing({ clock: { wall: () => 1_700_000_000_000 + time, monotonic: () => time } })
  const { replica } = drawing
  const [said, history, asked] = [[], [], []]
  const permission = { mayEdit: true }
  const notices = { say: (words, { action } = {}) => said.push([words, action]), withdraw() {} }
  const editing = new Editing({ connection: Object.assign(new Source(), { replica, perform() {} }), shown: drawing, permission, notices, frames: { request() {} } })
  const back = new BringingBack({
    ask: async (path) => {
      const at = Number(path.split('at=')[1])
      asked.push(at)
      const then = history.findLast((each) => each.at <= at)
      return { ok: then !== undefined, json: async () => JSON.parse(then.document) }
    },
    room: 'garden', documents: { load: async () => true }, shown: drawing, editing, momentum: { settleAll() {} }, notices,
  })
  const hand = {
    drawing, replica, said, asked, editing, back,
    now: () => replica.serverMilliseconds,
    pass(milliseconds) { time += milliseconds },
    /** The server has the drawing as it is now. */
    keep() { history.push({ at: hand.now(), document: replica.exportDrawing() }) },
    lost: (ids, by = replica.actor) => replica.shapesOf(ids).map((shape) => ({ id: shape.id, by, at: hand.now(), shape: { ...shape, place: replica.drawingOrder().indexOf(shape.id) } })),
    all: () => JSON.parse(replica.exportDrawing()).shapes,
  }
  return hand
}

test('whatever a shape is made of comes back with it, in one step: its name, place, ties, group, text and looks', async () => {
  const hand = drawn()
  const { drawing, replica } = hand
  const [sun, moon] = ['Sun', 'n'.repeat(128)].map((name, at) => drawing.add({ name, position: [200 + 400 * at, 200], size: [120, 100] }))
  drawing.add({ name: 'n'.repeat(128) })
  drawing.add({ kind: 'ink', position: [100, 500], size: [80, 60], stroke: '#2F6FED', strokeWidth: 4, path: [[0, 0, 100], [30_000, 65_535, 60], [65_535, 20_000, 140]] })
  drawing.add({ kind: 'line', ...leading([{ x: 0, y: 0 }, { x: 9, y: 40 }, { x: 90, y: 90 }]), from: { shape: sun, x: 32_768, y: 32_768 }, to: { shape: moon, x: 10, y: 20 }, fromEnd: 'dot', toEnd: 'arrow' })
  drawing.add({ kind: 'text', position: [800, 100], size: [200, 60], text: 'Buy milk\nand tea', textSize: 32, textAlign: 'right', textPlace: 'bottom' })
  for (const lock of [{}, { locked: true }]) drawing.add({ group: 7, filled: false, stroke: '#112233', strokeWidth: 3, dash: 'dotted', ...lock })
  replica.reorder([sun], 'front')
  const before = hand.all()
  hand.keep()
  hand.pass(1_000)
  const lost = hand.lost(replica.drawingOrder())
  replica.clear()
  await hand.back.bringBack([lost])
  // A tied line's own points were those that were drawn last.
  const all = (shapes) => shapes.map(({ path, position, size, ...shape }) => (shape.kind === 'line' ? shape : { ...shape, path, position, size }))
  assert.deepEqual(all(hand.all()), all(before))
  assert.equal(hand.said[0][0], `${before.length} shapes brought back.`)
  hand.said[0][1].run()
  assert.equal(replica.shapeCount, 0)
})

test('what somebody else has deleted since stays gone, and of a newer shape the later drawing is asked for', async () => {
  const hand = drawn()
  const [old, young] = [hand.drawing.add({ name: 'Old' }), hand.drawing.add({ name: 'Young' })]
  hand.keep()
  hand.pass(100)
  const [one, two] = hand.lost([old, young])
  hand.replica.delete([old, young])
  await hand.back.bringBack([[{ ...one, by: 77 }, two]])
  assert.deepEqual([hand.all().map(({ name }) => name), hand.asked.map((at) => at - one.at)], [['Young'], [-250, -1]])
})

test('a restoration is taken back but for what was changed after it, by drawings from ever earlier', async () => {
  const hand = drawn()
  const { drawing, replica } = hand
  const [gone, moved, other, later] = ['Gone', 'Moved', 'Other', 'Later'].map((name, at) => drawing.add({ name, position: [100 * at, 0] }))
  hand.keep()
  hand.pass(5_000)
  const from = hand.now()
  replica.delete([gone])
  replica.edit([{ shape: moved, set: { position: [700, 500], dash: 'dashed' } }, ...[other, later].map((shape) => ({ shape, set: { alpha: 5 } }))])
  const made = drawing.add({ name: 'New' })
  const until = hand.now()
  hand.pass(500)
  drawing.write(moved, { position: [1, 1] })
  replica.delete([later])
  const since = drawing.add({ name: 'Since' })
  await hand.back.takeBack(replica.actor, { asOf: 0, from, until })
  assert.deepEqual([gone, made, since, later].map((id) => replica.shape(id) !== null), [true, false, true, false])
  assert.deepEqual([replica.shape(moved).x, replica.shape(moved).dash, replica.shape(other).alpha], [1, 'solid', 10])
  assert.deepEqual([hand.said[0][0], hand.asked], ['1 shape brought back, 3 others changed back.', [Math.floor(from - 250)]])
  hand.asked.length = 0
  await hand.back.takeBack(replica.actor, { asOf: 0, from, until })
  assert.deepEqual([hand.said.at(-1)[0], hand.asked],
    ['There is nothing left to bring back: all of it has been changed since.', [250, 1_000, 4_000].map((margin) => Math.floor(from - margin))])
  await hand.back.takeBack(replica.actor, { asOf: 0, from: from - 9_000, until })
  assert.match(hand.said.at(-1)[0], /^We can’t reach the server/)
})

// The past.

test('the slider shows a moment or the end of a step close behind it, and what it shows is restored unless one has left the past meanwhile', async (t) => {
  makeElements()
  globalThis.HTMLElement = Element
  const made = []
  Object.assign(document, { addEventListener() {}, createElement: () => made[made.push(new Element()) - 1] })
  let time = 1_000
  const shown = Object.assign(new Drawing({ clock: { wall: () => 1_700_000_000_000 + time, monotonic: () => time } }), {
    showPast(past) { Object.assign(this, { past, isPast: past !== null }) },
  })
  const { replica } = shown
  const [said, asked, restored, kept] = [[], [], [], []]
  let answer = () => true
  const notices = { say: (words) => said.push(words), withdraw() {} }
  const permission = Object.assign(new Source(), { mayEdit: true, isViewOnly: false })
  const step = (name) => {
    const id = shown.add({ name })
    kept.push({ at: Math.floor(replica.serverMilliseconds), document: replica.exportDrawing() })
    return id
  }
  const one = step('One')
  time += 10_000
  const two = step('Two')
  const [first, last] = kept.map(({ at }) => at)
  time += 5_000
  const history = new History({
    ask: async (path) => {
      if (path.endsWith('steps=1')) return Response.json({ from: first, to: last + 10, steps: kept.map(({ at }) => ({ from: at, to: at, actor: identifierText(replica.actor), operations: 1, removed: 0 })) })
      const at = Number(/at=(\d+)/.exec(path)[1])
      return new Response(kept.findLast((each) => each.at <= at)?.document ?? '{"shapes":[]}')
    },
    room: 'garden', core, documents: { load: async () => true }, notices, permission, shown, tools: { isPressed: false }, names: { of: () => 'You' }, me: { color: '#B42318' },
    editing: new Editing({ connection: Object.assign(new Source(), { replica, perform() {} }), shown, permission, notices, frames: { request() {} } }),
    presence: { person: () => null, setRestored: (each) => restored.push(each) },
    consent: { get: async () => ({ mayGoBack: async (question, yes, count) => { asked.push([question.slice(0, 22), yes, count()]); return answer() } }) },
  })
  const turns = async () => { for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate) }
  const slider = made.find(({ attributes }) => attributes.type === 'range')
  const [restore, play] = ['Restore', 'Play'].map((words) => made.find(({ textContent, attributes }) => textContent === words || attributes['aria-label'] === words))
  const names = () => shown.past.shapes().map(({ id }) => shown.past.shownName(id))
  const at = async (value) => {
    slider.value = String(value)
    slider.dispatchEvent(new Event('input'))
    await turns()
    return names()
  }
  await history.open()
  for (const [value, expected] of [[0, []], [1, ['One']], [997, ['One']], [998, ['One', 'Two']], [1_000, ['One', 'Two']]]) assert.deepEqual((await at(value)).toSorted(), expected, `${value}`)
  for (const [key, expected] of [['ArrowLeft', ['One', 'Two']], ['ArrowLeft', ['One']], ['ArrowLeft', []], ['ArrowLeft', []], ['ArrowUp', ['One']], ['ArrowRight', ['One', 'Two']], ['ArrowDown', ['One']]]) {
    slider.dispatchEvent(Object.assign(new Event('keydown'), { key }))
    await turns()
    assert.deepEqual(names().toSorted(), expected, key)
  }
  const press = async (button) => {
    button.dispatchEvent(new Event('click'))
    await turns()
  }
  t.mock.timers.enable({ apis: ['setTimeout'] })
  await press(play)
  assert.equal(play.attributes['aria-label'], 'Pause')
  await at(500)
  await press(play)
  answer = () => false
  await press(restore)
  assert.deepEqual([play.attributes['aria-label'], history.isOpen, replica.shapeCount], ['Play', true, 2], 'it isn’t played on below the question')
  await at(500)
  answer = () => {
    history.close()
    return true
  }
  await press(restore)
  assert.deepEqual([history.isOpen, replica.shapeCount, restored], [false, 2, []])
  await history.open()
  assert.ok(restore.disabled, 'the slider is at the end again')
  await at(500)
  answer = () => true
  await press(restore)
  assert.deepEqual([history.isOpen, replica.shape(one) !== null, replica.shape(two), restored.map(({ asOf }) => asOf - first)], [false, true, null, [5_005]])
  assert.deepEqual([asked.length, asked.at(-1), said.length], [3, ['Go back to how it was ', 'Restore', 1], 1])
  assert.match(said[0], /^1 shape changed back to how they were /)
})
