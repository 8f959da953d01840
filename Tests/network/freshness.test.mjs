// Tests whether a page notices that the server has a newer version.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Freshness, NewerPage } from '../../build/modules/network/freshness.js'

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
