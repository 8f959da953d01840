// Tests what somebody is told of how long the way to the server is. What is slow, the core decides.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeElements } from '../gestures/elements.mjs'
import { Status } from '../../build/modules/bars/status.js'
import { Source } from '../../build/modules/basics/source.js'
import { Pulse } from '../../build/modules/network/pulse.js'

test('a slow line is told once each time that it has become slow, and the status always has the way back and forth', () => {
  makeElements()
  Object.assign(document, { visibilityState: 'hidden', addEventListener() {} })
  globalThis.addEventListener = () => {}
  Object.defineProperty(globalThis, 'navigator', { value: { onLine: true }, configurable: true })
  const replica = { watchLine() {}, roundTrip: 0, isLineSlow: false, unsentCount: 0 }
  const connection = Object.assign(new Source(), { replica, isElsewhere: false, isTurnedAway: false })
  const pulse = new Pulse(connection)
  const status = new Status(connection, pulse, Object.assign(new Source(), { isViewOnly: false }), null)
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
