// Tests when somebody is told that others have removed something.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Source } from '../../build/modules/basics/source.js'
import { Removals } from '../../build/modules/others/removals.js'

class Told extends Source {
  say(name, detail) { this.tell(name, detail) }
}

test('removals are gathered until they pause, but for two seconds at most while they go on', () => {
  let now = 5_000
  let due = Infinity
  let run = null
  const real = { now: performance.now, setTimeout, clearTimeout }
  performance.now = () => now
  globalThis.setTimeout = (tell, wait) => { [run, due] = [tell, now + wait]; return 1 }
  globalThis.clearTimeout = () => { due = Infinity }
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
  Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout })
  performance.now = real.now
})
