// Tests how often a page asks for a part that must come.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'

import { LaterPart } from '../../build/modules/state/parts.js'

mock.timers.enable({ apis: ['setTimeout'] })

async function pass(seconds) {
  for (let second = 0; second < seconds; second += 1) {
    mock.timers.tick(1_000)
    // Everything that waits for a promise goes on.
    await new Promise(setImmediate)
  }
}

/** A part whose requests stay under way until the test ends one. */
function asked() {
  const requests = []
  const part = new LaterPart(() => new Promise((made, fail) => requests.push({ made, fail })), () => {})
  return { part, requests }
}

test('after failures a request that does not end is not waited for longer', async () => {
  const { part, requests } = asked()
  const needed = part.needed()
  for (let failure = 1; failure <= 20; failure += 1) {
    requests.at(-1).fail(new Error('no server'))
    await pass(6)
    assert.equal(requests.length, failure + 1)
  }
  await pass(65)
  assert.equal(requests.length, 22)
  requests.at(-1).made('part')
  assert.equal(await needed, 'part')
})

test('who needs a part shares its requests, of which few are under way, and the first that is answered counts', async () => {
  const { part, requests } = asked()
  const needed = [part.needed()]
  await pass(60)
  needed.push(part.needed(), part.needed())
  await pass(3_600)
  assert.equal(requests.length, 3)
  requests[0].made('part')
  assert.deepEqual(await Promise.all(needed), ['part', 'part', 'part'])
})
