// Replays recorded or written traces of pointer events, and checks the gestures that they cause. A trace is a file with
// one JSON object per line:
//
//     {"trace": "in words"}
//     {"at": 0, "down": 1, "x": 50, "y": 50, "on": "shape:a"}      a pointer event, by touch unless `type` says otherwise
//     {"at": 80, "up": 1, "x": 50, "y": 50}
//     {"expect": "tap", "x": 50}                                   a gesture; members that are not given may be anything
//
// `{"at": 90, "all": "interrupted"}` cancels everything, as a change of tabs does. The gestures must come in the given
// order. Several `moved` in a row need not be listed. Presses and hovers are ignored, unless the first line lists them
// under `also`.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Recogniser } from '../../build/modules/gestures/recogniser.js'

const phases = ['down', 'move', 'up', 'cancel']
const tolerance = 0.51

/**
 * The target that a word names: `shape:a`, `empty`, or `handle:scale/shape:a`, which is a handle above a shape. With a
 * `!` at its end, such as `empty!`, the target can be held, and a second finger can join.
 */
export function target(words = 'empty') {
  if (words.endsWith('!')) return { ...target(words.slice(0, -1)), holds: true, joins: true }
  const [key, under] = words.split('/')
  const [kind, id] = key.split(':')
  return under ? { kind, key, id, under: target(under) } : { kind, key, id }
}

/** @param {URL} file @returns {{name: string, inputs: object[], expected: object[]}} */
export function readTrace(file) {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const head = lines.shift()
  return {
    name: head.trace,
    also: head.also ?? [],
    inputs: lines.filter((line) => !line.expect),
    expected: lines.filter((line) => line.expect),
  }
}

function pointerInput({ at, on, type = 'touch', ...line }) {
  const phase = phases.find((name) => line[name] !== undefined)
  const { [phase]: id, ...rest } = line
  const button = phase === 'down' ? { button: 0 } : {}
  return { ...button, ...rest, id, type, phase, time: at, target: phase === 'down' || on ? target(on) : undefined }
}

/** All gestures that these inputs cause. After the last input, time advances until no timer is left. */
export function replay(inputs, recogniser = new Recogniser()) {
  const gestures = []
  let time = 0
  for (const line of inputs) {
    // Timers that are due before the next event fire first, as in the page.
    while (recogniser.wakeAt < line.at) gestures.push(...recogniser.wake(recogniser.wakeAt))
    time = line.at
    gestures.push(...(line.all ? recogniser.cancel(time, line.all) : recogniser.handle(pointerInput(line))))
  }
  while (recogniser.wakeAt < Infinity) gestures.push(...recogniser.wake(recogniser.wakeAt))
  return gestures
}

const words = ({ type, phase }) => (phase ? `${type} ${phase}` : type)

/** @param {{name: string, inputs: object[], expected: object[]}} trace */
export function check({ inputs, expected, also }) {
  const recogniser = new Recogniser()
  const heard = replay(inputs, recogniser).filter(({ type, phase }) =>
    phase !== 'moved' && (!['press', 'hover'].includes(type) || also.includes(type)))
  assert.deepEqual(heard.map(words), expected.map((line) => line.expect))
  heard.forEach((gesture, index) => {
    const { expect, on, velocity, ...numbers } = expected[index]
    if (on) assert.equal(gesture.target.key, on, expect)
    if (velocity) {
      for (const axis of ['x', 'y']) {
        assert.ok(Math.abs(gesture.velocity[axis] - velocity[axis]) <= Math.max(1, Math.abs(velocity[axis]) * 0.2),
          `${expect}: velocity ${JSON.stringify(gesture.velocity)}`)
      }
    }
    for (const [name, value] of Object.entries(numbers)) {
      if (typeof value === 'number') {
        assert.ok(Math.abs(gesture[name] - value) <= (name === 'scale' ? 0.02 : name === 'rotation' ? 1 : tolerance),
          `${expect}: ${name} is ${gesture[name]}, not ${value}`)
      } else {
        assert.deepEqual(gesture[name], value, `${expect}: ${name}`)
      }
    }
  })
  assert.ok(recogniser.isIdle, 'it is idle in the end')
}
