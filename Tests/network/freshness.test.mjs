// Tests whether a page notices that the server has a newer version.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeElements } from '../gestures/elements.mjs'
import { watchFreshness } from '../../build/modules/bars/newer-page.js'
import { Source } from '../../build/modules/basics/source.js'
import { Freshness, keepPage, NewerPage } from '../../build/modules/network/freshness.js'

makeElements()
// Node 20 has no navigator.
Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true })

const listing = (version) => new Response(JSON.stringify({ version }))

/** What a first visit loads at once. */
const files = [new URL('../../build/modules/network/freshness.js', import.meta.url).href, '/room/room.css', '/core.wasm']

/**
 * A server that doesn't answer the first requests for the page's own version. What the browser has loaded is of its first
 * version.
 *
 * @param own answers the other ones
 */
function failing(failures, own = (server) => listing(server.version)) {
  const server = { version: 'one', asked: 0, unchanged: [] }
  globalThis.fetch = async (path, { cache }) => {
    if (path === '/page.json') return listing(server.version)
    if (path === '/page.json?own') {
      if ((server.asked += 1) <= failures) throw new TypeError('no network')
      return own(server)
    }
    assert.ok(files.includes(path), path)
    if (cache === 'force-cache' && server.isForgotten) throw new TypeError('no network')
    const isOld = cache === 'force-cache' || server.unchanged.includes(path)
    return new Response('', { headers: { ETag: isOld ? 'one' : server.version } })
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

test('a version that comes late, over a thin line, is known from then on', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let answer
  const server = failing(0, () => new Promise((done) => { answer = done }))
  const freshness = new Freshness()
  const looked = freshness.look()
  await pass(t.mock.timers, 60)
  assert.equal(await looked, false)
  answer(listing('one'))
  assert.equal(await freshness.look(), false)
  server.version = 'two'
  assert.equal(await freshness.look(), true)
})

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

for (const [what, isForgotten] of [['that is still the same', false], ['that can’t be compared, because the browser has dropped the script,', true]]) {
  test(`a page whose first requests fail takes the version of a server ${what} for its own`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const server = Object.assign(failing(1), { isForgotten })
    const freshness = new Freshness()
    await pass(t.mock.timers, 1)
    freshness.connectionLost()
    const looked = freshness.look()
    await pass(t.mock.timers, 3)
    assert.equal(await looked, false, 'it is not known yet')
    await pass(t.mock.timers, 60)
    assert.equal(await freshness.look(), false)
    server.version = 'two'
    assert.equal(await freshness.look(), true)
  })
}

for (const changed of files) {
  test(`a page that knew its version not before the connection was lost takes no part as its own if ${
    changed.split('/').at(-1)} is another one by then`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const server = failing(1)
    const freshness = new Freshness()
    let told = 0
    freshness.on('newer', () => { told += 1 })
    await pass(t.mock.timers, 1)
    freshness.connectionLost()
    Object.assign(server, { version: 'two', unchanged: files.filter((path) => path !== changed) })
    await pass(t.mock.timers, 60)
    await assert.rejects(freshness.expectSame(), NewerPage)
    assert.equal(told, 1)
  })
}

/** A room's connection, as far as a page's freshness is concerned. */
class Line extends Source {
  replica = { status: () => ({ state: 'live' }) }
  becomes(...states) { for (const state of states) this.tell('effect', { type: 'state', state }) }
}

for (const [from, isKept, expected] of [['the server', false, ['newer']], ['stored files', true, []]]) {
  test(`a page from ${from} that was never in the room does not take another server's version for its own`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    let answer
    const server = failing(0, () => new Promise((done) => { answer = done }))
    const [line, freshness, told] = [new Line(), new Freshness(), []]
    watchFreshness({ connection: line, freshness, keeper: null, states: { banner: (kind) => told.push(kind) } })
    line.becomes('connecting', 'waiting')
    server.version = 'two'
    line.becomes('connecting', 'live')
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

test('the banner of a newer page says what would be lost, also if the browser stops keeping it meanwhile', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const [freshness, keeper, told] = [new Source(), Object.assign(new Source(), { isKeeping: true }), []]
  watchFreshness({ connection: new Line(), freshness, keeper, states: { banner: (_, { words }) => told.push(words) } })
  freshness.tell('newer', null)
  for (const [isKeeping, end] of [[true, 'Everything you drew is kept.'], [false, 'Don’t reload it until everything is saved.']]) {
    keeper.isKeeping = isKeeping
    keeper.tell('change', null)
    assert.equal(told[0].words, `There’s a newer version of this page. ${end}`)
  }
})

test('the worker that a browser has is told to take in the server’s page, each time', async () => {
  const told = []
  navigator.serviceWorker = { register: async (path) => told.push(path) && { active: { postMessage: (words) => told.push(words) } } }
  await keepPage()
  await keepPage()
  assert.deepEqual(told, ['/worker.js', 'refresh', 'refresh'])
})
