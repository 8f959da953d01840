import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundsOf, boundsOfAll, middle } from '../../build/modules/canvas/frames.js'
import { handleAt } from '../../build/modules/canvas/handles.js'
import {
  angleBetween, drawnBox, moved, normalDegrees, onGrid, pinched, pulled, scaleMin,
  steppedTurn, stretched, turned, wayOnGrid,
} from '../../build/modules/arrange/transform.js'

const near = (actual, expected, words) =>
  assert.ok(Math.abs(actual - expected) < 0.02, `${words ?? ''} ${actual} is not ${expected}`)
const nearPoint = (actual, expected, words) => {
  near(actual.x, expected.x, words)
  near(actual.y, expected.y, words)
}
const shape = { id: 7, x: 100, y: 200, width: 300, height: 150, rotation: 30 }
const corner = (frame, right, bottom) => turned(
  { x: frame.x + (right ? frame.width : 0), y: frame.y + (bottom ? frame.height : 0) }, middle(frame), frame.rotation)

test('a box is drawn away from where the hand came down, to all four sides, and never too small', () => {
  const from = { x: 500, y: 500 }
  assert.deepEqual(drawnBox(from, { x: 700, y: 640 }), { x: 500, y: 500, width: 200, height: 140 })
  assert.deepEqual(drawnBox(from, { x: 300, y: 640 }), { x: 300, y: 500, width: 200, height: 140 })
  assert.deepEqual(drawnBox(from, { x: 300, y: 200 }), { x: 300, y: 200, width: 200, height: 300 })
  assert.deepEqual(drawnBox(from, { x: 510, y: 490 }), { x: 500, y: 400, width: 100, height: 100 })
  assert.deepEqual(drawnBox(from, { x: 510, y: 490 }, { least: 20 }), { x: 500, y: 480, width: 20, height: 20 })
  assert.deepEqual(drawnBox(from, { x: 700, y: 510 }, { even: true }), { x: 500, y: 500, width: 200, height: 200 })
  assert.deepEqual(drawnBox(from, { x: 600, y: 580 }, { around: true }), { x: 400, y: 420, width: 200, height: 160 })
})

test('a pulled corner follows the hand however the shape is turned, and the opposite corner stays', () => {
  for (let rotation = -180; rotation <= 180; rotation += 15) {
    const before = { ...shape, rotation }
    const after = { ...before, ...pulled(before, 40, 65) }
    nearPoint(corner(after, false, false), corner(before, false, false), `corner at ${rotation}`)
    if (after.width > 100 && after.height > 100) {
      const hand = corner(before, true, true)
      nearPoint(corner(after, true, true), { x: hand.x + 40, y: hand.y + 65 }, `hand at ${rotation}`)
    }
  }
})

test('each corner and side follows the hand, and the opposite one stays', () => {
  const at = (frame, across, down) => turned(
    { x: frame.x + (1 + across) / 2 * frame.width, y: frame.y + (1 + down) / 2 * frame.height }, middle(frame), frame.rotation)
  for (const [across, down] of [[-1, -1], [0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0]]) {
    const pull = turned({ x: across * 40, y: down * 25 }, { x: 0, y: 0 }, shape.rotation)
    const after = { ...shape, ...pulled(shape, pull.x, pull.y, { across, down }) }
    nearPoint(at(after, -across, -down), at(shape, -across, -down), `the other side of ${across} ${down}`)
    const hand = at(shape, across, down)
    nearPoint(at(after, across, down), { x: hand.x + pull.x, y: hand.y + pull.y }, `the hand at ${across} ${down}`)
  }
  const even = pulled({ ...shape, rotation: 0 }, -60, 0, { across: -1, down: 0, even: true })
  assert.deepEqual([even.width, even.height, even.x, even.y], [360, 180, 40, 185])
})

test('a pulled side of many stretches them along one axis, and none becomes too small', () => {
  const two = [{ id: 1, x: 0, y: 0, width: 100, height: 100, rotation: 0 }, { id: 2, x: 300, y: 50, width: 200, height: 100, rotation: 0 }]
  const frame = boundsOfAll(two)
  const wide = stretched(two, frame, 500, 90, { across: 1, down: 0 })
  assert.deepEqual(wide.map(({ x, width, height }) => [x, width, height]), [[0, 200, 100], [600, 400, 100]])
  assert.deepEqual(stretched(two, frame, -250, 0, { across: -1, down: 0 }).map(({ x }) => x), [-250, 200])
  assert.deepEqual(stretched(two, frame, 400, 0, { across: -1, down: 0 }).map(({ width }) => width), [100, 200])
  assert.deepEqual(stretched(two, frame, 0, 75, { across: 0, down: 1, around: true }).map(({ y }) => y), [-75, 25])
})

test('a pulled shape keeps its middle or its proportion where asked to', () => {
  nearPoint(middle(pulled(shape, 40, 65, { around: true })), middle(shape))
  const { width, height } = pulled(shape, 80, -20, { even: true })
  near(width / height, 2)
})

test('no shape becomes too small by hand, and one that was smaller before no larger', () => {
  const least = pulled({ ...shape, rotation: 0 }, -1000, -1000)
  assert.deepEqual([least.width, least.height, least.x, least.y], [100, 100, 100, 200])
  const small = { ...shape, rotation: 0, width: 40, height: 400 }
  assert.deepEqual([pulled(small, -900, -900).width, pulled(small, -900, -900).height], [40, 100])
  assert.equal(scaleMin([{ ...shape, height: 40 }]), 1)
  assert.equal(pinched([shape], { around: middle(shape), scale: 0.01 })[0].height, 100)
})

test('a short text and a level line hold back no others that are scaled with them', () => {
  const [text, line] = [{ ...shape, height: 28 }, { ...shape, width: 240, height: 1, rotation: 0 }]
  near(scaleMin([shape, text]), 20 / 28, 'a text stays as high as a mouse needs')
  near(scaleMin([shape, line]), 100 / 150)
  const lower = stretched([{ ...shape, rotation: 0 }, line], { ...shape, rotation: 0 }, 0, -40, { across: 0, down: 1 })
  assert.deepEqual(lower.map(({ height }) => height), [110, 1])
})

test('what two fingers hold stays under them', () => {
  const [after] = pinched([shape], { around: { x: 150, y: 220 }, scale: 1.5, rotation: 40, dx: 12, dy: -7 })
  // The point of the shape that was at the fingers' centre before the change.
  const inside = turned({ x: 150, y: 220 }, middle(shape), -shape.rotation)
  const share = { x: (inside.x - shape.x) / shape.width, y: (inside.y - shape.y) / shape.height }
  const now = turned({ x: after.x + share.x * after.width, y: after.y + share.y * after.height }, middle(after), after.rotation)
  nearPoint(now, { x: 162, y: 213 })
  near(after.rotation, 70)
  near(after.width, 450)
})

test('many turn around their common middle, and come back after a whole turn', () => {
  const shapes = [shape, { ...shape, id: 8, x: 600, rotation: -10 }]
  const around = middle(boundsOfAll(shapes))
  const quarter = pinched(shapes, { around, rotation: 90 })
  nearPoint(middle(quarter[1]), turned(middle(shapes[1]), around, 90))
  const whole = pinched(shapes, { around, rotation: 360 })
  nearPoint(whole[0], shapes[0])
  near(whole[1].rotation, -10)
})

test('values stay within what the wire takes', () => {
  assert.equal(moved([{ ...shape, x: 9.9e6 }], 1e9, 0)[0].x, 1e7)
  assert.equal(pinched([shape], { around: middle(shape), scale: 1e9 })[0].width, 1e6)
  assert.equal(normalDegrees(540), 180)
  assert.equal(normalDegrees(-190), 170)
})

test('turns are told from the hand’s way around the middle, and go in steps when asked to', () => {
  near(angleBetween({ x: 0, y: 0 }, { x: 10, y: 0 }, { x: 0, y: 10 }), 90)
  near(angleBetween({ x: 0, y: 0 }, { x: -10, y: 1 }, { x: -10, y: -1 }), 11.42)
  near(steppedTurn(10, 18), 20)
})

test('bounds hold a turned box', () => {
  const bounds = boundsOf({ x: 0, y: 0, width: 200, height: 100, rotation: 90 })
  nearPoint(bounds, { x: 50, y: -50 })
  near(bounds.width, 100)
})

test('a pointer means the nearest handle that it reaches, and a finger reaches farther', () => {
  const handles = [{ kind: 'move', x: 100, y: 100 }, { kind: 'rotate', x: 100, y: 40 }, { kind: 'scale', x: 130, y: 130 }]
  const kindAt = (point, pointer) => handleAt(handles, point, pointer)?.kind ?? null
  assert.equal(kindAt({ x: 124, y: 135 }, 'mouse'), 'scale')
  assert.equal(kindAt({ x: 116, y: 116 }, 'mouse'), null)
  assert.equal(kindAt({ x: 116, y: 116 }, 'touch'), 'scale')
  assert.equal(kindAt({ x: 112, y: 112 }, 'touch'), 'move')
  assert.equal(handleAt([], { x: 112, y: 112 }, 'touch'), null)
})

test('what keeps to the dots of the paper has its corner on one', () => {
  assert.deepEqual(onGrid({ x: 37, y: -11 }), { x: 48, y: 0 })
  assert.deepEqual(onGrid({ x: -11, y: -13 }), { x: 0, y: -24 })
  const [dx, dy] = wayOnGrid({ x: 100, y: 10, width: 100, height: 50, rotation: 0 }, 30, 30)
  assert.deepEqual([dx, dy], [20, 38])
})
