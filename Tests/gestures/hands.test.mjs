// Tests what hands and keys do to a drawing.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { motion } from './drawing.mjs'
import { Element, makeElements } from './elements.mjs'
import { handAt, mouth } from './hand.mjs'
import { Toolbar } from '../../build/modules/bars/toolbar.js'
import { Source } from '../../build/modules/basics/source.js'
import { addConnectedCopy } from '../../build/modules/connect/connecting.js'
import { isNote, noteFill } from '../../build/modules/canvas/notes.js'
import { actionsOf } from '../../build/modules/tools/actions.js'

const square = (x, y, set = {}) => ({ position: [x, y], size: [100, 100], ...set })
/** Points of a line, as parts of its box. */
const [half, whole] = [32768, 65535]
const line = (x, y, width, height, set = {}) => ({ kind: 'line', position: [x, y], size: [width, height], path: [[0, 0], [whole, whole]], strokeWidth: 4, ...set })
const near = (actual, expected, by = 1) => assert.ok(actual.every((each, at) => Math.abs(each - expected[at]) <= by), `${actual} is not ${expected}`)
const sorted = (ids) => [...ids].sort((one, other) => one - other)

// Drawing.

test('each tool draws its kind where the hand leads, not too small, and evenly with Shift, in one step', (t) => {
  const hand = handAt(t)
  for (const [key, kind] of [['r', 'rectangle'], ['u', 'roundedRectangle'], ['o', 'ellipse'], ['p', 'polygon'], ['s', 'star']]) {
    hand.key('escape')
    hand.key(key)
    assert.equal(hand.stage.style.cursor, 'crosshair')
    hand.lead([300, 300], [410, 440])
    const [id] = hand.selection.ids()
    assert.deepEqual([hand.replica.shape(id).kind, hand.box(id)], [kind, [300, 300, 110, 140]])
    hand.undo()
    assert.deepEqual([hand.replica.shapeCount, hand.replica.canUndo], [0, false])
    hand.editing.redo()
    hand.frame()
    assert.deepEqual(hand.box(id), [300, 300, 110, 140])
    hand.undo()
  }
  const drawn = (start, end, how) => {
    hand.lead(start, end, how)
    const box = hand.box(hand.selection.ids()[0])
    hand.undo()
    return box
  }
  assert.deepEqual(drawn([300, 300], [410, 440], { shift: true }), [300, 300, 140, 140])
  assert.deepEqual(drawn([300, 300], [410, 440], { ctrl: true }), [312, 312, 96, 120], 'from dot to dot')
  hand.view.zoomAt({ x: 0, y: 0 }, 0.5)
  hand.view.panBy(-2_500, 250)
  assert.deepEqual([drawn([300, 300], [500, 440]), drawn([700, 300], [707, 315]), drawn([700, 600], [693, 570])],
    [[5_600, 100, 400, 280], [6_400, 100, 20, 30], [6_380, 640, 20, 60]])
})

test('what is drawn snaps to what is there, but not with Shift, and not along a side that is too short', (t) => {
  const hand = handAt(t, { tool: 'rectangle' })
  hand.add(square(600, 200))
  const guides = () => hand.over.findLast(([name]) => name === 'setGuides')[1].length
  hand.lead([400, 400], [597, 520], { hold: true })
  assert.deepEqual([hand.box(hand.replica.shapes().at(-1).id), guides()], [[400, 400, 200, 120], 1])
  hand.move([597, 520], { shift: true })
  assert.equal(guides(), 0)
  hand.up([597, 520])
  hand.lead([590, 550], [597, 670], { hold: true })
  assert.equal(guides(), 0)
})

test('what is drawn in a very wide view is as large as a shape can be, from where it begins', (t) => {
  for (const tool of ['arrow', 'line', 'pen', 'rectangle']) {
    for (const [start, end] of [[[100, 100], [800, 700]], [[800, 700], [100, 100]]]) {
      const hand = handAt(t, { tool })
      hand.view.fit({ x: 0, y: 0, width: 1e7, height: 1e7 })
      hand.lead(start, end)
      const [{ x, y, width, height }] = hand.replica.shapes()
      const begin = hand.view.toCanvas({ x: start[0], y: start[1] })
      const [left, top] = [start[0] < end[0] ? begin.x : begin.x - 1e6, start[1] < end[1] ? begin.y : begin.y - 1e6]
      near([x, y, width, height], [left, top, 1e6, 1e6])
      assert.deepEqual(hand.said, [], tool)
      hand.undo()
      assert.deepEqual([hand.replica.shapeCount, hand.replica.canUndo], [0, false])
    }
  }
})

test('a finger draws nothing smaller than itself', (t) => {
  const hand = handAt(t, { tool: 'rectangle', pointer: 'touch' })
  hand.lead([60, 500], [90, 540])
  assert.deepEqual(hand.box(hand.selection.ids()[0]), [60, 500, 100, 100])
})

test('a drawing tool draws over a shape, and moves one that is selected, or held first by a finger', (t) => {
  const hand = handAt(t, { tool: 'ellipse' })
  const below = hand.add(square(200, 200))
  hand.move([250, 250])
  assert.deepEqual([hand.stage.style.cursor, hand.marks.pointedAt], ['crosshair', null])
  hand.lead([230, 230], [270, 280], { hold: true })
  assert.ok(hand.tools.isPressed)
  const [drawn] = hand.replica.shapes().filter(({ id }) => id !== below)
  assert.deepEqual([hand.box(drawn.id), hand.box(below)], [[230, 230, 40, 50], [200, 200, 100, 100]], 'it is there while it grows')
  hand.up([270, 280])
  hand.tool.choose('pen')
  hand.lead([220, 270], [290, 220])
  assert.deepEqual([hand.replica.shapes().at(-1).kind, hand.box(below)], ['ink', [200, 200, 100, 100]])
  hand.tool.choose('ellipse')
  hand.tap([210, 210])
  hand.lead([210, 210], [210, 410])
  assert.deepEqual(hand.box(below), [200, 400, 100, 100])
})

test('the eraser takes whole strokes, also on its way between two events, and neither shapes, lines nor what is locked', (t) => {
  const hand = handAt(t, { tool: 'eraser' })
  const upright = (x, set) => hand.add({ position: [x, 300], size: [1, 200], strokeWidth: 4, path: [[0, 0], [0, whole]], ...set })
  const stay = [hand.add(square(300, 300)), upright(360, { kind: 'line' }), upright(440, { kind: 'ink', locked: true }), upright(700, { kind: 'ink' })]
  const strokes = [320, 400, 480].map((x) => upright(x, { kind: 'ink' }))
  const left = () => sorted(hand.replica.drawingOrder())
  hand.down([300, 400])
  hand.move([600, 400])
  hand.up([600, 400])
  assert.deepEqual(left(), sorted(stay))
  hand.undo()
  assert.deepEqual(left(), sorted([...stay, ...strokes]), 'one movement is one step')
  hand.lead([300, 400], [420, 400], { hold: true })
  assert.deepEqual(left(), sorted([...stay, strokes[2]]))
  hand.key('escape')
  assert.deepEqual(left(), sorted([...stay, ...strokes]))
})

test('a finger that holds a shape first moves it, without a jump, and others see by whom it is lifted', (t) => {
  for (const [wait, isLifted] of [[390, false], [450, true]]) {
    const hand = handAt(t, { tool: 'ellipse', pointer: 'touch' })
    const id = hand.add(square(100, 300))
    hand.down([120, 320])
    hand.pass(wait)
    assert.equal(hand.told.some(([name, ids]) => name === 'setLifted' && ids.length === 1), isLifted)
    if (isLifted) {
      hand.move([123, 321])
      assert.deepEqual(hand.box(id).slice(0, 2), [103, 301])
    }
    hand.move([220, 420])
    hand.pass(200)
    hand.up([220, 420])
    assert.deepEqual([hand.box(id), hand.replica.shapeCount], isLifted ? [[200, 400, 100, 100], 1] : [[100, 300, 100, 100], 2])
    if (isLifted) assert.deepEqual(hand.told.findLast(([name]) => name === 'setLifted'), ['setLifted', []])
  }
})

test('what is given up leaves the drawing as it was, and what could be done again', (t) => {
  const hand = handAt(t, { tool: 'pen' })
  const id = hand.add(square(600, 200))
  hand.add(square(900, 250))
  hand.lead([200, 200], [300, 300])
  hand.tool.choose('select')
  hand.lead([650, 250], [750, 350])
  hand.undo()
  const before = hand.replica.shapes()
  for (const [tool, start, end] of [['ellipse', [200, 400], [320, 520]], ['arrow', [200, 600], [400, 650]], ['eraser', [180, 250], [320, 250]], ['select', [650, 250], [800, 300]]]) {
    hand.tool.choose(tool)
    hand.lead(start, end, { hold: true })
    assert.notDeepEqual(hand.replica.shapes(), before, tool)
    hand.key('escape')
    hand.move([600, 650])
    hand.up([600, 650])
    assert.deepEqual([hand.replica.shapes(), hand.replica.canRedo], [before, true], tool)
    assert.deepEqual(hand.over.findLast(([name]) => name === 'setGuides')[1], [], tool)
  }
  hand.key('ctrl+shift+z')
  assert.equal(hand.box(id)[0], 700)
})

test('what was drawn when the browser takes the finger away stays, but no empty text', (t) => {
  const hand = handAt(t, { pointer: 'touch' })
  for (const [tool, count] of [['text', 0], ['pen', 1], ['rectangle', 2], ['arrow', 3], ['eraser', 2]]) {
    hand.tool.choose(tool)
    hand.lead([60, 300], [240, 420], { hold: true })
    hand.lose([240, 420])
    assert.equal(hand.replica.shapeCount, count, tool)
  }
})

// Moving.

test('handles move, turn and scale one shape, each in one step, and stay where the turned shape has them', (t) => {
  const hand = handAt(t)
  const id = hand.add(square(200, 200))
  const lead = (kind, way, how = {}) => {
    hand.selection.set([id])
    const from = hand.handle(kind, how.side)
    hand.lead(from, [from[0] + way[0], from[1] + way[1]], how)
    return [...hand.box(id), hand.replica.shape(id).rotation]
  }
  near(lead('move', [150, 80]), [350, 280, 100, 100, 0], 0.1)
  const [x, y] = hand.handle('rotate')
  near(lead('rotate', [400 + 330 - y - x, 330 - y]), [350, 280, 100, 100, 90], 0.1)
  near(hand.handle('scale'), [350, 380])
  hand.lead(hand.handle('rotate'), [440, 430], { hold: true })
  near([hand.handles.frame().rotation], [hand.replica.shape(id).rotation], 0.01)
  hand.key('escape')
  near(lead('scale', [-60, 40]).slice(2, 4), [140, 160])
  near(hand.handle('scale'), [290, 420])
  near(lead('scale', [30, -50], { side: [-1, 0] }).slice(2, 4), [190, 160])
  near(hand.handle('scale'), [290, 420])
  for (let count = 0; count < 4; count += 1) hand.undo()
  assert.deepEqual(hand.box(id), [200, 200, 100, 100])
  for (const [kind, way, how, expected] of [
    ['rotate', [60, 12], { shift: true }, null], ['scale', [100, 10], { shift: true }, [200, 200, 200, 200, 0]],
    ['scale', [50, 0], { alt: true }, [150, 200, 200, 100, 0]], ['move', [100, 30], { shift: true }, [300, 200, 100, 100, 0]],
  ]) {
    const found = lead(kind, way, how)
    if (expected) near(found, expected, 0.1)
    else assert.ok(found[4] !== 0 && found[4] % 15 === 0)
    hand.undo()
  }
  hand.drawing.write(id, { rotation: 10 })
  assert.equal(lead('rotate', [60, 12], { shift: true })[4] % 15, 0, 'also of what is turned already')
  hand.drawing.write(id, { rotation: 0 })
  hand.frame()
  hand.selection.clear()
  hand.lead([220, 220], [350, 260], { ctrl: true })
  assert.deepEqual(hand.box(id), [336, 240, 100, 100], 'a corner is on a dot')
  hand.add(square(538, 243))
  hand.lead([350, 260], [450, 270], { shift: true })
  assert.deepEqual(hand.box(id), [438, 240, 100, 100], 'it stays on its line')
})

test('handles of many act on all around their common frame, also on a group', async (t) => {
  const hand = handAt(t)
  const [one, other] = [hand.add(square(200, 200, { group: 7 })), hand.add(square(400, 250, { group: 7 }))]
  hand.tap([250, 250])
  assert.deepEqual(sorted(hand.selection.ids()), sorted([one, other]))
  const boxes = (kind, way, how = {}) => {
    const from = hand.handle(kind, how.side)
    hand.lead(from, way(from), how)
    const found = [one, other].map(hand.box)
    hand.undo()
    return found
  }
  const by = (dx, dy) => ([x, y]) => [x + dx, y + dy]
  near(hand.handle('move'), [350, 376])
  near(boxes('rotate', () => [550, 275]).flat(), [325, 125, 100, 100, 275, 325, 100, 100])
  for (const [kind, way, how, expected] of [
    ['scale', by(300, 0), {}, [[200, 200, 200, 200], [600, 300, 200, 200]]], ['move', by(100, 25), {}, [[300, 225, 100, 100], [500, 275, 100, 100]]],
    ['scale', by(-300, 40), { side: [-1, 0] }, [[-100, 200, 200, 100], [300, 250, 200, 100]]],
    ['scale', by(-300, 0), { side: [-1, -1] }, [[-100, 50, 200, 200], [300, 150, 200, 200]]],
  ]) assert.deepEqual(boxes(kind, way, how), expected)
  hand.tap(hand.handle('move'))
  await new Promise(setImmediate)
  assert.deepEqual(hand.replica.shapes().map(({ id }) => hand.box(id)), [[200, 200, 100, 100], [400, 250, 100, 100]], 'a tap on it copies nothing')
})

test('a larger or smaller note has its text fitted anew, in the same step', (t) => {
  const hand = handAt(t)
  const words = 'word '.repeat(40)
  const note = hand.add({ position: [300, 200], size: [200, 200], fill: '#FFE27A', text: words, textSize: 12.4806 })
  const plain = hand.add({ position: [800, 200], size: [200, 200], fill: '#FFFFFF', text: words })
  const pulled = (id, way) => {
    hand.selection.set([id])
    const [x, y] = hand.handle('scale')
    hand.lead([x, y], [x + way, y + way])
    return hand.replica.shape(id).textSize
  }
  assert.equal(pulled(note, 300), 20)
  hand.undo()
  assert.deepEqual([hand.replica.shape(note).textSize, hand.box(note)[2]], [12.4806, 200])
  pulled(note, -50)
  assert.ok(hand.box(note)[2] === 150 && hand.box(note)[3] > 150, 'the text has no smaller size, so the note is higher')
  assert.equal(pulled(plain, -50), 20)
})

test('a drag in the gap between selected shapes moves them, with a mouse and without Shift', (t) => {
  const hand = handAt(t)
  const [one, two, three] = [0, 1, 2].map((at) => hand.add(square(200 + 200 * at, 200 + 50 * at)))
  hand.selection.set([one, two])
  hand.move([350, 275])
  assert.equal(hand.stage.style.cursor, 'move')
  hand.lead([350, 275], [300, 425])
  assert.deepEqual([one, two, three].map((id) => hand.box(id)[0]), [150, 350, 600])
  hand.undo()
  hand.lead([350, 275], [720, 420], { shift: true })
  assert.deepEqual(sorted(hand.selection.ids()), sorted([one, two, three]))
  hand.tap([350, 275])
  assert.deepEqual(hand.selection.ids(), [])
  hand.lead([350, 240], [520, 360])
  hand.lead([350, 240], [720, 420])
  assert.deepEqual([sorted(hand.selection.ids()), [one, two, three].map((id) => hand.box(id)[0])], [sorted([two, three]), [200, 400, 600]])
})

test('a rectangle selects what it meets and is not locked, whole groups, and with Shift more, until Escape', (t) => {
  const hand = handAt(t)
  const [one, two] = [hand.add(square(200, 200)), hand.add(square(400, 250, { group: 7 }))]
  const [three, locked] = [hand.add(square(700, 600, { group: 7 })), hand.add(square(220, 220, { locked: true }))]
  hand.lead([320, 320], [150, 150], { hold: true })
  assert.deepEqual(hand.over.findLast(([name]) => name === 'setMarquee')[1], { x: 150, y: 150, width: 170, height: 170 })
  assert.deepEqual(hand.selection.ids(), [one])
  hand.up([150, 150])
  assert.deepEqual(hand.over.findLast(([name]) => name === 'setMarquee')[1], null)
  hand.lead([520, 400], [450, 240], { shift: true })
  assert.deepEqual(sorted(hand.selection.ids()), sorted([one, two, three]))
  hand.lead([150, 350], [350, 390], { hold: true })
  assert.deepEqual(hand.selection.ids(), [])
  hand.move([350, 210])
  hand.key('escape')
  assert.deepEqual([hand.selection.ids(), hand.replica.shapeCount], [[], 4])
  hand.up([350, 390])
  hand.key('ctrl+a')
  assert.ok(!hand.selection.has(locked) && hand.selection.size === 3)
  hand.tap([260, 260])
  assert.deepEqual(hand.selection.ids(), [one], 'the shape below the locked one')
  hand.selection.set([locked])
  for (const key of ['delete', 'arrowleft', 'c']) hand.key(key)
  assert.deepEqual([hand.said.map(([words]) => / is locked\.$/.test(words)), hand.box(locked)], [[true, true, true], [220, 220, 100, 100]])
})

test('S13: a click takes a group, with Shift adds or leaves it, and a double click enters it', (t) => {
  const hand = handAt(t)
  const [sun, moon, star] = [hand.add(square(200, 200, { group: 7 })), hand.add(square(400, 200, { group: 7 })), hand.add(square(600, 200))]
  hand.lead([250, 250], [250, 400], { shift: true })
  assert.deepEqual([sun, moon, star].map((id) => hand.box(id)[1]), [350, 350, 200])
  hand.tap([650, 250])
  hand.tap([450, 400], 1, { shift: true })
  hand.tap([150, 600], 1, { shift: true })
  assert.deepEqual(sorted(hand.selection.ids()), sorted([sun, moon, star]))
  hand.tap([450, 400], 1, { shift: true })
  assert.deepEqual(hand.selection.ids(), [star])
  hand.tap([450, 400], 2)
  assert.deepEqual([hand.selection.ids(), hand.opened], [[moon], []])
  hand.lead([450, 400], [550, 400], { shift: true })
  assert.deepEqual([sun, moon].map((id) => hand.box(id)[0]), [200, 500])
  hand.tap([150, 600])
  hand.tap([250, 400])
  assert.deepEqual(sorted(hand.selection.ids()), sorted([sun, moon]))
  hand.key('delete')
  assert.equal(hand.replica.shapeCount, 1)
  hand.key('ctrl+z')
  assert.equal(hand.replica.shapeCount, 3)
})

test('copies are led away with Alt in one step, and Escape removes them, also if somebody has changed them', (t) => {
  const hand = handAt(t)
  const id = hand.add(square(200, 200))
  hand.lead([220, 220], [420, 320], { alt: true })
  const [copy] = hand.selection.ids()
  assert.deepEqual([hand.box(copy), hand.box(id)], [[400, 300, 100, 100], [200, 200, 100, 100]])
  hand.undo()
  assert.equal(hand.replica.shapeCount, 1)
  hand.lead([220, 220], [420, 320], { alt: true, hold: true })
  hand.drawing.write(hand.selection.ids()[0], { fill: '#FF0000' })
  hand.key('escape')
  hand.up([420, 320])
  assert.deepEqual(hand.replica.shapes().map((shape) => shape.id), [id])
})

test('what is locked before copies of it are there gets none, because that would stay behind, and the others do', async (t) => {
  for (const isReady of [true, false]) {
    const hand = handAt(t)
    const [locked, free] = [hand.add(square(200, 200)), hand.add(square(400, 200))]
    hand.documents.isReady = isReady
    hand.selection.set([locked, free])
    hand.down([450, 250], { alt: true })
    if (isReady) hand.drawing.write(locked, { locked: true })
    hand.move([450, 400], { alt: true })
    if (!isReady) hand.drawing.write(locked, { locked: true })
    await new Promise(setImmediate)
    hand.move([450, 550], { alt: true })
    const copy = hand.replica.shapes().at(-1).id
    assert.deepEqual([locked, free, copy].map((id) => hand.hand.deedTo(id)), [null, null, 'held'])
    hand.up([450, 550], { alt: true })
    assert.deepEqual(hand.replica.shapes().map(({ x, y }) => [x, y]), [[200, 200], [400, 200], [400, 500]])
    hand.lead([450, 250], [700, 250], { alt: true })
    await new Promise(setImmediate)
    assert.equal(hand.replica.shapeCount, isReady ? 4 : 3, 'who has let go by then gets none')
  }
})

test('a shape that is locked between the press and the first movement is not held', (t) => {
  for (const begin of [() => [250, 250], (hand) => hand.handle('scale', [1, 1]), (hand) => hand.handle('rotate')]) {
    const hand = handAt(t)
    const [locked, free] = [hand.add(square(200, 200)), hand.add(square(400, 200))]
    hand.selection.set([locked, free])
    const [x, y] = begin(hand)
    hand.down([x, y])
    hand.drawing.write(locked, { locked: true })
    hand.frame()
    hand.move([x + 30, y + 30])
    assert.deepEqual([hand.hand.deedTo(locked), hand.hand.deedTo(free)], [null, 'held'])
    hand.drawing.write(free, { locked: true })
    hand.frame()
    hand.move([x + 40, y + 40])
    assert.equal(hand.hand.deedTo(free), null)
  }
})

test('what somebody deletes or locks meanwhile slips out of the hand, and the rest goes on', (t) => {
  const hand = handAt(t)
  const [gone, locked, free] = [hand.add(square(200, 200)), hand.add(square(400, 200)), hand.add(square(600, 200))]
  hand.selection.set([gone, locked, free])
  hand.lead([250, 230], [300, 260], { hold: true })
  hand.replica.delete([gone])
  hand.drawing.write(locked, { locked: true })
  hand.frame()
  hand.move([400, 330])
  hand.pass(160)
  hand.up([400, 330])
  assert.deepEqual([hand.replica.shape(gone), hand.box(locked), hand.box(free)], [null, [450, 230, 100, 100], [750, 300, 100, 100]])
})

test('a selected shape that goes while more are being selected is not selected again', (t) => {
  for (const end of ['press', 'release', 'escape']) {
    const hand = handAt(t)
    const id = hand.add(square(300, 300))
    if (end === 'press') hand.down([350, 350])
    else {
      hand.selection.set([id])
      hand.lead([100, 100], [200, 200], { shift: true, hold: true })
    }
    hand.replica.delete([id])
    hand.frame()
    if (end === 'escape') hand.key(end)
    hand.up([200, 200])
    assert.deepEqual(hand.selection.ids(), [], end)
  }
})

test('what a hand holds is known while it holds it, and to what it ties a line', (t) => {
  const hand = handAt(t, { tool: 'line' })
  const [sun, moon] = [hand.add(square(200, 200)), hand.add(square(700, 400))]
  const deeds = (...ids) => ids.map((id) => hand.hand.deedTo(id))
  hand.lead([250, 250], [750, 450], { hold: true })
  const way = hand.replica.shapes().at(-1).id
  assert.deepEqual(deeds(sun, moon, way), ['tied a line to', 'tied a line to', 'held'])
  hand.up([750, 450])
  assert.deepEqual(deeds(sun, moon, way), [null, null, null])
  hand.tool.choose('select')
  hand.selection.set([way])
  const point = hand.handles.all().findLast(({ kind }) => kind === 'point')
  hand.lead([point.x, point.y], [900, 700], { hold: true })
  assert.deepEqual(deeds(sun, moon, way), [null, null, 'held'])
  hand.up([900, 700])
  hand.selection.clear()
  hand.move([210, 210])
  hand.lead([210, 210], [260, 230], { hold: true })
  assert.deepEqual(hand.over.filter(([name]) => name === 'setHover').slice(-2), [['setHover', sun], ['setHover', null]])
  assert.deepEqual(deeds(sun, moon), ['held', null])
  hand.up([260, 230])
  hand.tool.choose('rectangle')
  hand.lead([400, 600], [500, 700], { hold: true })
  assert.deepEqual(deeds(hand.replica.shapes().at(-1).id), ['held'])
})

// Throwing, the hole.

test('what is thrown glides on within the view, in one step, and is caught by a press', (t) => {
  const hand = handAt(t)
  const id = hand.add(square(100, 300))
  hand.throw([150, 350], [60, 4])
  const places = [hand.box(id)[0]]
  for (let count = 0; count < 25; count += 1) {
    hand.pass(160)
    places.push(hand.box(id)[0])
    assert.ok(places.at(-1) >= 0 && places.at(-1) <= 1_180)
  }
  assert.ok(places[1] > places[0] + 100 && places.some((place, at) => place < places[at - 1]), `${places}`)
  hand.undo()
  assert.deepEqual([hand.box(id), hand.replica.shapeCount], [[100, 300, 100, 100], 1])
  hand.throw([150, 350], [14, 0])
  hand.pass(160)
  const [there] = hand.box(id)
  assert.ok(there > 225)
  hand.tap([there + 50, 350])
  assert.equal(hand.box(id)[0], there)
  hand.key('arrowdown')
  hand.pass(1_000)
  hand.undo()
  assert.deepEqual(hand.box(id).slice(0, 2), [there, 300])
  hand.undo()
  assert.deepEqual(hand.box(id).slice(0, 2), [100, 300])
  hand.throw([150, 350], [14, 0])
  hand.pass(160)
  hand.tool.choose('ellipse')
  hand.selection.clear()
  const [now] = hand.box(id)
  hand.tap([now + 50, 350])
  assert.equal(hand.box(id)[0], now, 'also by a tool that draws')
  hand.tool.choose('select')
  hand.add(square(1_100, 650))
  const hide = () => {
    document.hidden = true
    document.tell('visibilitychange')
  }
  for (const [end, step] of [[() => hand.tap([1_150, 700]), 14], [hide, -14]]) {
    const [from] = hand.box(id)
    hand.throw([from + 50, 350], [step, 0])
    const [there] = hand.box(id)
    end()
    assert.ok(Math.abs(hand.box(id)[0] - there) > 20, 'it is where it would stop')
  }
})

test('where less motion is asked for, or no play, nothing glides or coasts', (t) => {
  t.after(() => { motion.matches = false })
  const hand = handAt(t)
  const id = hand.add(square(100, 300))
  for (const [change, back] of [[() => { motion.matches = true }, () => { motion.matches = false }], [() => { hand.play.isOn = false }, () => { hand.play.isOn = true }]]) {
    change()
    hand.throw([150, 350], [15, 0])
    const [there] = hand.box(id)
    hand.pass(3_000)
    assert.deepEqual([hand.box(id)[0], there], [220, 220])
    back()
    hand.undo()
  }
})

test('what is held first, or led with a key, is not thrown', (t) => {
  for (const [pointer, how, glides] of [['mouse', {}, true], ['mouse', { shift: true }, false], ['mouse', { ctrl: true }, false], ['touch', { wait: 450 }, false]]) {
    const hand = handAt(t, { pointer })
    const id = hand.add(square(100, 300))
    hand.throw([150, 350], [15, 0], how)
    const [there] = hand.box(id)
    hand.pass(3_000)
    assert.equal(hand.box(id)[0] > there, glides, JSON.stringify(how))
  }
})

test('paper that a finger has pushed goes on, until it is pressed', (t) => {
  t.after(() => { motion.matches = false })
  for (const [pointer, isStill] of [['touch', false], ['touch', true], ['mouse', false]]) {
    motion.matches = isStill
    const hand = handAt(t, { pointer, tool: 'hand' })
    hand.throw([40, 600], [0, -20])
    const at = hand.view.y
    assert.ok(Math.abs(at - 160) < 20, `${at}`)
    hand.pass(200)
    assert.ok(isStill || pointer === 'mouse' ? hand.view.y === at : hand.view.y > at + 50)
    const later = hand.view.y
    hand.down([40, 400])
    hand.pass(500)
    hand.up([40, 400])
    assert.equal(hand.view.y, later)
  }
})

test('what is dropped on the hole goes, with all that is selected, in one step; beside it, or without play, it stays', (t) => {
  const hand = handAt(t)
  const [one, other] = [hand.add(square(300, 200)), hand.add(square(500, 200))]
  hand.selection.set([one, other])
  const [x, y] = mouth
  for (const [place, isOn, left] of [[[x + 60, y - 150], true, 2], [mouth, false, 2], [mouth, true, 0]]) {
    hand.play.isOn = isOn
    hand.lead([350, 250], place)
    assert.equal(hand.replica.shapeCount, left)
    hand.undo()
    assert.deepEqual([one, other].map(hand.box), [[300, 200, 100, 100], [500, 200, 100, 100]])
  }
})

// Taps and two fingers.

test('two taps make a circle or a bright colour, three remove, and what is written is only selected', (t) => {
  for (const pointer of ['mouse', 'touch']) {
    const hand = handAt(t, { pointer })
    hand.tap([400, 300], 2)
    const [circle] = hand.replica.shapes()
    assert.deepEqual([circle.kind, hand.box(circle.id)], ['ellipse', [350, 250, 100, 100]])
    const seen = []
    hand.drawing.on('changes', ({ shapes }) => seen.push(...shapes.map(({ shape }) => shape && shape.fill)))
    hand.tap([400, 300], 3)
    assert.deepEqual([hand.replica.shapeCount, seen.filter((fill) => fill !== circle.fill)], [0, [null]], 'it gets no other colour in between')
    assert.match(hand.said[0][0], / removed\.$/)
    hand.said[0][1].run()
    hand.frame()
    assert.equal(hand.replica.shapeCount, 1)
    const written = hand.add(square(700, 300, { text: 'Milk' }))
    hand.tap([750, 350], 3)
    assert.deepEqual([hand.replica.shapeCount, hand.opened.at(-1)[0], hand.opened.at(-1)[1].selectsAll], [2, written, pointer === 'touch' ? true : undefined])
    hand.opened.length = 0
    hand.tap([400, 300], 2)
    assert.deepEqual([hand.replica.shape(circle.id).fill !== circle.fill, hand.opened.length], pointer === 'touch' ? [true, 0] : [false, 1])
    const [note, text] = [hand.add(square(700, 500, { fill: noteFill('') })), hand.add(square(400, 500, { kind: 'text', text: 'Eggs' }))]
    hand.opened.length = 0
    for (const place of [[750, 550], [450, 550]]) hand.tap(place, 2)
    assert.deepEqual(hand.opened.map(([id]) => id), pointer === 'touch' ? [text] : [note, text])
    assert.deepEqual([isNote(hand.replica.shape(note)), hand.replica.shape(note).fill === noteFill('')], [true, pointer === 'mouse'])
    hand.play.isOn = false
    hand.tap([400, 300], 2)
    hand.tap([100, 100], 2)
    assert.deepEqual([hand.opened.at(-1)[0], hand.replica.shapeCount], [circle.id, 4])
    const way = hand.add(line(100, 600, 200, 1, { path: [[0, 0], [whole, 0]] }))
    hand.tap([200, 600], 2)
    assert.equal(hand.opened.at(-1)[0], way)
  }
})

test('two fingers turn and scale what they hold, and zoom the paper; a finger that is held first selects', (t) => {
  const hand = handAt(t, { pointer: 'touch' })
  const id = hand.add({ position: [100, 300], size: [160, 160] })
  hand.pinch([180, 380], 50, 90, 70)
  const { rotation, x, y, width, height } = hand.replica.shape(id)
  near([rotation, width, x + width / 2, y + height / 2], [62, 275, 180, 380], 25)
  hand.undo()
  assert.deepEqual(hand.box(id), [100, 300, 160, 160])
  hand.pinch([180, 380], 90, 20)
  near(hand.box(id).slice(2), [100, 100], 0.1)
  hand.undo()
  hand.pinch([700, 400], 50, 100)
  assert.ok(hand.view.scale > 1.7 && hand.box(id)[2] === 160)
  hand.view.fit({ x: 0, y: 0, width: 1_280, height: 800 }, 0)
  hand.lead([700, 400], [600, 300])
  near([hand.view.x, hand.view.y], [100, 100], 10)
  hand.view.fit({ x: 0, y: 0, width: 1_280, height: 800 }, 0)
  hand.down([40, 260])
  hand.pass(450)
  hand.move([340, 520])
  hand.up([340, 520])
  assert.deepEqual([hand.selection.ids(), hand.view.x, hand.box(id)], [[id], 0, [100, 300, 160, 160]])
  hand.tool.choose('hand')
  hand.pinch([700, 400], 50, 100)
  assert.ok(hand.view.scale > 1.7, 'also with the tool that moves the paper')
  hand.view.fit({ x: 0, y: 0, width: 1_280, height: 800 }, 0)
  hand.tool.choose('pen')
  hand.pinch([700, 400], 50, 50)
  hand.lead([200, 200], [300, 240])
  assert.deepEqual(hand.box(hand.replica.shapes().at(-1).id), [200, 200, 100, 40], 'ink has nothing of the way of these fingers')
})

test('a drag that a second finger turns into a pinch is one step', (t) => {
  const hand = handAt(t, { pointer: 'touch' })
  const id = hand.add({ position: [100, 300], size: [200, 200] })
  hand.lead([150, 400], [250, 400], { hold: true })
  hand.down([350, 400], { finger: 2 })
  for (let step = 1; step <= 10; step += 1) hand.move([350 + 10 * step, 400], { finger: 2 })
  for (const [finger, x] of [[1, 250], [2, 450]]) hand.up([x, 400], { finger })
  const { x, width } = hand.replica.shape(id)
  assert.ok(x > 100 && width > 300, `${x}, ${width}`)
  hand.undo()
  assert.deepEqual(hand.box(id), [100, 300, 200, 200])
})

test('others are told where the pointer is on the canvas, and when it is gone', (t) => {
  for (const pointer of ['mouse', 'touch']) {
    const hand = handAt(t, { pointer, tool: 'rectangle' })
    hand.view.zoomAt({ x: 0, y: 0 }, 0.5)
    hand.view.panBy(-500, -500)
    const cursor = () => hand.told.findLast(([name]) => name === 'setCursor')[1]
    hand.lead([200, 200], [300, 400], { hold: true })
    assert.deepEqual([cursor().x - hand.view.x, cursor().y - hand.view.y], [600, 800])
    hand.up([300, 400])
    assert.equal(cursor() === null, pointer === 'touch')
    hand.leave()
    assert.equal(cursor(), null)
  }
})

test('who looks on has the laser pointer, but not in the past, and no tool that draws', (t) => {
  const hand = handAt(t, { tool: 'select', pointer: 'touch' })
  hand.permission.mayEdit = false
  for (const key of ['k', 'r']) {
    hand.key(key)
    assert.equal(hand.tool.name, 'laser', key)
  }
  for (const isPast of [true, false]) {
    hand.drawing.isPast = isPast
    const before = hand.view.x
    hand.lead([200, 200], [300, 300])
    assert.deepEqual([hand.told.some(([name]) => name === 'setLaser'), hand.view.x === before], [!isPast, !isPast], 'who points moves nothing')
  }
})

test('who may only look on pans and zooms, also on a shape, and changes nothing by hand, key or shaking', (t) => {
  for (const pointer of ['mouse', 'touch']) {
    const hand = handAt(t, { pointer })
    const id = hand.add(square(200, 200))
    const before = hand.replica.shapes()
    hand.permission.mayEdit = false
    hand.tap([250, 250], 2)
    hand.tap([250, 250], 3)
    hand.tap([700, 250], 2)
    hand.move([250, 250])
    assert.ok(hand.over.every(([name, shape]) => name !== 'setHover' || shape === null))
    hand.selection.set([id])
    for (const key of ['arrowleft', 'q', 'c', 'delete', 'shift+delete', 'ctrl+d', 'enter']) hand.key(key)
    hand.shaking.tell('shaken', null)
    if (pointer === 'touch') hand.pinch([250, 250], 30, 60)
    else hand.lead([250, 250], [350, 270])
    assert.deepEqual([hand.replica.shapes(), hand.opened], [before, []])
    assert.ok(pointer === 'touch' ? hand.view.scale > 1.5 : hand.view.x === -100 && hand.view.y === -20)
  }
})

test('a drag ends where it is when the right to edit goes or the past is shown, and what isn’t kept of ink is told', (t) => {
  const lock = ({ permission }) => {
    Object.assign(permission, { mayEdit: false, isViewOnly: true })
    permission.tell('change', null)
  }
  for (const [tool, end, x, notices] of [['select', lock, 300, 0], ['select', ({ drawing }) => drawing.tell('leaving', null), 300, 0], ['pen', lock, 200, 1]]) {
    const hand = handAt(t, { tool })
    const id = hand.add(square(200, 200))
    hand.lead([250, 250], [350, 250], { hold: true })
    end(hand)
    hand.move([450, 250])
    assert.deepEqual([hand.tools.isBusy, hand.box(id)[0], hand.said.length], [false, x, notices])
  }
})

test('a shake clears everything, unless there is no play or a hand is busy', async (t) => {
  const hand = handAt(t)
  const id = hand.add(square(200, 200))
  const left = async () => {
    hand.shaking.tell('shaken', null)
    await new Promise(setImmediate)
    return hand.replica.shapeCount
  }
  hand.play.isOn = false
  assert.equal(await left(), 1)
  hand.play.isOn = true
  hand.lead([250, 250], [300, 300], { hold: true })
  assert.equal(await left(), 1)
  hand.up([300, 300])
  assert.equal(await left(), 0)
  hand.undo()
  hand.throw([300, 300], [14, 0])
  assert.equal(await left(), 0)
  hand.undo()
  assert.ok(hand.box(id)[0] > 360, 'a throw is a step of its own')
})

// Lines.

test('an arrow is tied to the shapes between which it is drawn, and its end goes with them while they are dragged', (t) => {
  const hand = handAt(t, { tool: 'arrow' })
  const [sun, moon] = [hand.add({ position: [200, 200], size: [120, 100] }), hand.add({ position: [600, 400], size: [120, 100] })]
  hand.lead([260, 250], [665, 445])
  const [id] = hand.selection.ids()
  const { from, to, toEnd } = hand.replica.shape(id)
  assert.deepEqual([from, to, toEnd], [{ shape: sun, x: half, y: half }, { shape: moon, x: half, y: half }, 'arrow'], 'to the middle, which is near')
  const stored = () => JSON.parse(hand.replica.exportDrawing()).shapes.find(({ kind }) => kind === 'line').position
  const before = stored()
  const isDrawn = (...ends) => {
    const { x, y, width, height, shape: { path } } = hand.scene.drawn(id)
    near([path[0], path.at(-1)].flatMap(([across, down]) => [x + across / whole * width, y + down / whole * height]), ends, 1.5)
  }
  hand.tool.choose('select')
  hand.key('escape')
  hand.lead([650, 480], [650, 630], { shift: true, hold: true })
  isDrawn(317, 300, 603, 550)
  hand.key('escape')
  isDrawn(320, 280, 600, 420)
  assert.deepEqual(stored(), before, 'the moved end is not written to the line')
})

test('S17: an elbow line is pressed where it leads, with or without ties, also if nothing else is written', (t) => {
  const hand = handAt(t)
  const lone = hand.add({ kind: 'line', position: [100, 500], size: [200, 150], strokeWidth: 4, route: 'elbow' })
  const [one, other] = [hand.add({ position: [200, 200], size: [100, 60] }), hand.add({ position: [600, 240], size: [100, 60] })]
  const tied = hand.add({ kind: 'line', position: [0, 0], size: [10, 10], strokeWidth: 4 })
  const middle = (shape) => ({ shape, x: half, y: half })
  for (const [set, place, id] of [
    [{ strokeWidth: 5 }, [300, 560], lone], [{ from: middle(one), to: middle(other) }, [450, 250], tied], [{ route: 'elbow' }, [380, 230], tied],
  ]) {
    hand.drawing.write(tied, set)
    hand.pass(500)
    hand.tap(place)
    assert.deepEqual(hand.selection.ids(), [id], `${place}`)
  }
})

test('the points and the middle of a line are taken by their handles, and it is pressed where it leads', (t) => {
  const hand = handAt(t)
  const star = hand.add(square(800, 100, { kind: 'star', size: [120, 120] }))
  const id = hand.add(line(200, 300, 400, 1, { path: [[0, 0], [whole, 0]] }))
  hand.selection.set([id])
  hand.lead([400, 300], [400, 500])
  assert.deepEqual([hand.replica.shape(id).path.map(([x, y]) => [x, y]), hand.box(id)], [[[0, 0], [half, whole], [whole, 0]], [200, 300, 400, 200]])
  hand.lead([600, 300], [862, 158])
  assert.deepEqual([hand.replica.shape(id).to.shape, hand.replica.shape(id).to.x], [star, half])
  hand.lead([400, 500], [530, 238])
  assert.equal(hand.replica.shape(id).path.length, 2)
  for (let count = 0; count < 3; count += 1) hand.undo()
  assert.deepEqual(hand.box(id), [200, 300, 400, 1])
  const diagonal = hand.add(line(200, 400, 400, 300))
  const below = hand.add(square(420, 420, { size: [150, 60] }))
  hand.replica.reorder([below], 'back')
  hand.frame()
  for (const [place, ids] of [[[250, 650], []], [[440, 440], [below]], [[303, 474], [diagonal]]]) {
    hand.selection.clear()
    hand.tap(place)
    assert.deepEqual(hand.selection.ids(), ids)
  }
  hand.lead([300, 475], [300, 575], { shift: true })
  assert.deepEqual(hand.box(diagonal), [200, 500, 400, 300])
})

test('a shape without a fill is taken at its outline, and inside only where nothing else is', (t) => {
  const hand = handAt(t)
  const below = hand.add(square(250, 230))
  const frame = hand.add({ position: [200, 200], size: [240, 200], filled: false, strokeWidth: 4 })
  for (const [place, id] of [[[310, 280], below], [[202, 300], frame], [[400, 380], frame]]) {
    hand.selection.clear()
    hand.move(place)
    assert.equal(hand.marks.pointedAt, id)
    hand.tap(place, 1, { button: 1 })
    assert.deepEqual(hand.selection.ids(), [], 'the middle button only moves the paper')
    hand.tap(place)
    assert.deepEqual(hand.selection.ids(), [id], `${place}`)
  }
  const above = hand.add({ position: [180, 180], size: [300, 260], filled: false, strokeWidth: 4 })
  hand.tap([400, 380])
  assert.deepEqual(hand.selection.ids(), [above], 'of several the topmost')
  hand.drawing.write(above, { text: 'Garden' })
  hand.frame()
  hand.tap([310, 280])
  assert.deepEqual(hand.selection.ids(), [above], 'what is written in counts as filled')
})

test('a finger hits what is near it, and a mouse only what is below it', (t) => {
  for (const [pointer, far, isHit] of [['touch', 13, true], ['touch', 15, false], ['mouse', 3, false]]) {
    const hand = handAt(t, { pointer })
    const [, above] = [{}, {}, { locked: true }].map((set) => hand.add({ position: [200, 200], size: [10, 10], ...set }))
    hand.add(line(100, 300, 100, 100))
    hand.view.zoomAt({ x: 0, y: 0 }, 2)
    for (const [place, ids] of [[[420 + far, 410], isHit ? [above] : []], [[380, 620], []]]) {
      hand.tap(place)
      assert.deepEqual(hand.selection.ids(), ids, `${pointer} ${place}`)
    }
  }
})

test('a curve gets another bend by the handle on it', (t) => {
  const hand = handAt(t)
  const id = hand.add(line(300, 260, 200, 40, { path: [[0, whole], [39_321, 0], [whole, whole]], route: 'curved' }))
  hand.selection.set([id])
  const [x, y] = hand.handle('bend')
  hand.lead([x, y], [x, y - 70])
  assert.deepEqual([hand.replica.shape(id).path.length, hand.replica.shape(id).route], [4, 'curved'])
})

test('with the tool for arrows, two clicks write in what is there, and a drag from there draws', (t) => {
  const hand = handAt(t, { tool: 'arrow' })
  const box = hand.add(square(100, 300))
  const way = hand.add(line(200, 350, 400, 1, { path: [[0, 0], [whole, 0]] }))
  for (const [place, id] of [[[450, 350], way], [[150, 320], box]]) {
    hand.tap(place, 2)
    assert.equal(hand.opened.at(-1)[0], id)
  }
  hand.tap([800, 150], 2)
  const beside = hand.add(square(100, 401))
  for (const y of [398, 403]) {
    hand.down([150, y])
    hand.up([150, y])
  }
  hand.pass(400)
  assert.deepEqual([hand.opened.length, hand.tool.name], [2, 'arrow'], 'nothing is there, or two clicks are on two shapes')
  hand.replica.delete([beside])
  hand.frame()
  hand.lead([150, 380], [150, 600])
  assert.equal(hand.replica.shapes().at(-1).from.shape, box)
})

test('a press on the handle below adds one connected copy, however often it is pressed', async (t) => {
  const hand = handAt(t)
  const id = hand.add({ position: [300, 150], size: [150, 100], text: 'Valid?' })
  hand.selection.set([id])
  const place = hand.handle('move')
  for (let count = 0; count < 3; count += 1) {
    hand.down(place)
    hand.up(place)
  }
  await new Promise(setImmediate)
  hand.frame()
  const [, copy, arrow] = hand.replica.shapes()
  assert.deepEqual([hand.replica.shapeCount, hand.box(copy.id), copy.text, arrow.toEnd, hand.selection.ids()], [3, [300, 330, 150, 100], 'Valid?', 'arrow', [copy.id]])
  hand.undo()
  assert.equal(hand.replica.shapeCount, 1)
})

// Keys.

test('each key has its action, and a held one repeats what may be repeated', (t) => {
  const hand = handAt(t)
  const [one, two, three] = [0, 1, 2].map((at) => hand.add(square(200 + 200 * at, 200)))
  const order = (...keys) => {
    for (const key of keys) hand.key(key)
    return hand.replica.drawingOrder()
  }
  hand.selection.set([one])
  for (const sign of ['', 'ctrl+']) {
    assert.deepEqual(order(`${sign}]`), [two, one, three])
    assert.deepEqual(order(`${sign}}`), [two, three, one])
    assert.deepEqual(order(`${sign}[`), [two, one, three])
    assert.deepEqual(order(`${sign}{`), [one, two, three])
  }
  for (const [key, x, y] of [['arrowright', 201, 200], ['arrowleft', 200, 200], ['arrowdown', 200, 201], ['arrowup', 200, 200], ['shift+arrowright', 210, 200], ['shift+arrowup', 210, 190]]) {
    hand.key(key)
    assert.deepEqual(hand.box(one).slice(0, 2), [x, y], key)
  }
  hand.key('arrowright', { repeat: true })
  assert.equal(hand.box(one)[0], 211)
  hand.pass(1_000)
  hand.undo()
  assert.deepEqual(hand.box(one).slice(0, 2), [200, 200], 'presses that follow each other are one step')
  const { fill } = hand.replica.shape(one)
  hand.key('arrowdown')
  hand.key('alt+c')
  assert.notEqual(hand.replica.shape(one).fill, fill)
  hand.key('ctrl+z')
  assert.deepEqual(hand.box(one).slice(0, 2), [200, 201], 'a colour is a step of its own')
  hand.key('delete')
  hand.key('delete', { repeat: true })
  assert.deepEqual(hand.replica.drawingOrder(), [two, three])
  hand.key('ctrl+z')
  hand.key('ctrl+y')
  assert.equal(hand.replica.shapeCount, 2)
  hand.selection.set([two, three])
  for (const [key, is] of [['ctrl+g', (shape) => shape.group !== null], ['ctrl+shift+g', (shape) => shape.group === null], ['ctrl+shift+l', ({ locked }) => locked], ['ctrl+shift+l', ({ locked }) => !locked]]) {
    hand.key(key)
    assert.ok([two, three].every((id) => is(hand.replica.shape(id))), key)
    hand.key('ctrl+z')
    assert.ok(![two, three].some((id) => is(hand.replica.shape(id))), `${key} is one step`)
    hand.key('ctrl+shift+z')
  }
  hand.key('q', { repeat: true })
  assert.equal(hand.replica.shapeCount, 2)
  for (const key of ['+', '+', '-', '1']) hand.key(key, { repeat: true })
  assert.equal(hand.view.scale, 1)
})

test('the buttons to undo and redo tell whether they would do anything', (t) => {
  const hand = handAt(t)
  makeElements()
  Object.assign(globalThis, { HTMLElement: Element, ResizeObserver: class { observe() {} } })
  Element.prototype.clientWidth = 0
  const [paint, play] = [hand.paint, hand.play].map((part) => Object.assign(new Source(), part))
  const { element } = new Toolbar({ ...hand, paint, play, room: 'garden', shown: hand.drawing, actions: actionsOf(hand) })
  const disabled = () => ['undo', 'redo'].map((name) => element.children[0].children.find(({ attributes }) => attributes['data-action'] === name).attributes['aria-disabled'])
  assert.deepEqual(disabled(), ['true', 'true'])
  hand.add()
  assert.deepEqual(disabled(), ['false', 'true'])
  hand.undo()
  assert.deepEqual(disabled(), ['true', 'false'])
})

test('a group is aligned as one, and an arrow between shapes that are aligned follows them', async (t) => {
  const hand = handAt(t)
  const may = () => ['alignLeft', 'distributeVertically'].map((id) => actionsOf(hand)[id].isEnabled())
  const aligned = async (key, ...ids) => {
    hand.selection.set(ids)
    hand.key(key)
    // It was for what was selected when the key was pressed.
    hand.selection.set(ids.slice(0, 1))
    await new Promise(setImmediate)
    hand.frame()
    hand.selection.set(ids)
    return ids.map((id) => hand.box(id).slice(0, 2))
  }
  const [sun, moon, star] = [hand.add(square(300, 200, { group: 7 })), hand.add(square(500, 200, { group: 7 })), hand.add(square(200, 500))]
  hand.selection.set([sun, moon])
  assert.deepEqual(may(), [false, false])
  assert.deepEqual(await aligned('alt+a', sun, moon, star), [[200, 200], [400, 200], [200, 500]])
  assert.deepEqual(may(), [true, false], 'there are two')
  hand.groups.enter(moon)
  assert.deepEqual(await aligned('alt+a', sun, moon), [[200, 200], [200, 200]])
  const tie = (shape) => ({ shape, x: 0, y: half })
  const arrow = hand.add(line(0, 0, 10, 10, { from: tie(star), to: tie(sun) }))
  const other = hand.add(line(0, 0, 10, 10, { from: tie(moon) }))
  hand.drawing.write(star, { position: [700, 500] })
  hand.frame()
  for (let count = 0; count < 2; count += 1) assert.deepEqual((await aligned('alt+d', star, sun, arrow)).slice(0, 2), [[700, 500], [700, 200]])
  assert.deepEqual([hand.replica.shape(arrow).from.shape, hand.replica.shape(arrow).to.shape], [star, sun])
  hand.undo()
  assert.equal(hand.box(sun)[0], 200, 'what is aligned already is no step')
  hand.selection.set([star, arrow])
  assert.deepEqual(may(), [false, false])
  const [, [, y]] = await aligned('alt+w', star, other)
  assert.deepEqual([y, hand.box(star)[1], hand.replica.shape(other).from], [10, 10, null])
})

test('a key adds what the tool in hand draws, and nothing is written in ink', (t) => {
  const hand = handAt(t, { tool: 'note' })
  hand.key('Enter')
  const [note] = hand.replica.shapes()
  assert.deepEqual([hand.box(note.id).slice(2), hand.opened.map(([id]) => id)], [[200, 200], [note.id]])
  hand.tool.choose('select')
  hand.selection.set([hand.add(line(500, 500, 100, 100, { kind: 'ink' }))])
  hand.key('f2')
  assert.deepEqual([actionsOf(hand).write.isEnabled(), hand.opened.length], [false, 1])
  hand.selection.set([hand.add(line(500, 500, 100, 100))])
  hand.key('f2')
  assert.equal(hand.opened.length, 2, 'a line has a caption')
})

test('no letter, alone or on what is selected, removes anything', (t) => {
  const hand = handAt(t)
  const ids = [0, 1, 2].map((at) => hand.add(square(200 + 200 * at, 200)))
  for (const selected of [[], ids.slice(0, 1), ids.slice(0, 2)]) {
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
      hand.tool.choose('select')
      hand.selection.set(selected)
      hand.key(letter)
    }
  }
  assert.ok(ids.every((id) => hand.replica.shape(id)) && hand.said.length === 0)
})

test('what fails halfway leaves no step of undo open', async (t) => {
  for (const act of ['copy', 'key', 'drag']) {
    const hand = handAt(t, { tool: act === 'copy' ? 'select' : 'rectangle' })
    const id = hand.add(square(300, 150))
    hand.selection.set(act === 'copy' ? [id] : [])
    for (const name of ['set', 'clear']) t.mock.method(hand.selection, name, () => { throw new Error('broken') })
    const { guard } = hand.editing
    t.mock.method(hand.editing, 'guard', (run) => { try { guard.call(hand.editing, run) } catch { /* It fails as it should. */ } })
    if (act === 'copy') await assert.rejects(addConnectedCopy(hand, id), /broken/)
    else if (act === 'key') hand.key('Enter')
    else hand.lead([600, 400], [700, 500])
    await new Promise(setImmediate)
    assert.ok(hand.selection.set.mock.callCount() + hand.selection.clear.mock.callCount() > 0, act)
    const before = hand.replica.shapeCount
    for (let count = 0; count < 2; count += 1) hand.editing.edit((replica) => replica.addSquare({ x: 0, y: 0, width: 100, height: 100 }))
    hand.undo()
    assert.equal(hand.replica.shapeCount, before + 1, act)
  }
})
