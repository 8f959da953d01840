// Tests when the page gives up a connection, with a simulated clock. Tests/SyncClientTests/LinePulseTests.swift tests
// the same for the terminal.

import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'

import { Source } from '../../build/modules/basics/source.js'
import { Pulse } from '../../build/modules/network/pulse.js'

globalThis.document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
globalThis.addEventListener = () => {}

/** How long the machine has slept. Only the wall clock advances during sleep. */
let slept = 0

/** The part of a connection that the heartbeat (`Pulse`) uses. */
class Line extends Source {
  heardAt = 0
  renewals = []
  hurries = 0
  replica = { unsentCount: 0, ping: () => [] }

  constructor() {
    super()
    this.pulse = new Pulse(this)
  }
  enter(state) { this.tell('effect', { type: 'state', state }) }
  perform() {}
  hurry() { this.hurries++ }
  renew() { this.renewals.push(performance.now()) }

  run(milliseconds, isHearing = false) {
    for (let passed = 0; passed < milliseconds; passed += 250) {
      if (isHearing) this.heardAt = performance.now()
      mock.timers.tick(250)
    }
  }
}

beforeEach(() => {
  mock.timers.reset()
  mock.restoreAll()
  mock.timers.enable({ apis: ['setInterval', 'setTimeout', 'Date'], now: 1_000_000 })
  const awake = Date.now
  slept = 0
  mock.method(performance, 'now', () => awake())
  mock.method(Date, 'now', () => awake() + slept)
})

test('only the welcome counts while the room is greeted, and any part of the drawing while it is loaded', () => {
  const line = new Line()
  line.enter('greeting')
  line.run(5000, true)
  assert.equal(line.renewals.length, 1)
  line.enter('loading')
  line.run(30_000, true)
  assert.equal(line.renewals.length, 1)
})

test('a line that dies is left within five seconds', () => {
  const line = new Line()
  line.enter('live')
  line.heardAt = performance.now()
  line.run(5000)
  assert.equal(line.renewals.length, 1)
})

test('after sleep the next try is at once, however long the wait was to be', () => {
  const line = new Line()
  line.enter('waiting')
  line.run(1000)
  const before = line.hurries
  slept = 3_600_000
  line.run(250)
  assert.equal(line.hurries, before + 1)
})

test('an answer counts for the question that it belongs to, also one that was asked in the same millisecond', () => {
  for (const [isOwn, renewals] of [[true, 0], [false, 1]]) {
    const line = new Line()
    let asked = 0
    line.perform = () => { asked = performance.now() }
    line.enter('live')
    line.heardAt = performance.now()
    while (asked === 0) line.run(250)
    mock.timers.tick(100)
    line.tell('effect', { type: 'pong', roundTripMilliseconds: isOwn ? 101 : 102 })
    line.run(2500)
    assert.equal(line.renewals.length, renewals, `own: ${isOwn}`)
  }
})

test('after an answer a line has no more patience than at first', () => {
  const line = new Line()
  const renewed = () => {
    const from = performance.now()
    const before = line.renewals.length
    line.enter('greeting')
    while (line.renewals.length === before) line.run(250, true)
    return performance.now() - from
  }
  const first = renewed()
  assert.ok(renewed() > first)
  line.enter('live')
  line.tell('effect', { type: 'pong', roundTripMilliseconds: 10 })
  assert.equal(renewed(), first)
})

test('a line is slow while three moments in a row were, and no longer once three were quick', () => {
  const line = new Line()
  const heard = []
  line.pulse.on('slow', () => heard.push(performance.now()))
  line.enter('live')
  const answers = (milliseconds) => {
    for (let moment = 0; moment < 3; moment++) {
      assert.equal(line.pulse.isSlow, milliseconds < 1000, `after ${moment} answers in ${milliseconds} ms`)
      line.run(10_000, true)
      line.tell('effect', { type: 'pong', roundTripMilliseconds: milliseconds })
    }
  }
  for (let time = 1; time <= 2; time++) {
    answers(3000)
    assert.equal(heard.length, time)
    answers(50)
  }
  assert.equal(line.pulse.isSlow, false)
})
