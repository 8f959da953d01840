// Tests whether a page notices that the server has a newer version.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Freshness } from '../../build/modules/network/freshness.js'

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
