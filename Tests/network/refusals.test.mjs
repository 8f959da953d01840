// Tests what a person is told of changes that the server has refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Source } from '../../build/modules/basics/source.js'
import { say } from '../../build/modules/state/refusal-notices.js'
import { Refusals } from '../../build/modules/state/refusals.js'

test('each reason is told once, an undo and a redo apart, and what was written is given back', () => {
  const told = []
  const groups = new Set()
  const notices = {
    say: (words, { group, action = null }) => {
      told.push([words, action])
      groups.add(group)
    },
    copying: (text) => text,
  }
  const refused = (code, rest = {}) => ({ type: 'rejected', shape: 1, code, message: 'said by the server', set: { alpha: 3 }, ...rest })
  say(notices, [
    refused('room_full'), refused('too_old'), refused('room_full'), refused('unheard_of'),
    refused('room_full', { origin: 'undo' }), refused('too_old', { origin: 'redo', set: { text: 'not lost' } }),
    refused('read_only', { set: { text: 'Milk' } }), refused('read_only', { set: { text: ' ' } }), refused('read_only', { set: { text: 'Eggs' } }),
  ])
  assert.deepEqual(told, [
    ['2 changes were taken back: the room is full.', null],
    ['1 change was taken back: too much time has passed since.', null],
    ['1 change was taken back: said by the server.', null],
    ['The undo was not taken: the room is full. You can try it again.', null],
    ['The redo was not taken: too much time has passed since. You can try it again.', null],
    ['3 changes were taken back: you can only look on now. You wrote: “Milk\nEggs”', 'Milk\nEggs'],
  ])
  assert.equal(groups.size, told.length, 'none takes the place of another')
})

test('what the browser keeps for somebody who may edit is not told as taken back', () => {
  const told = []
  say({ say: (words) => told.push(words), copying() {} }, ['read_only', 'room_full'].map((code) => ({ type: 'rejected', shape: 1, code, set: { text: 'Milk' } })), true)
  assert.deepEqual(told.map((words) => words.slice(0, 30)), ['This browser keeps your change', '1 change was taken back: the r'])
})

test('what is refused within a moment is told at once, also by a page that ends before, or without its words', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const page = {}
  globalThis.addEventListener = (type, run) => { page[type] = run }
  const told = []
  const words = { say: (_notices, refused) => told.push(refused.length) }
  const part = { needed: async () => words, prepare: async () => words }
  const connection = new Source()
  const refusals = new Refusals(connection, { say: (said) => told.push(said) }, part)
  const refuse = (text) => connection.tell('effect', { type: 'rejected', shape: 1, code: 'read_only', set: { text } })
  refusals.on('full', () => told.push('full'))
  connection.tell('effect', { type: 'rejected', shape: 1, code: 'room_full', set: {} })
  assert.deepEqual(told.splice(0), ['full'])
  refuse('Milk')
  refuse(undefined)
  page.pagehide()
  assert.deepEqual(told.splice(0), ['The server didn’t take some of your changes. You wrote: “Milk”'])
  refuse('Eggs')
  t.mock.timers.tick(299)
  refuse('Ham')
  await new Promise(setImmediate)
  assert.deepEqual(told, [])
  t.mock.timers.tick(1)
  await new Promise(setImmediate)
  assert.deepEqual(told.splice(0), [2])
  refuse('Salt')
  t.mock.timers.tick(300)
  await new Promise(setImmediate)
  assert.deepEqual(told.splice(0), [1])
  refuse('Tea')
  page.pagehide()
  assert.deepEqual(told, [1])
})
