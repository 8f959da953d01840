// Tests what a screen reader reads out: when, and how much at once. What is said of a shape is in words.test.mjs.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeElements } from './elements.mjs'
import { handAt } from './hand.mjs'
import { Announcer } from '../../build/modules/hear/announcer.js'

/** Somebody who hears what is done by a hand and keys, and what Ben does. */
function listening(t, othersRead = { isOn: true }) {
  const hand = handAt(t)
  const body = makeElements()
  const stars = [0, 1, 2].map((at) => hand.add({ kind: 'star', name: `Star ${at}`, position: [200 + 200 * at, 200], size: [100, 100] }))
  new Announcer({ ...hand, names: { of: () => 'Ben' }, othersRead })
  const log = body.children[0]
  const hears = (...words) => assert.deepEqual(log.children.map((each) => each.words).slice(-words.length), words)
  /** What the page learns of what somebody else has done. */
  const byBen = (change) => {
    change(hand.drawing)
    const changes = hand.replica.changes()
    hand.drawing.tell('changes', { ...changes, shapes: changes.shapes.map((each) => ({ ...each, by: 77 })) })
  }
  // No frame comes while nothing changes.
  return { hand, stars, log, hears, byBen, pass: (milliseconds) => t.mock.timers.tick(milliseconds) }
}

test('what one does within a moment is one sentence, however many keys it took, and at most five stay', async (t) => {
  const { hand, stars, log, hears, pass } = listening(t)
  for (const [keys, words] of [
    [['ctrl+a'], '3 shapes selected.'], [Array(3).fill('shift+arrowright'), '3 shapes moved.'], [['ctrl+z'], 'Undid: 3 shapes moved.'],
    [['ctrl+shift+z'], 'Redid: 3 shapes moved.'], [['ctrl+d'], '3 stars added.'], [['delete'], '3 shapes deleted.'], [['ctrl+z'], 'Undid: 3 stars added.'],
  ]) {
    const before = log.children.at(-1)
    for (const key of keys) hand.key(key)
    await new Promise(setImmediate)
    hand.frame()
    pass(400)
    hears(words)
    assert.notEqual(log.children.at(-1), before)
    assert.ok(log.children.length < 2 || log.children.at(-2) === before, `${keys} is one sentence`)
  }
  hand.selection.set([stars[1]])
  pass(400)
  hears('Star “Star 1” selected.')
  hand.key('arrowright')
  hand.key('arrowup')
  pass(400)
  hears('Star “Star 1” moved, 1 to the right, 1 up.')
  hand.key('delete')
  pass(400)
  hears('Star “Star 1” deleted.')
  assert.equal(log.children.length, 5)
})

test('what others do within five seconds is one sentence, unless it is not to be read', (t) => {
  const othersRead = { isOn: true }
  const { hand, log, hears, byBen, pass } = listening(t, othersRead)
  let one
  byBen((drawing) => {
    one = drawing.add({ fill: '#FFE27A', text: 'One' })
    drawing.add({ fill: '#FFE27A', text: 'Two' })
  })
  byBen((drawing) => drawing.write(one, { position: [300, 40] }))
  pass(4_999)
  assert.deepEqual(log.children, [])
  pass(1)
  hears('Ben added 2 notes.')
  byBen((drawing) => drawing.write(one, { position: [500, 40] }))
  pass(5_000)
  hears('Ben added 2 notes.', 'Ben moved 1 shape.')
  othersRead.isOn = false
  byBen(() => hand.replica.delete([one]))
  pass(5_000)
  assert.equal(log.children.length, 2)
})
