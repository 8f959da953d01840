import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recogniser } from '../../build/modules/gestures/recogniser.js'
import { target } from './replaying.mjs'

/** Random 32-bit numbers that depend only on the seed (mulberry32). */
function generator(seed) {
  return () => {
    seed = (seed + 0x6D2B79F5) | 0
    let bits = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296
  }
}

const keys = ['empty', 'empty', 'shape:a', 'shape:a', 'shape:b', 'handle:scale', 'view']

/**
 * A random sequence of events that hands, palms and browsers can cause, in any order. It includes ups and moves without
 * a down, and downs without an up.
 */
function script(random, length) {
  const pick = (list) => list[Math.floor(random() * list.length)]
  const inputs = []
  let time = 0
  for (let step = 0; step < length; step++) {
    time += pick([0, 0, 1, 8, 16, 40, 120, 310, 420, -5])
    const type = pick(['touch', 'touch', 'touch', 'mouse', 'pen'])
    const id = type === 'touch' ? 2 + Math.floor(random() * 4) : type === 'mouse' ? 1 : 9
    const place = { x: Math.round(random() * 300), y: Math.round(random() * 300) }
    const roll = random()
    if (roll < 0.03) inputs.push({ time, all: pick(['interrupted', 'escape']) })
    else if (roll < 0.06) inputs.push({ id, type, phase: 'cancel', ...place, time })
    else if (roll < 0.14) {
      // A whole tap is one entry of the sequence, so that some taps follow each other fast enough for a double or
      // triple tap.
      const tap = { id: 30, type: 'touch', x: 100, y: 100, target: target(pick(['shape:a', 'empty'])) }
      inputs.push({ ...tap, phase: 'down', time }, { ...tap, phase: 'up', time: time + 30 })
    } else {
      const phase = pick(['down', 'down', 'move', 'move', 'move', 'up', 'up'])
      inputs.push({
        id, type, phase, ...place, time, target: target(pick(keys)), button: pick([0, 0, 0, 1, 2]),
        buttons: pick([0, 1, 1, 1, 3, 4]), primary: random() < 0.2, contact: pick([1, 20, 20, 120]),
        space: random() < 0.05, shift: random() < 0.1,
      })
    }
  }
  return inputs
}

/**
 * Receives gestures as a listener on the page would. Throws if a gesture begins before the previous one has ended.
 */
class Listener {
  open = null
  /** Whether the drag that has ended shares its undo step with the next gesture. */
  isFollowed = false

  hear({ type, phase, ...gesture }) {
    if (this.isFollowed) assert.equal(`${type} ${phase}`, 'pinch began', 'what a drag is followed by comes next')
    this.isFollowed = gesture.followedBy === 'pinch'
    for (const value of [gesture.x, gesture.y, gesture.dx, gesture.dy, gesture.scale, gesture.rotation]) {
      assert.ok(value === undefined || Number.isFinite(value), `${type} ${phase} tells numbers`)
    }
    if (phase === undefined) {
      if (type !== 'press' && type !== 'hover') assert.equal(this.open, null, `${type} within a ${this.open}`)
    } else if (phase === 'began') {
      assert.equal(this.open, null, `${type} began within a ${this.open}`)
      this.open = type
    } else {
      assert.equal(this.open, type, `${type} ${phase} without began`)
      if (phase !== 'moved') this.open = null
    }
  }
}

test('whatever pointers do, every gesture that began ends, and with all fingers up it is idle', () => {
  const seen = new Set()
  for (let seed = 1; seed <= 4000; seed++) {
    const random = generator(seed)
    const recogniser = new Recogniser()
    const listener = new Listener()
    const down = new Set()
    try {
      const hear = (gestures) => gestures.forEach((gesture) => {
        seen.add(gesture.phase ? `${gesture.type} ${gesture.phase}` : gesture.type)
        listener.hear(gesture)
      })
      let time = 0
      for (const input of script(random, 5 + Math.floor(random() * 80))) {
        time = Math.max(time, input.time)
        // A timer can fire on time, late, or not at all.
        if (recogniser.wakeAt <= time && random() < 0.5) hear(recogniser.wake(recogniser.wakeAt))
        if (input.all) hear(recogniser.cancel(input.time, input.all))
        else hear(recogniser.handle(input))
        if (input.phase === 'down') down.add(input)
        if (recogniser.isIdle) assert.equal(listener.open, null, 'nothing goes on where it is idle')
      }
      for (const { id, type } of down) {
        hear(recogniser.handle({ id, type, phase: random() < 0.8 ? 'up' : 'cancel', x: 5, y: 5, time }))
      }
      assert.ok(recogniser.isIdle, 'all are up')
      assert.ok(!listener.isFollowed, 'what follows a drag has come')
      assert.equal(listener.open, null, 'all that began has ended')
      for (let wakes = 0; recogniser.wakeAt < Infinity; wakes++) {
        assert.ok(wakes < 3, 'it asks to be woken without end')
        hear(recogniser.wake(recogniser.wakeAt))
      }
      // After all these events, the recogniser must work as if it were new.
      hear(recogniser.handle({
        id: 77, type: 'touch', phase: 'down', x: 10, y: 10, time: time + 5000, primary: true, target: target('empty'),
      }))
      const [tap] = recogniser.handle({ id: 77, type: 'touch', phase: 'up', x: 10, y: 10, time: time + 5050 })
      assert.equal(tap?.type, 'tap')
    } catch (error) {
      error.message = `seed ${seed}: ${error.message}`
      throw error
    }
  }
  // The random sequences must have caused all kinds of gestures.
  for (const phase of ['began', 'moved', 'ended', 'cancelled']) {
    for (const type of ['drag', 'pan', 'pinch']) assert.ok(seen.has(`${type} ${phase}`), `${type} ${phase}`)
  }
  for (const type of ['tap', 'doubleTap', 'tripleTap', 'press', 'hover']) assert.ok(seen.has(type), type)
})
