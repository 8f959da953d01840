// Tests when somebody is told that others have removed something.

import assert from 'node:assert/strict'
import { test } from 'node:test'

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

test('the offer to take a restoration back stays when something else comes back', (t) => {
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
  t.mock.timers.enable({ apis: ['setTimeout'] })
  new Removals(removals, { prepare() {} })
  connection.say('effect', { type: 'state', state: 'live' })
  drawing.frame()
  drawing.replica.delete([mine])
  drawing.frame()
  const now = Date.now()
  ben.restored = { asOf: 0, from: now - 500, until: now - 100 }
  presence.say('change')
  t.mock.timers.tick(2_000)
  assert.deepEqual(said.at(-1), ['removed', 'Ben restored the drawing'])
  const before = said.length
  drawing.replica.undo()
  drawing.frame()
  assert.equal(drawing.replica.shapeCount, 1)
  assert.deepEqual(said.slice(before), [])
})

/** A person in a room of shapes, from which Bob (2) removes some. What they hold has a name. */
function entered(t, { names = {}, deeds = {}, isViewOnly = false, shapes = 3, isLive = true } = {}) {
  let now = 5_000
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(performance, 'now', () => now)
  const [connection, shown, presence] = [new Told(), new Told(), Object.assign(new Told(), { people: () => [] })]
  const [said, withdrawn, broughtBack] = [[], [], []]
  const erasers = new Map()
  shown.live = {
    actor: 1, serverMilliseconds: 1_000,
    written: (id, property) => (property === 'deleted' ? { actor: erasers.get(id) ?? 2, milliseconds: 900 } : { actor: 2, milliseconds: 950 }),
  }
  const part = {
    async bringBack(parts) {
      broughtBack.push(parts.map((lost) => lost.map(({ id }) => id)))
      return parts.flat().map(({ id }) => id)
    },
    async takeBack(...how) {
      broughtBack.push(how)
      return [1, 2]
    },
  }
  new Removals({
    connection, shown, presence, editing: { refuses: () => false }, permission: { isViewOnly }, names: { of: () => 'Bob' },
    notices: { say: (words, { action }) => said.push([words, action]), withdraw: (group) => withdrawn.push(group) },
    hand: { deedTo: (id) => deeds[id] ?? null, nameOf: (id) => names[id] ?? '' },
  }, { prepare() {}, get: async () => part })
  const change = (...all) => shown.say('changes', { reset: false, shapes: all })
  const pass = (milliseconds) => {
    now += milliseconds
    t.mock.timers.tick(milliseconds)
  }
  const add = (...ids) => change(...ids.map((id) => ({ id, shape: { id }, by: 2 })))
  if (isLive) connection.say('effect', { type: 'state', state: 'live' })
  add(...Array.from({ length: shapes }, (_, at) => at + 1))
  return {
    shown, presence, said, withdrawn, broughtBack, erasers, pass, add,
    hear: (effect) => connection.say('effect', effect),
    /** Takes the newest offer. */
    async accept() {
      said.at(-1)[1].run()
      await new Promise(setImmediate)
    },
    remove(ids, { by = 2, departure = null } = {}) {
      for (const id of ids) erasers.set(id, by)
      change(...ids.map((id) => ({ id, shape: null, by, departure })))
      pass(400)
    },
    told: () => said.map(([words]) => words),
  }
}

test('who empties the canvas is told, also to who was away, and not to who comes later or has done it', async (t) => {
  const { said, remove, add, told, shown, withdrawn, broughtBack, pass } = entered(t)
  remove([1, 2, 3])
  add(1)
  assert.deepEqual([told(), withdrawn], [['Bob cleared the canvas.'], []], 'the offer outlasts one shape that is back')
  add(4, 5)
  pass(1_000)
  remove([1, 4, 5], { departure: {} })
  assert.equal(told().at(-1), 'Bob dropped everything into the black hole.')
  said.at(-1)[1].run()
  await new Promise(setImmediate)
  assert.deepEqual(broughtBack, [[[1, 2, 3], [1, 4, 5]]], 'what went before is offered too')
  add(1, 2, 3, 4, 5)
  assert.deepEqual([withdrawn, told().at(-1)], [['removed'], 'Bob brought back 5 shapes.'])
  remove([5], { by: 1 })
  shown.say('changes', { reset: true, shapes: [] })
  pass(400)
  assert.equal(told().at(-1), 'Bob cleared the canvas.')
  said.at(-1)[1].run()
  await new Promise(setImmediate)
  assert.deepEqual(broughtBack.at(-1), [[1, 2, 3, 4]], 'what one deletes oneself stays gone')
  t.mock.timers.reset()
  const late = entered(t, { isLive: false })
  late.remove([1, 2, 3])
  assert.deepEqual(late.told(), [])
  t.mock.timers.reset()
  const own = entered(t)
  own.remove([1, 2, 3], { by: 1 })
  assert.deepEqual(own.told(), [])
  t.mock.timers.reset()
  const viewer = entered(t, { isViewOnly: true })
  viewer.remove([1, 2, 3])
  assert.deepEqual(viewer.said, [['Bob cleared the canvas.', undefined]])
})

test('what goes from the hand, or from a line in it, is told by its name, and nothing else that goes', async (t) => {
  const { said, remove, told, broughtBack } = entered(t, {
    shapes: 20, names: { 1: 'Sun', 2: '“Moon”' }, deeds: { 1: 'held', 2: 'tied a line to', 3: 'held', 4: 'held' },
  })
  remove([9, 1])
  remove([2])
  remove([3, 4])
  remove([10])
  assert.deepEqual(told(), ['Bob deleted Sun while you held it.', 'Bob deleted “Moon” while you tied a line to it.', 'Bob deleted 2 shapes while you held them.'])
  said[0][1].run()
  await new Promise(setImmediate)
  assert.deepEqual(broughtBack, [[[1]]])
})

test('a restoration is told once, and what went with it is no removal', async (t) => {
  const { said, remove, told, presence, broughtBack, pass } = entered(t)
  const restored = { asOf: Date.now(), from: 800, until: 960 }
  presence.people = () => [{ actor: 2, restored }]
  for (let count = 0; count < 2; count += 1) presence.say('change', null)
  remove([1, 2, 3])
  pass(1_000)
  presence.say('change', null)
  assert.ok(told().length === 1 && /^Bob restored the drawing as of today, /.test(told()[0]), `${told()}`)
  said[0][1].run()
  await new Promise(setImmediate)
  assert.deepEqual([broughtBack[0][0], broughtBack[0][1].until], [2, 960])
})

test('what the server refuses to bring back is offered again, once, unless something newer is offered', async (t) => {
  const { said, told, remove, add, accept, hear, broughtBack, withdrawn } = entered(t)
  remove([1, 2, 3])
  await accept()
  add(1, 2)
  add(3)
  assert.deepEqual(withdrawn, ['removed'])
  for (const shape of [1, 2]) hear({ type: 'rejected', shape })
  remove([1, 2, 3], { by: -1 })
  assert.deepEqual(told(), ['Bob cleared the canvas.', 'Bob cleared the canvas.'])
  await accept()
  assert.deepEqual(broughtBack, [[[1, 2, 3]], [[1, 2, 3]]])
  hear({ type: 'rejected', shape: 9 })
  hear({ type: 'unsent', count: 0 })
  hear({ type: 'rejected', shape: 1 })
  assert.equal(said.length, 2, 'it was taken, and a later change of the same shape is something else')
  add(1, 2)
  add(3)
  remove([1, 2, 3])
  await accept()
  add(4, 5, 6)
  remove([4, 5, 6], { by: 4 })
  const offered = said.length
  hear({ type: 'rejected', shape: 1 })
  assert.equal(said.length, offered, 'a newer offer stays')
})

test('what the server refuses of taking a restoration back is offered again', async (t) => {
  const { told, remove, presence, accept, hear } = entered(t)
  presence.people = () => [{ actor: 2, restored: { asOf: Date.now(), from: 800, until: 960 } }]
  presence.say('change', null)
  remove([1, 2, 3])
  await accept()
  hear({ type: 'rejected', shape: 2 })
  assert.equal(told().length, 2)
  assert.equal(told()[0], told()[1])
})
