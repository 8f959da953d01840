// Tests what a tab stores of its unsent edits when its person may not edit any more, and where.

import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { drawings, kept, space } from './stored.mjs'
import { Source } from '../../build/modules/basics/source.js'
import { editsOf, keep, keyOf } from '../../build/modules/storage/database.js'
import { Keeper } from '../../build/modules/storage/keeper.js'

const room = 'garden'

mock.timers.enable({ apis: ['setTimeout'] })
beforeEach(() => {
  kept.clear()
  drawings.clear()
  Object.assign(space, { isLeft: true, besides: Infinity, isBroken: false })
})

/** Lets time pass, with all that waits for promises and for the storage. */
async function pass(milliseconds) {
  for (let time = 0; time < milliseconds; time += 100) {
    mock.timers.tick(100)
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
  }
}

/** A tab with a made-up replica. What it saves are its actor and the number of its unsent edits. */
class Tab extends Source {
  actor = 1
  unsent = 0
  permission = Object.assign(new Source(), { isViewOnly: false })
  said = []
  released = []
  refusals = {}

  /** @param owner the actor in whose place its edits are */
  constructor(owner = 1) {
    super()
    const none = () => []
    const tab = this
    this.replica = {
      get actor() { return tab.actor }, get unsentCount() { return tab.unsent }, save: () => new Uint8Array([tab.actor, tab.unsent]),
      reserveStamps: () => 0, kept: none, takeShare: none, status: () => ({ state: 'live' }),
    }
    const notices = { say: (words) => this.said.push(words), withdraw() {} }
    this.keeper = new Keeper({
      room, connection: Object.assign(this, { perform() {} }), shown: new Source(), notices, permission: this.permission, refusals: this.refusals,
    }, { key: keyOf(room, owner, 0), share: 0, release: () => this.released.push(owner) })
  }

  has(unsent) {
    this.unsent = unsent
    this.tell('effect', { type: 'unsent', count: unsent })
  }

  /** The tab comes into the room, as an actor who may edit or only look on. */
  enters(actor, isViewOnly) {
    this.actor = actor
    this.permission.isViewOnly = isViewOnly
    this.permission.tell('change', null)
    for (const state of ['loading', 'live']) this.tell('effect', { type: 'state', state })
  }

  get stored() { return [...kept.values()].map(({ key, unsent }) => [key.split(' ').slice(1, 2).join(), unsent]) }
}

test('what is stored is stored before the next turn of the loop, which a page that is closed does not have', async () => {
  await keep('edits', { key: 'opens the storage' })
  let isStored = false
  const stored = keep('edits', { key: 'garden 1' }).then(() => { isStored = true })
  for (let step = 0; step < 10; step += 1) await null
  assert.deepEqual([kept.has('garden 1'), isStored], [true, false])
  await stored
})

test('unsent edits of somebody who may only look on now are stored once, also if they are another actor by then', async () => {
  const tab = new Tab()
  tab.has(3)
  await pass(100)
  tab.enters(2, true)
  await pass(1_000)
  assert.deepEqual([tab.stored, tab.released], [[['1', 3]], [1]])
  // The history was opened.
  tab.permission.tell('change', null)
  tab.has(0)
  await pass(1_000)
  assert.deepEqual([tab.stored, tab.said, tab.refusals.isKept], [[['1', 3]], [], true])
  tab.enters(2, false)
  tab.permission.tell('change', null)
  tab.has(1)
  await pass(1_000)
  assert.deepEqual([tab.stored, tab.refusals.isKept], [[['1', 3], ['2', 1]], false], 'what is refused from now on is kept nowhere')
})

test('a tab whose edits are still in a former actor’s place moves them to its own one before it leaves them', async () => {
  kept.set(keyOf(room, 2, 0), { key: keyOf(room, 2, 0), unsent: 3 })
  const tab = new Tab(2)
  tab.unsent = 3
  tab.enters(1, true)
  await pass(1_000)
  tab.has(0)
  await pass(1_000)
  assert.deepEqual([tab.stored, tab.released], [[['1', 3]], [2]])
})

test('nothing is only in this tab once everything that could not be stored is refused', async () => {
  const tab = new Tab()
  space.isLeft = false
  tab.has(3)
  await pass(100)
  assert.equal(tab.keeper.isKeeping, false)
  tab.enters(1, true)
  tab.has(0)
  await pass(1_000)
  assert.deepEqual([tab.keeper.isKeeping, tab.refusals.isKept], [true, false], 'the refusals are told')
})

test('what a former actor’s place has stays there if it can be stored in no other one before it is refused', async () => {
  const tab = new Tab()
  tab.has(3)
  await pass(100)
  space.isLeft = false
  tab.enters(2, false)
  await pass(1_000)
  assert.deepEqual(tab.released, [])
  tab.enters(2, true)
  tab.has(0)
  await pass(1_000)
  assert.deepEqual(tab.released, [1])
  space.isLeft = true
  tab.enters(2, false)
  tab.has(1)
  await pass(1_000)
  assert.deepEqual(tab.stored, [['1', 3], ['2', 1]])
})

test('where there is no space for edits, the oldest drawings of rooms that no tab has open give way', async (t) => {
  t.after(() => { delete navigator.locks })
  const tab = new Tab()
  for (const [each, at] of [['newer', 6], ['open', 1], [room, 2], ['oldest', 3], ['old', 5], ['older', 4]]) drawings.set(each, { room: each, at })
  kept.set('oldest 7', { key: 'oldest 7', room: 'oldest', unsent: 1, at: 1 })
  space.besides = 4
  tab.has(3)
  await pass(100)
  assert.deepEqual([tab.keeper.isKeeping, drawings.size], [false, 6], 'a browser without locks doesn’t tell which rooms are open')
  navigator.locks = { query: async () => ({ held: [{ name: 'canvas open 5 1' }, {}] }) }
  tab.said = []
  tab.has(4)
  await pass(200)
  assert.deepEqual([tab.keeper.isKeeping, [...drawings.keys()], tab.stored], [true, ['newer', 'open', room, 'old'], [['7', 1], ['1', 4]]])
  assert.deepEqual(tab.said, [])
  space.besides = 2
  tab.has(5)
  tab.keeper.keepNow()
  tab.has(6)
  await pass(400)
  assert.deepEqual([tab.keeper.isKeeping, [...drawings.keys()], tab.stored[1]], [true, ['open', room], ['1', 6]])
  space.besides = 1
  tab.has(7)
  await pass(200)
  assert.deepEqual([tab.keeper.isKeeping, drawings.size, tab.said.length], [false, 2, 1])
})

test('who closes the page is warned where not even old drawings can be forgotten', async (t) => {
  t.after(() => { delete navigator.locks })
  navigator.locks = { query: async () => ({ held: [] }) }
  const tab = new Tab()
  drawings.set('old', { room: 'old', at: 1 })
  space.isBroken = true
  tab.has(1)
  await pass(300)
  assert.equal(tab.keeper.isKeeping, false)
})

test('edits that are stored meanwhile are not told as lost because an older attempt has found no space', async (t) => {
  t.after(() => { delete navigator.locks })
  let answer = () => {}
  navigator.locks = { query: () => new Promise((done) => { answer = done }) }
  const tab = new Tab()
  space.isLeft = false
  tab.has(1)
  await pass(100)
  space.isLeft = true
  tab.has(2)
  await pass(100)
  answer({ held: [] })
  await pass(100)
  assert.deepEqual([tab.keeper.isKeeping, tab.stored], [true, [['1', 2]]])
})

test('what is saved when a tab is hidden gives way to what is stored later, and not to older edits, although the clock was set back', async (t) => {
  globalThis.localStorage = Object.create({
    getItem(name) { return this[name] ?? null }, setItem(name, value) { this[name] = value }, removeItem(name) { delete this[name] },
  })
  t.after(() => { delete globalThis.localStorage })
  let hide = () => {}
  t.mock.method(document, 'addEventListener', (_, run) => { hide = run })
  const now = t.mock.method(Date, 'now', () => 7_200_000).mock
  const tab = new Tab()
  document.hidden = true
  t.after(() => { delete document.hidden })
  tab.has(1)
  hide()
  await pass(100)
  now.mockImplementation(() => 3_600_000)
  tab.has(2)
  await pass(100)
  assert.deepEqual((await editsOf(room)).map(({ unsent }) => unsent), [2])
  now.mockImplementation(() => 0)
  space.isLeft = false
  tab.has(3)
  hide()
  await pass(100)
  space.isLeft = true
  assert.deepEqual((await editsOf(room)).map(({ unsent }) => unsent), [3])
})
