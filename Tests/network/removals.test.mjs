// Tests when somebody is told that others have removed something.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'

import { Source } from '../../build/modules/basics/source.js'
import { Removals } from '../../build/modules/others/removals.js'
import { Drawing } from '../gestures/drawing.mjs'

class Told extends Source {
  say(name, detail) { this.tell(name, detail) }
}

test('removals are gathered until they pause, but for two seconds at most while they go on', (t) => {
  let now = 5_000
  let due = Infinity
  let run = null
  t.mock.method(performance, 'now', () => now)
  t.mock.method(globalThis, 'setTimeout', (tell, wait) => { [run, due] = [tell, now + wait]; return 1 })
  t.mock.method(globalThis, 'clearTimeout', () => { due = Infinity })
  const [connection, shown, presence] = [new Told(), new Told(), new Told()]
  shown.live = { actor: 1, written: () => ({ actor: 2, milliseconds: 0 }), serverMilliseconds: 0 }
  const said = []
  new Removals({
    connection, shown, presence: Object.assign(presence, { people: () => [] }), editing: {}, permission: { isViewOnly: false },
    notices: { say: (words) => said.push([words, now]), withdraw() {} }, names: { of: () => 'Bob' },
    hand: { deedTo: () => null, nameOf: () => '' },
  }, { prepare() {} })
  const change = (...shapes) => shown.say('changes', { reset: false, shapes })
  const remove = (id) => change({ id, shape: null, by: 2, departure: null })
  const pass = (milliseconds) => {
    const end = now + milliseconds
    if (due <= end) {
      [now, due] = [due, Infinity]
      run()
    }
    now = end
  }
  const ids = Array.from({ length: 20 }, (_, at) => at + 1)
  connection.say('effect', { type: 'state', state: 'live' })
  change(...ids.map((id) => ({ id, shape: { id }, by: 2 })))
  for (const id of ids.slice(0, 10)) {
    remove(id)
    pass(200)
  }
  assert.deepEqual(said, [['Bob removed 10 shapes.', 7_000]])
  for (const id of ids.slice(10, 15)) remove(id)
  pass(399)
  assert.equal(said.length, 1)
  pass(1)
  assert.deepEqual(said[1], ['Bob removed 5 shapes.', 7_400])
})

test('the offer to take a restoration back stays when something else comes back', () => {
  const drawing = new Drawing()
  const mine = drawing.add()
  const connection = new Told()
  const said = []
  const ben = { actor: 7 }
  const presence = Object.assign(new Told(), { people: () => [ben] })
  const removals = {
    connection, shown: drawing, presence, editing: {}, permission: { isViewOnly: false }, names: { of: () => 'Ben' }, hand: { deedTo: () => null, nameOf: () => '' },
    notices: { say: (words, { group }) => said.push([group, words.split(' as of ')[0]]), withdraw: (group) => said.push([group, 'withdrawn']) },
  }
  mock.timers.enable({ apis: ['setTimeout'] })
  new Removals(removals, { prepare() {} })
  connection.say('effect', { type: 'state', state: 'live' })
  drawing.frame()
  drawing.replica.delete([mine])
  drawing.frame()
  const now = Date.now()
  ben.restored = { asOf: 0, from: now - 500, until: now - 100 }
  presence.say('change')
  mock.timers.tick(2_000)
  assert.deepEqual(said.at(-1), ['removed', 'Ben restored the drawing'])
  const before = said.length
  drawing.replica.undo()
  drawing.frame()
  assert.equal(drawing.replica.shapeCount, 1)
  assert.deepEqual(said.slice(before), [])
  mock.timers.reset()
})
