// Tests what a person is told of changes that the server has refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { say } from '../../build/modules/state/refusal-notices.js'

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
