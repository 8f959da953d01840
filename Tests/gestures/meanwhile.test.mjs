// Tests what becomes of a gesture if others delete or lock meanwhile what it changes.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import { abandonNew } from '../../build/modules/arrange/held.js'
import { Scaling, Turning } from '../../build/modules/arrange/reshaping.js'
import { Leading, Lining } from '../../build/modules/connect/leading.js'
import { Making } from '../../build/modules/draw/making.js'
import { Drawing, editingOf } from './drawing.mjs'
import { handAt } from './hand.mjs'

let drawing
let replica
let reach
let steps
beforeEach(() => {
  drawing = new Drawing()
  replica = drawing.replica
  steps = []
  // What others have written stays when a step is abandoned, so here all stays.
  const openStep = () => ({ end: () => steps.push('end'), abandon: () => steps.push('abandon') })
  reach = {
    shown: drawing, editing: { ...editingOf(drawing), openStep }, selection: { clear() {}, set() {} }, overlay: { setGuides() {} }, scene: { order: [] },
    view: { scale: 1, toCanvas: ({ x, y }) => ({ x, y }), visibleBox: () => ({ x: 0, y: 0, width: 2_000, height: 2_000 }) },
  }
})
/** A drag by a mouse from the point 1000, 1000. */
const dragTo = (x, y, target, more = {}) => ({ x, y, dx: x - 1_000, dy: y - 1_000, start: { x: 1_000, y: 1_000 }, target, pointer: 'mouse', ...more })
const boxOf = (id) => { const { x, y, width, height } = replica.shape(id); return [x, y, width, height] }

test('shapes that are scaled together go on as they did if others delete or lock all but one of them', () => {
  for (const [side, expected] of [[{ across: 1, down: 1 }, [0, 0, 150, 150]], [{ across: 1, down: 0 }, [0, 0, 150, 100]]]) {
    for (const change of [(id) => replica.delete([id]), (id) => drawing.write(id, { locked: true })]) {
      const [stays, goes] = [drawing.add(), drawing.add({ position: [900, 900] })]
      const target = { side }
      const act = new Scaling(reach, dragTo(1_000, 1_000, target), [stays, goes])
      act.move(dragTo(1_500, 1_500, target))
      assert.deepEqual(boxOf(stays), expected)
      change(goes)
      act.follow(drawing.frame())
      act.move(dragTo(1_501, 1_501, target))
      const [, , width] = boxOf(stays)
      assert.ok(Math.abs(width - 150) < 0.2, `it jumped to a width of ${width}`)
      act.end(dragTo(1_600, 1_600, target))
      assert.equal(boxOf(stays)[2], 160)
    }
  }
})

test('Escape takes back what is being drawn, also if somebody has locked it, and so does the end of a line that is too short', () => {
  const empty = { kind: 'empty' }
  const form = (kind) => (gesture) => new Making({
    ...reach, tool: { choose() {} }, paint: {}, writing: { takeBack: (shapes, step) => abandonNew(reach, step, shapes), open() {} },
  }, { kind, look: () => ({}), isWritten: kind === 'text' }, gesture)
  const line = (gesture) => new Lining(reach, gesture, {})
  for (const [what, begin, end, x] of [
    ['a rectangle', form('rectangle'), 'cancel', 1_200], ['a text', form('text'), 'cancel', 1_200], ['a line', line, 'cancel', 1_200], ['a short line', line, 'end', 1_003],
  ]) {
    const act = begin(dragTo(x, 1_000, empty))
    const [id] = act.inHand.held
    act.move(dragTo(x, 1_000, empty))
    drawing.write(id, { locked: true })
    act.follow(drawing.frame())
    assert.deepEqual(act.inHand.held, [], what)
    act[end](dragTo(x, 1_000, empty, { reason: 'escape' }))
    assert.equal(replica.shapeCount, 0, `${what} stays`)
    assert.deepEqual(steps.splice(0), ['abandon'], what)
  }
})

test('a shape that is locked or deleted between the press on a handle and the first movement is not changed', () => {
  const path = [[0, 0], [65_535, 0], [65_535, 65_535]]
  for (const change of [(id) => drawing.write(id, { locked: true }), (id) => replica.delete([id])]) {
    for (const [Act, target] of [[Scaling, { side: { across: 1, down: 1 } }], [Turning, {}]]) {
      const [stays, goes] = [drawing.add({ position: [900, 900] }), drawing.add()]
      drawing.frame()
      change(goes)
      const before = replica.shape(goes)
      const act = new Act(reach, dragTo(1_000, 1_000, target), [stays, goes])
      act.move(dragTo(1_100, 1_150, target))
      act.end(dragTo(1_100, 1_150, target))
      assert.deepEqual(replica.shape(goes), before, Act.name)
      const { width, rotation } = replica.shape(stays)
      assert.notDeepEqual([width, rotation], [100, 0], `${Act.name} of the other one`)
    }
    for (const [handle, index] of [['point', 0], ['point', 2], ['bend', 1]]) {
      const line = drawing.add({ kind: 'line', path })
      drawing.frame()
      change(line)
      const before = replica.shape(line)
      const target = { handle, index }
      const act = new Leading(reach, dragTo(1_000, 1_000, target), line)
      assert.deepEqual(act.inHand.held, [])
      for (const shift of [false, true]) act.move(dragTo(1_100, 1_150, target, { shift }))
      act.end(dragTo(1_100, 1_150, target, { shift: true }))
      assert.deepEqual(replica.shape(line), before, handle)
    }
  }
  assert.ok(steps.every((each) => each === 'end'))
})

test('a triple tap on a shape that others delete or lock before the finger is lifted removes nothing, and offers no undo', (t) => {
  for (const [change, left, expected] of [
    [({ replica }, id) => replica.delete([id]), 0, []], [({ drawing }, id) => drawing.write(id, { locked: true }), 1, []], [() => {}, 0, ['Plan removed.']],
  ]) {
    for (const group of [null, 7]) {
      const hand = handAt(t, { pointer: 'touch' })
      const id = hand.add({ name: 'Plan', group })
      if (group) for (const locked of [false, true]) hand.add({ position: [900, 900], group, locked })
      for (let tap = 0; tap < 2; tap += 1) {
        hand.down([50, 50])
        hand.up([50, 50])
      }
      hand.down([50, 50])
      change(hand, id)
      hand.frame()
      hand.up([50, 50])
      const isRemoved = expected.length > 0
      assert.equal(hand.said.length, expected.length)
      if (!group) assert.deepEqual(hand.said.map(([words]) => words), expected)
      assert.equal(hand.replica.shapeCount, group ? left + (isRemoved ? 1 : 2) : left, 'of a group, what is locked stays, and all if the shape itself is')
      hand.tools.cancel('interrupted')
    }
  }
})
