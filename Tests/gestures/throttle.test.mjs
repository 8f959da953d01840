// Tests how soon what is expensive is done again.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Throttle } from '../../build/modules/basics/throttle.js'

/** Something that takes a while, with the time in hand. `runs`: when it began. */
function timed(t, cost) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const timed = { now: 0, runs: [] }
  t.mock.method(performance, 'now', () => timed.now)
  timed.throttle = new Throttle(() => {
    timed.runs.push(timed.now)
    timed.now += cost
    return timed.runs.length
  }, 200, 10)
  timed.pass = (milliseconds) => {
    for (let time = 0; time < milliseconds; time += 10) {
      timed.now += 10
      t.mock.timers.tick(10)
    }
  }
  return timed
}

test('what is expensive is done again after a rest since the last time, and not since it was asked for', (t) => {
  const work = timed(t, 100)
  assert.equal(work.throttle.now(), 1)
  work.throttle.soon()
  work.pass(990)
  assert.deepEqual([work.runs, work.throttle.isDue], [[0], true])
  work.throttle.soon()
  work.pass(10)
  assert.deepEqual([work.runs, work.throttle.isDue], [[0, 1_100], false])
  work.pass(5_000)
  work.throttle.soon()
  work.pass(200)
  assert.deepEqual(work.runs, [0, 1_100, 6_400])
})

test('work that goes on after the run counts, and none does once something else is to be done', (t) => {
  const work = timed(t, 10)
  work.throttle.now()
  work.pass(90)
  work.throttle.ended()
  work.throttle.soon()
  work.pass(900)
  assert.deepEqual(work.runs, [0])
  work.throttle.forget()
  assert.equal(work.throttle.isDue, false)
  work.throttle.soon()
  work.throttle.forget()
  work.pass(200)
  assert.equal(work.runs.length, 2)
  work.throttle.soon()
  work.throttle.cancel()
  work.pass(2_000)
  assert.equal(work.runs.length, 2)
})
