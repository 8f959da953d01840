import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MotionReader, ShakeDetector } from '../../build/modules/gestures/shake-detector.js'
import { keyWords } from '../../build/modules/tools/actions.js'
import { aligned, distributed } from '../../build/modules/arrange/align.js'
import { actions } from '../../build/modules/tools/catalogue.js'
import { Source } from '../../build/modules/basics/source.js'
import { Handles } from '../../build/modules/canvas/handles.js'
import { Selection } from '../../build/modules/state/selection.js'
import { Gliding, glide } from '../../build/modules/arrange/gliding.js'
import { resizeCursor } from '../../build/modules/arrange/reshaping.js'
import { keyNames } from '../../build/modules/tools/shortcuts.js'

const box = (id, x, y, width, height, rotation = 0) => ({ id, x, y, width, height, rotation })
const places = (list) => list.map(({ id, x, y }) => [id, x, y])
const view = { x: 0, y: 0, width: 1000, height: 800 }

// Gliding.

test('what is thrown slows down, stops, and stays inside whatever its speed and scale', () => {
  for (const scale of [0.1, 1, 7]) {
    for (const speed of [400, 2000, 1e6]) {
      for (const degrees of [0, 33, 90, 200, 301]) {
        const velocity = {
          x: Math.cos(degrees * Math.PI / 180) * speed / scale, y: Math.sin(degrees * Math.PI / 180) * speed / scale,
        }
        const path = glide(box(1, 300, 300, 100, 80), velocity, scale, view)
        assert.ok(path.seconds > 0.5 && path.seconds < 3, `${path.seconds} seconds`)
        for (let time = 0; time <= path.seconds + 0.1; time += path.seconds / 40) {
          const { x, y } = path.at(time)
          assert.ok(300 + x >= 0 && 400 + x <= 1000 && 300 + y >= 0 && 380 + y <= 800, `inside at ${time}`)
        }
        const last = path.at(path.seconds)
        assert.deepEqual(path.at(path.seconds + 5), last)
        const before = path.at(path.seconds - 0.01)
        assert.ok(Math.hypot(last.x - before.x, last.y - before.y) * scale < 1, 'it hardly moves at the end')
      }
    }
  }
})

test('what is thrown at an edge comes back from it, and what was outside goes no further', () => {
  const back = glide(box(1, 850, 300, 100, 100), { x: 1500, y: 0 }, 1, view)
  assert.ok(Math.max(...[0.02, 0.05, 0.1].map((time) => back.at(time).x)) <= 50)
  assert.ok(back.at(back.seconds).x < 0)
  const outside = glide(box(1, 950, 300, 100, 100), { x: 1500, y: 0 }, 1, view)
  assert.equal(outside.at(0).x, 0, 'it doesn’t jump inside either')
  for (let time = 0; time < 2; time += 0.01) assert.ok(outside.at(time).x <= 0)
})

test('what is larger than the view glides only where there is room', () => {
  const path = glide(box(1, 0, 100, 1000, 100), { x: 900, y: 900 }, 1, view)
  assert.equal(path.at(1).x, 0)
  assert.ok(path.at(1).y > 0)
})

test('what is thrown moves in each frame, and ends where it would end, or where it is caught', (t) => {
  const scale = 2
  const start = box(1, 300, 300, 100, 80)
  const path = glide(start, { x: 300, y: 100 }, scale, view)
  let frame = null
  globalThis.requestAnimationFrame = (run) => { frame = run }
  globalThis.cancelAnimationFrame = () => { frame = null }
  t.mock.method(performance, 'now', () => 1000)
  for (const [end, seconds] of [['land', path.seconds], ['stop', 0.25], [null, path.seconds]]) {
    const heard = []
    const held = { start: [start], ids: [1], isEmpty: false, place: ([{ x, y }]) => heard.push({ x, y }) }
    const gliding = new Gliding({ view: { scale, visibleBox: () => view } }, held, { x: 600, y: 200 }, { end: () => heard.push('step') })
    gliding.on('ended', () => heard.push('ended'))
    const after = (seconds) => {
      const { x, y } = path.at(seconds)
      return { x: Math.round((300 + x) * 100) / 100, y: Math.round((300 + y) * 100) / 100 }
    }
    gliding.start()
    for (const milliseconds of [100, 250]) frame(1000 + milliseconds)
    assert.deepEqual(heard, [after(0.1), after(0.25)])
    if (end) gliding[end]()
    else frame(1000 + path.seconds * 1000 + 16)
    assert.deepEqual(heard.slice(-3), [after(seconds), 'step', 'ended'], end)
    assert.equal(frame, null)
  }
})

// Aligning.

test('shapes are aligned at the edges of the box around them, by the boxes that they fill turned', () => {
  const shapes = [box(1, 0, 0, 100, 50), box(2, 300, 200, 50, 50), box(3, 100, 400, 200, 100, 90)].map((shape) => [shape])
  assert.deepEqual(places(aligned(shapes, 'left')), [[1, 0, 0], [2, 0, 200], [3, -50, 400]])
  assert.deepEqual(places(aligned(shapes, 'right')), [[1, 250, 0], [2, 300, 200], [3, 200, 400]])
  assert.deepEqual(places(aligned(shapes, 'top')), [[1, 0, 0], [2, 300, 0], [3, 100, 50]])
  assert.deepEqual(places(aligned(shapes, 'middle')).map(([, , y]) => y), [250, 250, 225])
  assert.deepEqual(places(aligned(shapes, 'center')).map(([, x]) => x), [125, 150, 75])
  assert.deepEqual(places(aligned(shapes, 'bottom')).map(([, , y]) => y), [500, 500, 400])
})

test('the shapes of a group keep their places to each other when they are aligned and distributed', () => {
  const group = [box(1, 100, 0, 50, 50), box(2, 200, 80, 50, 50)]
  const units = [group, [box(3, 0, 300, 100, 50)], [box(4, 500, 400, 20, 50)]]
  assert.deepEqual(places(aligned(units, 'left')), [[1, 0, 0], [2, 100, 80], [3, 0, 300], [4, 0, 400]])
  assert.deepEqual(places(distributed(units, 'y')), [[1, 100, 0], [2, 200, 80], [3, 0, 240], [4, 500, 400]])
})

test('shapes are distributed with the same space between them, and the outermost stay', () => {
  const shapes = [box(1, 500, 0, 100, 50), box(2, 0, 70, 50, 50), box(3, 60, 10, 150, 50)].map((shape) => [shape])
  assert.deepEqual(places(distributed(shapes, 'x')), [[2, 0, 70], [3, 200, 10], [1, 500, 0]])
  assert.deepEqual(distributed(shapes.slice(1), 'x'), [])
  // If the shapes are wider than the available space, each overlaps the next by the same length.
  const crowded = [box(1, 0, 0, 100, 100), box(2, 10, 0, 100, 100), box(3, 100, 0, 100, 100)].map((shape) => [shape])
  assert.deepEqual(places(distributed(crowded, 'x')), [[1, 0, 0], [2, 50, 0], [3, 100, 0]])
})

// Keys.

const key = (name, code = '', modifiers = {}) =>
  ({ key: name, code, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...modifiers })

test('keys are told by what they bear, whatever the modifiers and the layout make of them', () => {
  assert.deepEqual(keyNames(key('v', 'KeyV')), ['v'])
  assert.deepEqual(keyNames(key('Z', 'KeyZ', { ctrlKey: true, shiftKey: true })), ['mod+shift+z'])
  assert.deepEqual(keyNames(key('z', 'KeyY', { metaKey: true })), ['mod+z'], 'the letter, not its place')
  assert.deepEqual(keyNames(key('å', 'KeyA', { altKey: true })), ['alt+a'])
  assert.deepEqual(keyNames(key('@', 'KeyL', { altKey: true })), ['alt+l'])
  assert.deepEqual(keyNames(key('я', 'KeyZ', { ctrlKey: true })), ['mod+z'])
  assert.deepEqual(keyNames(key('!', 'Digit1', { shiftKey: true })), ['shift+1'])
  assert.deepEqual(keyNames(key('+', 'Equal', { shiftKey: true })), ['+'])
  assert.deepEqual(keyNames(key('{', 'BracketLeft', { shiftKey: true })), ['{'])
  assert.deepEqual(keyNames(key('–', 'Minus', { altKey: true })), ['alt+–', 'alt+-'], 'Alt has made another sign of it')
  assert.deepEqual(keyNames(key('º', 'Digit0', { altKey: true })), ['alt+0'])
  assert.deepEqual(keyNames(key('ArrowLeft', 'ArrowLeft', { shiftKey: true })), ['shift+arrowleft'])
  assert.deepEqual(keyNames(key('Escape', 'Escape', { shiftKey: true, ctrlKey: true })), ['escape'])
})

test('no key means two things, and every action can be told by name', () => {
  const keys = actions.flatMap((action) => action.keys)
  assert.equal(new Set(keys).size, keys.length)
  assert.equal(new Set(actions.map(({ id }) => id)).size, actions.length)
  for (const { id, group, words, run } of actions) {
    assert.ok(group && words && typeof run === 'function', id)
  }
  assert.equal(keyWords('mod+shift+z').endsWith('Z'), true)
  assert.equal(keyWords('+'), '+')
})

// Shaking.

/**
 * How often the detection of shaking fires for a phone that swings with this strength and frequency for this long.
 */
function shakes({ strength, swings, seconds, drift = 0 }) {
  const detector = new ShakeDetector()
  let count = 0
  for (let time = 0; time < seconds * 1000; time += 16) {
    const swing = Math.sin(time / 1000 * swings * 2 * Math.PI) * strength
    if (detector.moved({ x: swing, y: swing / 3, z: drift }, time)) count += 1
  }
  return count
}

test('a shake is told from walking, from a drop and from a bumpy road', () => {
  assert.equal(shakes({ strength: 25, swings: 4, seconds: 1 }), 1)
  assert.equal(shakes({ strength: 6, swings: 2, seconds: 10 }), 0, 'walking')
  assert.equal(shakes({ strength: 25, swings: 0.4, seconds: 10 }), 0, 'swung about slowly')
  const detector = new ShakeDetector()
  assert.equal([40, -30, 5, 2].some((x, at) => detector.moved({ x, y: 0, z: 9 }, at * 16)), false, 'dropped')
  assert.equal(detector.moved({ x: NaN, y: 0, z: 0 }, 100), false)
})

test('a phone that only measures together with gravity is heard too', () => {
  for (const [strength, count] of [[0, 0], [25, 1]]) {
    const reader = new MotionReader()
    const heard = Array.from({ length: 60 }, (_, at) => reader.takes({
      acceleration: null, accelerationIncludingGravity: { x: strength * Math.sin(at * 0.4), y: null, z: 9.8 }, timeStamp: at * 16,
    }))
    assert.equal(heard.filter(Boolean).length, count)
  }
})

test('one long shake is not many', () => {
  assert.equal(shakes({ strength: 25, swings: 4, seconds: 1.5 }), 1)
})

test('the cursor points along the corner or the side that is pulled', () => {
  assert.deepEqual([[1, 0], [0, 1], [-1, 1], [-1, -1]].map(([across, down]) => resizeCursor(0, { across, down })),
    ['ew-resize', 'ns-resize', 'nesw-resize', 'nwse-resize'])
  assert.deepEqual([0, 45, 90, 135, 180, -90].map((turn) => resizeCursor(turn)),
    ['nwse-resize', 'ns-resize', 'nesw-resize', 'ew-resize', 'nwse-resize', 'nesw-resize'])
})

// The selection.

class Shown extends Source {
  replica = { shapesOf: (ids) => [...ids].map((id) => ({ id })) }
  change(changes) { this.tell('changes', changes) }
}

test('as many shapes as a server may be told to take are selected, framed, and deleted by others', () => {
  const ids = Array.from({ length: 200_000 }, (_, at) => at + 1)
  const shown = new Shown()
  const selection = new Selection(shown)
  const drawn = (id) => ({ shape: { kind: 'rectangle' }, x: id - 1, y: -1, width: 2, height: 2, rotation: 0 })
  const handles = new Handles({ selection, scene: { drawn } })
  selection.toggle(ids)
  assert.equal(selection.size, ids.length)
  assert.deepEqual(handles.frame(), { x: 0, y: -1, width: ids.length + 1, height: 2, rotation: 0 })
  shown.change({ reset: false, shapes: ids.slice(1).map((id) => ({ id, shape: null })) })
  assert.deepEqual(selection.ids(), [1])
})
