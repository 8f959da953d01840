import assert from 'node:assert/strict'
import test from 'node:test'

import { leading } from '../../build/modules/canvas/lines.js'
import { simplified } from '../../build/modules/draw/simplify.js'

/**
 * The points of ten seconds of scribbling, at 120 points a second: loops that drift, with an occasional sharp turn.
 */
function scribble(seconds = 10) {
  const points = []
  let [x, y, turn] = [0, 0, 0]
  for (let step = 0; step < seconds * 120; step++) {
    turn += 0.09 + 0.08 * Math.sin(step / 41) + (step % 97 === 0 ? 2.2 : 0)
    const speed = 6 + 4 * Math.sin(step / 17)
    x += speed * Math.cos(turn) + 1.1
    y += speed * Math.sin(turn) + 0.3 * Math.sin(step / 60)
    points.push({ x, y, width: 100 })
  }
  return points
}

/** The curve of docs/PROTOCOL.md (S15) through some points, as many small steps. */
function curve(points) {
  const middle = (one, other) => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 })
  const steps = [points[0]]
  for (let index = 1; index < points.length - 1; index++) {
    const [from, to] = [middle(points[index - 1], points[index]), middle(points[index], points[index + 1])]
    for (let step = 0; step <= 16; step++) {
      const part = step / 16
      const along = (axis) => (1 - part) ** 2 * from[axis] + 2 * part * (1 - part) * points[index][axis] + part ** 2 * to[axis]
      steps.push({ x: along('x'), y: along('y') })
    }
  }
  return [...steps, points[points.length - 1]]
}

function off(point, steps) {
  let least = Infinity
  for (let index = 1; index < steps.length; index++) {
    const [from, to] = [steps[index - 1], steps[index]]
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const square = dx * dx + dy * dy
    const part = square === 0 ? 0 : Math.max(0, Math.min(1, ((point.x - from.x) * dx + (point.y - from.y) * dy) / square))
    least = Math.min(least, Math.hypot(point.x - from.x - dx * part, point.y - from.y - dy * part))
  }
  return least
}

/** The number of bytes that a path takes in the binary encoding. */
function bytesOf({ path }) {
  const size = (step) => { const zigzag = step < 0 ? -2 * step - 1 : 2 * step; return zigzag < 128 ? 1 : zigzag < 16384 ? 2 : 3 }
  let [before, bytes] = [[0, 0], 1]
  for (const [x, y] of path) {
    bytes += size(x - before[0]) + size(y - before[1])
    before = [x, y]
  }
  return bytes
}

test('ten seconds of scribble take less than 3 KB, and the curve stays within a pixel or two of the hand', () => {
  const drawn = scribble()
  const [kept] = simplified(drawn, 0.5)
  const bytes = bytesOf(leading(kept))
  assert.ok(bytes < 3072, `${bytes} bytes for ${drawn.length} points, of which ${kept.length} are kept`)
  const steps = curve(kept)
  const worst = Math.max(...drawn.map((point) => off(point, steps)))
  assert.ok(worst < 0.5, `the curve is ${worst} off`)
})

test('points that lie unevenly on a line are no bend', () => {
  const xs = Array.from({ length: 300 }, (_, place) => 2 * place + 9 * Math.floor(place / 7))
  const drawn = xs.map((x) => ({ x, y: 40 * Math.sin(x / 60), width: 100 }))
  const [kept] = simplified(drawn, 0.5)
  assert.ok(kept.length < 60, `${kept.length} points`)
})

test('where the hand pressed more, the stroke is wider, although it leads straight on', () => {
  const drawn = Array.from({ length: 101 }, (_, place) => ({ x: 3 * place, y: 0, width: 40 + 10 * Math.round(place / 10) }))
  const [kept] = simplified(drawn, 0.5)
  for (const point of drawn) {
    const nearest = kept.reduce((best, each) => (Math.abs(each.x - point.x) < Math.abs(best.x - point.x) ? each : best))
    assert.ok(Math.abs(nearest.width - point.width) <= 15, `${nearest.width} where it was ${point.width}`)
  }
  assert.ok(kept.length < 12, `${kept.length} points`)
})

test('a straight line is two points, a tap a dot', () => {
  const line = Array.from({ length: 200 }, (_, place) => ({ x: 3 * place, y: 2 * place, width: 100 }))
  assert.deepEqual(simplified(line, 0.5), [[line[0], line[199]]])
  assert.deepEqual(simplified([line[3]], 0.5), [[line[3], line[3]]])
})

test('a corner stays a corner', () => {
  const side = (place) => ({ x: place < 50 ? 4 * place : 200, y: place < 50 ? 0 : 4 * (place - 50), width: 100 })
  const [kept] = simplified(Array.from({ length: 100 }, (_, place) => side(place)), 0.5)
  assert.ok(kept.length <= 5, `${kept.length} points`)
  assert.ok(off({ x: 200, y: 0 }, curve(kept)) < 0.01)
})

test('a stroke that needs more points than the wire takes is cut, and none of its turns is lost', () => {
  for (const [turns, count] of [[1024, 1], [1025, 2], [3000, 4]]) {
    const zigzag = Array.from({ length: turns }, (_, place) => ({ x: 20 * place, y: place % 2 * 6, width: 100 }))
    const parts = simplified(zigzag, 0.5)
    assert.equal(parts.length, count)
    assert.ok(parts.every((part) => part.length <= 1024 && part.length > 400), 'each of them counts')
    for (const [at, part] of parts.slice(1).entries()) assert.deepEqual(part[0], parts[at].at(-1), 'it begins where the one before ends')
    assert.deepEqual([parts[0][0], parts.at(-1).at(-1)], [zigzag[0], zigzag.at(-1)])
    assert.equal(parts.flat().length, turns + count - 1)
  }
  const shading = Array.from({ length: 16_000 }, (_, place) => ({ x: place / 40, y: 4 * Math.abs(place % 40 - 20), width: 100 }))
  const steps = simplified(shading, 0.5).map((part) => curve(part))
  const worst = Math.max(...shading.filter((_, place) => place % 20 === 0).map((turn) => Math.min(...steps.map((each) => off(turn, each)))))
  assert.ok(worst < 0.5, `the curve is ${worst} off`)
})

test('a line that leads straight across has a box that can be, and its widths where they are not even', () => {
  assert.deepEqual(leading([{ x: 10, y: 5 }, { x: -10, y: 5 }]), { position: [-10, 5], size: [20, 1], path: [[65535, 0], [0, 0]] })
  assert.deepEqual(leading([{ x: 0, y: 0 }, { x: 1, y: 3 }], [50, 70]).path, [[0, 0, 50], [65535, 65535, 70]])
})
