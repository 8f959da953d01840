// Tests what the stage makes of the browser's events: whose path is told as the trail, and how wheels and pinches move
// the canvas.

import assert from 'node:assert/strict'
import { test } from 'node:test'

/** What the window hears. */
const heard = {}
globalThis.addEventListener = (type, run) => { heard[type] = run }
globalThis.Node = class {}
globalThis.document = { hidden: false, addEventListener: (type, run) => { heard[type] = run } }
const { Surface } = await import('../../build/modules/gestures/surface.js')

/**
 * The points of the trails that some pointer events cause while a tool draws freehand. A line such as `pen down 100 50`
 * is an event. The words before the event name its pointer, and the first one is the pointer's type.
 */
function trailOf(lines) {
  const hear = {}
  const element = {
    addEventListener: (type, run) => { hear[type] = run }, setPointerCapture() {}, getBoundingClientRect: () => ({ left: 0, top: 0 }),
  }
  const surface = new Surface(element, { at: () => ({ kind: 'sheet', key: 'sheet' }) })
  surface.tellsTrails = true
  const trail = []
  surface.on('gesture', ({ type, points }) => { if (type === 'trail') trail.push(...points.map(({ pointer, x, y }) => `${pointer} ${x} ${y}`)) })
  const pointers = []
  for (const [at, line] of lines.entries()) {
    const [, pointer, phase, x, y] = /^(.*) (down|move|up) (\d+) (\d+)$/.exec(line)
    if (!pointers.includes(pointer)) pointers.push(pointer)
    const [pointerType] = pointer.split(' ')
    hear[`pointer${phase}`]({
      pointerId: pointers.indexOf(pointer), pointerType, clientX: Number(x), clientY: Number(y), timeStamp: 16 * at,
      button: phase === 'move' ? -1 : 0, buttons: phase === 'up' ? 0 : 1, isPrimary: !pointer.endsWith('second'), width: 20, height: 20, pressure: 0.5,
    })
  }
  surface.cancel()
  return trail
}

test('the trail is that of the pointer that draws, whatever rested on the screen before', () => {
  const alone = ['touch down 10 10', 'touch move 30 10', 'touch up 40 10']
  assert.deepEqual(trailOf(alone), ['touch 10 10', 'touch 30 10', 'touch 40 10'])
  const stroke = ['pen down 100 50', 'pen move 120 50', 'touch move 401 402', 'pen move 150 50', 'pen up 160 50', 'touch up 401 402']
  const drawn = ['pen 100 50', 'pen 120 50', 'pen 150 50', 'pen 160 50']
  assert.deepEqual(trailOf(['touch down 400 400', ...stroke]), ['touch 400 400', ...drawn], 'a hand rests')
  assert.deepEqual(trailOf(['touch down 400 400', 'touch move 430 400', ...stroke]), ['touch 400 400', 'touch 430 400', ...drawn], 'a hand has moved')
  assert.deepEqual(
    trailOf(['touch lost down 400 400', 'touch lost move 430 400', ...alone]), ['touch 400 400', 'touch 430 400', 'touch 10 10', 'touch 30 10', 'touch 40 10'],
    'a finger was lifted without an event',
  )
  assert.deepEqual(
    trailOf(['touch down 10 10', 'touch second down 200 10', 'touch second move 220 10', 'touch second up 220 10', 'touch up 10 10']),
    ['touch 10 10', 'touch 10 10'], 'a second finger draws nothing',
  )
})

test('all points that the browser has collected in an event are of the trail, and those that it predicts are told apart', () => {
  const hear = {}
  const surface = new Surface({
    addEventListener: (type, run) => { hear[type] = run }, setPointerCapture() {}, getBoundingClientRect: () => ({ left: 0, top: 0 }),
  }, { at: () => ({ kind: 'sheet', key: 'sheet' }) })
  surface.tellsTrails = true
  const told = []
  surface.on('gesture', ({ type, points, predicted }) => { if (type === 'trail') told.push([points, predicted].map((all) => all.map(({ x, pressure }) => [x, pressure]))) })
  const at = (clientX, pressure) => ({
    pointerId: 5, pointerType: 'pen', isPrimary: true, clientX, clientY: 10, timeStamp: clientX, button: 0, buttons: 1, width: 1, height: 1, pressure,
  })
  hear.pointerdown(at(10, 0.1))
  hear.pointermove({ ...at(40, 0.5), getCoalescedEvents: () => [at(30, 0.3), at(40, 0.5)], getPredictedEvents: () => [at(50, 0.5)] })
  hear.pointermove({ ...at(60, 0.6), getCoalescedEvents: () => [at(60, 0.6)], getPredictedEvents: () => [] })
  surface.cancel()
  assert.deepEqual(told.flatMap(([points]) => points), [[10, 0.1], [30, 0.3], [40, 0.5], [60, 0.6]])
  assert.deepEqual(told.flatMap(([, predicted]) => predicted), [[50, 0.5]])
})

/** A stage at 100, 50 with a shape everywhere, and functions that take the gestures which an event on it, or on the window, causes. */
function stageOf() {
  const hear = {}
  const inside = new Node()
  const surface = new Surface({
    addEventListener: (type, run) => { hear[type] = run }, setPointerCapture() {}, contains: (node) => node === inside,
    getBoundingClientRect: () => ({ left: 100, top: 50 }),
  }, { at: () => ({ kind: 'shape', key: 'shape' }) })
  const told = []
  surface.on('gesture', (gesture) => { if (gesture.type === 'wheel') told.push(gesture) })
  const tell = (run, event) => {
    let isPrevented = false
    run({ clientX: 300, clientY: 250, timeStamp: 0, preventDefault: () => { isPrevented = true }, ...event })
    assert.ok(isPrevented || event.pointerId, 'the browser neither scrolls nor zooms the page')
    return told.splice(0)
  }
  const [onStage, onWindow] = [hear, heard].map((runs) => (type, event) => tell(runs[type], event))
  return { inside, surface, onStage, onWindow }
}

test('a wheel scrolls by pixels, lines or pages, with Shift across, and zooms by a quarter at most in one turn', () => {
  const { onStage } = stageOf()
  const turned = (deltaX, deltaY, how = {}) => onStage('wheel', { deltaX, deltaY, deltaMode: 0, ...how })
    .map(({ x, y, dx, dy, factor }) => [x, y, dx || 0, dy || 0, Math.round(factor * 1_000) / 1_000])
  for (const [event, expected] of [
    [[3, -4], [-3, 4, 1]], [[3, -4, { deltaMode: 1 }], [-48, 64, 1]], [[3, -4, { deltaMode: 2 }], [-1_200, 1_600, 1]],
    [[0, 5, { shiftKey: true }], [-5, 0, 1]], [[3, 5, { shiftKey: true }], [-3, -5, 1]],
    [[3, -10, { ctrlKey: true }], [0, 0, 1.105]], [[0, 10, { metaKey: true }], [0, 0, 0.905]],
    [[0, -24, { ctrlKey: true }], [0, 0, 1.271]], [[0, -500, { ctrlKey: true }], [0, 0, 1.271]],
    [[0, 3, { ctrlKey: true, deltaMode: 2 }], [0, 0, 0.787]],
  ]) assert.deepEqual(turned(...event), [[200, 200, ...expected]], JSON.stringify(event))
})

test('a pinch on a trackpad in Safari zooms by what has changed since its last event, unless a hand is at work', () => {
  const { inside, surface, onStage, onWindow } = stageOf()
  const pinched = (type, scale, target = inside) => onWindow(type, { scale, target })
    .map(({ x, y, factor }) => [x, y, Math.round(factor * 100) / 100])
  for (const [type, scale, factor] of [
    ['gesturestart', 1, 1], ['gesturechange', 1.5, 1.5], ['gesturechange', 1.2, 0.8],
    ['gesturestart', 1, 1], ['gesturechange', 1.1, 1.1],
  ]) assert.deepEqual(pinched(type, scale), [[200, 200, factor]], `${type} ${scale}`)
  assert.deepEqual(pinched('gesturechange', 2.2, new Node()), [], 'elsewhere')
  assert.deepEqual(pinched('gesturechange', 3.3), [[200, 200, 1.5]])
  onStage('pointerdown', { pointerId: 1, pointerType: 'mouse', button: 0, buttons: 1, isPrimary: true, width: 1, height: 1 })
  assert.deepEqual(pinched('gesturechange', 1), [])
  surface.cancel()
})

test('a press is no hold if the hand had moved in time, though the page hears of that late', (t) => {
  let [now, isPending, due] = [1_000, false, null]
  t.mock.method(performance, 'now', () => now)
  t.mock.method(globalThis, 'setTimeout', (run, wait) => { due = { run, wait } })
  const scheduling = { isInputPending: () => isPending }
  Object.defineProperty(globalThis, 'navigator', { value: { scheduling }, configurable: true })
  const lifts = (isLate) => {
    const { surface, onStage } = stageOf()
    const begun = []
    surface.on('gesture', ({ phase, lifted }) => { if (phase === 'began') begun.push(lifted) })
    const press = { pointerId: 1, pointerType: 'touch', button: 0, buttons: 1, isPrimary: true, width: 1, height: 1 }
    onStage('pointerdown', { ...press, timeStamp: now })
    isPending = isLate
    const { run, wait } = due
    now += wait
    run()
    onStage('pointermove', { ...press, clientX: 340, timeStamp: now - 100 })
    surface.cancel()
    return begun
  }
  assert.deepEqual([lifts(false), lifts(true)], [[true], [false]])
})

test('a drag is given up when the window loses the focus, is hidden or ends', () => {
  for (const [type, hidden, expected] of [['blur', false, true], ['pagehide', false, true], ['visibilitychange', true, true], ['visibilitychange', false, false]]) {
    const { surface, onStage } = stageOf()
    const phases = []
    surface.on('gesture', ({ phase }) => { if (phase) phases.push(phase) })
    const press = { pointerId: 1, pointerType: 'mouse', button: 0, buttons: 1, isPrimary: true, width: 1, height: 1 }
    onStage('pointerdown', press)
    onStage('pointermove', { ...press, clientX: 340 })
    Object.assign(document, { hidden })
    heard[type]()
    assert.deepEqual([surface.isIdle, phases.at(-1) === 'cancelled'], [expected, expected], `${type} ${phases}`)
    surface.cancel()
  }
})
