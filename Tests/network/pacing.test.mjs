// Tests pacing: how many messages a connection accepts if messages are useful only while they are new. The clock is
// simulated.

import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'

import { Source } from '../../build/modules/basics/source.js'
import { Pacing } from '../../build/modules/network/pacing.js'

/** The part of a connection that pacing uses. `perform` stands for a ping that the server has to answer. */
class Line extends Source {
  asked = []
  frees = 0
  replica = { ping: () => [] }

  constructor() {
    super()
    this.pacing = new Pacing(this)
    this.pacing.on('free', () => this.frees++)
  }
  perform() { this.asked.push(performance.now()) }

  /** Sends a message that waited until the connection was free. */
  send(bytes) {
    this.pacing.use()
    this.tell('sent', bytes)
  }

  /** Answers the newest ping, so everything sent before it has arrived. */
  answer() { this.tell('effect', { type: 'pong', roundTripMilliseconds: performance.now() - this.asked.at(-1) }) }
}

beforeEach(() => {
  mock.timers.reset()
  mock.restoreAll()
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
  const clock = Date.now
  mock.method(performance, 'now', () => clock())
})

test('a line with much unanswered is not free; it is told once it is again', () => {
  const line = new Line()
  line.send(1000)
  assert.ok(line.pacing.isFree)
  assert.equal(line.asked.length, 1)
  line.send(2000)
  assert.ok(!line.pacing.isFree)
  mock.timers.tick(100)
  assert.equal(line.asked.length, 1, 'one question at a time')
  line.answer()
  assert.ok(line.pacing.isFree)
  assert.equal(line.frees, 1)
})

test('another connection begins with an empty line, of which nothing is asked', () => {
  const line = new Line()
  line.send(3000)
  assert.ok(!line.pacing.isFree)
  line.send(700)
  line.tell('effect', { type: 'state', state: 'connecting' })
  assert.ok(line.pacing.isFree)
  assert.equal(line.frees, 1)
  const before = line.asked.length
  line.send(700)
  mock.timers.tick(1000)
  assert.equal(line.asked.length, before, 'what was sent over the old line is forgotten')
})
