// Tests whether a page notices that the server has a newer version.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchFreshness } from '../../build/modules/bars/newer-page.js'
import { Source } from '../../build/modules/basics/source.js'
import { Freshness, NewerPage } from '../../build/modules/network/freshness.js'

// Node 20 has no navigator.
Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true })

const listing = (version) => new Response(JSON.stringify({ version }))

test('a version that comes late, over a thin line, is known from then on', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let answer
  globalThis.fetch = (path) => path.endsWith('?own') ? new Promise((done) => { answer = done }) : Promise.resolve(listing('two'))
  const freshness = new Freshness()
  const looked = freshness.look()
  t.mock.timers.tick(60_000)
  assert.equal(await looked, false)
  answer(listing('one'))
  assert.equal(await freshness.look(), true)
})

/** A server that doesn't answer the first requests for the page's own version. */
function failing(failures) {
  const server = { version: 'one', asked: 0 }
  globalThis.fetch = async (path) => {
    if (path.endsWith('?own') && (server.asked += 1) <= failures) throw new TypeError('no network')
    return listing(server.version)
  }
  return server
}

/** Lets time pass, with all that waits for promises. */
async function pass(timers, seconds) {
  for (let second = 0; second < seconds; second += 1) {
    await new Promise(setImmediate)
    timers.tick(1_000)
  }
  await new Promise(setImmediate)
}

test('the own version is asked for again after a failure, so a newer server is noticed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const server = failing(3)
  const freshness = new Freshness()
  await pass(t.mock.timers, 60)
  assert.equal(server.asked, 4, 'until the first answer')
  freshness.connectionLost()
  assert.equal(await freshness.look(), false)
  server.version = 'two'
  assert.equal(await freshness.look(), true)
})

test('a page that knew its version not before the connection was lost takes no part as its own', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const server = failing(1)
  const freshness = new Freshness()
  let told = 0
  freshness.on('newer', () => { told += 1 })
  await pass(t.mock.timers, 1)
  freshness.connectionLost()
  server.version = 'two'
  await pass(t.mock.timers, 60)
  assert.equal(server.asked, 1, 'the new server is not asked for the version of a page of the old one')
  await assert.rejects(freshness.expectSame(), NewerPage)
  assert.equal(told, 1)
})

/** A room's connection, as far as a page's freshness is concerned. */
class Line extends Source {
  replica = { status: () => ({ state: 'live' }) }
  becomes(...states) { for (const state of states) this.tell('effect', { type: 'state', state }) }
}

for (const [from, isKept, expected] of [['the server', false, ['newer']], ['stored files', true, []]]) {
  test(`a page from ${from} that was never in the room does not take another server's version for its own`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    let answer
    globalThis.fetch = (path) => path.endsWith('?own') ? new Promise((done) => { answer = done }) : Promise.resolve(listing('two'))
    const [line, freshness, told] = [new Line(), new Freshness(), []]
    watchFreshness({ connection: line, freshness, keeper: null, states: { banner: (kind) => told.push(kind) } })
    line.becomes('connecting', 'waiting', 'connecting', 'live')
    const own = listing('two')
    if (isKept) own.headers.set('kept', 'own')
    answer(own)
    await pass(t.mock.timers, 1)
    assert.deepEqual(told, expected)
  })
}

test('a page that leaves the room and comes back by itself has not lost the server', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  failing(Infinity)
  const [line, freshness] = [new Line(), new Freshness()]
  watchFreshness({ connection: line, freshness, keeper: null, states: {} })
  line.becomes('connecting', 'live', 'offline', 'connecting', 'live')
  await pass(t.mock.timers, 1)
  assert.equal(freshness.wasLost, false)
})
