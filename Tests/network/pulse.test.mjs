// Tests what somebody is told of the line to the server: whether all is saved, and how long the way is. What is slow, the
// core decides.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeElements } from '../gestures/elements.mjs'
import { Status } from '../../build/modules/bars/status.js'
import { Source } from '../../build/modules/basics/source.js'
import { Pulse } from '../../build/modules/network/pulse.js'

function line() {
  makeElements()
  Object.assign(document, { visibilityState: 'hidden', addEventListener() {} })
  const page = {}
  globalThis.addEventListener = (type, run) => { page[type] = run }
  Object.defineProperty(globalThis, 'navigator', { value: { onLine: true }, configurable: true })
  const replica = { watchLine() {}, roundTrip: 0, isLineSlow: false, unsentCount: 0 }
  const connection = Object.assign(new Source(), { replica, isElsewhere: false, isTurnedAway: false })
  const pulse = new Pulse(connection)
  const permission = Object.assign(new Source(), { isViewOnly: false })
  const keeper = Object.assign(new Source(), { isKeeping: true })
  const status = new Status(connection, pulse, permission, keeper)
  return { page, replica, connection, pulse, permission, keeper, status }
}

test('a slow line is told once each time that it has become slow, and the status always has the way back and forth', () => {
  const { replica, connection, pulse, status } = line()
  let told = 0
  pulse.on('slow', () => { told += 1 })
  connection.tell('effect', { type: 'state', state: 'live' })
  for (const [roundTrip, isLineSlow, words, times] of [
    [40, false, '40 ms', 0], [1_240, true, 'slow connection: 1.2 s', 1], [1_310, true, 'slow connection: 1.3 s', 1], [60, false, '60 ms', 1], [999, true, 'slow connection: 999 ms', 2],
  ]) {
    Object.assign(replica, { roundTrip, isLineSlow })
    connection.tell('effect', { type: 'pong' })
    assert.deepEqual([status.element.title, told], [`Saved · ${words} to the server and back`, times])
  }
})

test('the status says whether all is saved, where it is if not, and why, but nothing of a loss that lasts no 400 ms', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { page, connection, permission, keeper, status } = line()
  const says = (...expected) => {
    const { kind, short } = status.element.dataset
    assert.deepEqual([kind, status.element.words, ...short ? [short] : []], expected)
  }
  const state = (name, code) => connection.tell('effect', { type: 'state', state: name, code })
  const unsent = (count) => connection.tell('effect', { type: 'unsent', count })
  const online = (is) => {
    navigator.onLine = is
    page[is ? 'online' : 'offline']()
  }
  says('loading', 'Opening…')
  state('connecting')
  says('loading', 'Opening…')
  online(false)
  says('offline', 'Offline')
  unsent(1)
  says('offline', 'Offline: your 1 change is kept.', 'Offline')
  online(true)
  says('offline', 'Reconnecting… Your 1 change is kept.', 'Offline')
  state('live')
  says('saving', 'Saving 1 change…')
  unsent(0)
  says('saved', 'Saved')
  state('waiting')
  unsent(2)
  t.mock.timers.tick(399)
  says('saving', 'Saving 2 changes…')
  t.mock.timers.tick(1)
  says('offline', 'Reconnecting… Your 2 changes are kept.', 'Offline')
  state('connecting')
  says('offline', 'Reconnecting… Your 2 changes are kept.', 'Offline')
  keeper.isKeeping = false
  keeper.tell('change', null)
  says('offline', 'Reconnecting… Your 2 changes are only in this tab.', 'Offline')
  connection.isTurnedAway = true
  unsent(0)
  says('offline', 'No space right now. Trying again…', 'Waiting')
  state('live')
  state('waiting')
  state('live')
  t.mock.timers.tick(399)
  state('waiting')
  t.mock.timers.tick(399)
  says('saved', 'Saved')
  state('live')
  permission.isViewOnly = true
  permission.tell('change', null)
  says('viewing', 'View only')
  for (const [code, words] of [['no_such_room', 'Deleted'], ['forbidden', 'Not connected']]) {
    state('closed', code)
    says('closed', words)
  }
  connection.isElsewhere = true
  state('closed')
  says('closed', 'Open in another place')
  connection.tell('stopped', null)
  says('closed', 'Stopped')
})
