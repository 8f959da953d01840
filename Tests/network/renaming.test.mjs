// Tests how a room is renamed: its drawing is copied, and the room is deleted if nothing has happened meanwhile.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { kept } from './stored.mjs'

globalThis.localStorage = {}
globalThis.location = { pathname: '/', search: '', hash: '' }
const { rename, roomsIfNobodyIsIn } = await import('../../build/modules/lobby/renaming.js')
const { Refused } = await import('../../build/modules/lobby/requests.js')

/** A server's rooms: how many shapes and people each has. `before` a request, something may happen. */
let rooms, before
beforeEach(() => {
  kept.clear()
  rooms = { garden: { shapes: 1, peers: 0 }, taken: { shapes: 1, peers: 0 } }
  before = () => {}
})
const cursor = (name) => `${name}.${rooms[name].shapes}`
globalThis.fetch = async (path, { method = 'GET' }) => {
  const [name, part] = path.replace(/^\/v1\/rooms\/?/, '').split('/')
  const refusal = before(`${method} ${part ?? (name && 'room')}`)
  if (refusal) return new Response(JSON.stringify({ error: { message: refusal } }), { status: 403 })
  if (method === 'DELETE') delete rooms[name]
  if (part === 'layout') rooms[name] = { shapes: 1, peers: 0 }
  if (part === 'lock') rooms[name].locked = true
  if (part === 'peers') return Response.json({ locked: rooms[name].locked ?? false })
  return Response.json(method === 'DELETE' ? {} : name ? { cursor: cursor(name), shapes: Array(rooms[name].shapes).fill({}) }
    : { rooms: Object.entries(rooms).map(([room, { peers }]) => ({ room, peers, cursor: cursor(room) })) })
}

test('a room has its new name, unless somebody comes or draws meanwhile, or the server does not delete it', async () => {
  for (const [when, change, words] of [
    ['', () => {}, 'garden is now called shed.'],
    ['POST layout', () => { rooms.garden.shapes = 2 }, 'Somebody drew in garden meanwhile, so it stays. shed is a copy from before that.'],
    ['GET ', () => { rooms.garden.shapes = 2 }, 'Somebody drew in garden meanwhile, so it stays. shed is a copy from before that.'],
    ['GET ', () => { rooms.garden.peers = 1 }, 'Somebody came to garden meanwhile, so it stays. shed is a copy.'],
    ['GET ', () => { rooms.shed.shapes = 2 }, 'Somebody drew in shed meanwhile, so garden stays.'],
    ['DELETE room', () => 'only operators delete', 'shed is a copy, and garden stays too: only operators delete'],
    ['GET peers', () => 'only operators look', 'shed is a copy, and garden stays too: only operators look'],
  ]) {
    rooms = { garden: { shapes: 1, peers: 0 } }
    let hasBegun = false
    before = (request) => {
      // The rooms are listed at the beginning, too.
      if (request === 'POST layout') hasBegun = true
      return request === when && hasBegun ? change() : undefined
    }
    assert.equal(await rename('garden', 'shed'), words)
    assert.deepEqual(Object.keys(rooms), when ? ['garden', 'shed'] : ['shed'], words)
  }
})

test('a room is not renamed to one that is there, while somebody is in it, or with changes that were not sent', async () => {
  const refused = (words) => (error) => error instanceof Refused && error.message === words
  assert.equal(await rename('garden', 'garden'), 'garden keeps its name.')
  await assert.rejects(rename('garden', 'taken'), refused('There is a room taken already'))
  kept.set('1', { room: 'garden', at: 1, unsent: 2 })
  await assert.rejects(rename('garden', 'shed'), refused('This browser has changes of garden that aren’t sent yet. Open it first'))
  rooms.garden.peers = 1
  for (const attempt of [roomsIfNobodyIsIn('garden'), rename('garden', 'shed')]) {
    await assert.rejects(attempt, refused('Somebody is in garden now. Rename it once they have left'))
  }
  assert.deepEqual(Object.keys(rooms), ['garden', 'taken'])
})

test('a locked room is locked under its new name before the old one is deleted, or stays', async () => {
  rooms.garden.locked = true
  before = (request) => (request === 'PUT lock' ? 'not now' : undefined)
  assert.equal(await rename('garden', 'barn'), 'barn is a copy, and garden stays too: not now')
  before = () => {}
  assert.equal(await rename('garden', 'shed'), 'garden is now called shed.')
  assert.deepEqual(Object.entries(rooms).map(([name, { locked }]) => [name, locked]), [['taken', undefined], ['barn', undefined], ['shed', true]])
})
