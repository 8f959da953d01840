// Tests lines: where their points are, what they are tied to, how they are bent and led, and how they are painted.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import { Drawing, editingOf, stepOf, view } from './drawing.mjs'
import { abandonNew, Held, stillFree } from '../../build/modules/arrange/held.js'
import { isLed, isSameTie, loosened, placeLoose, tieAt } from '../../build/modules/arrange/ties.js'
import { addQuarters, addStraight, DashBudget, pieceBound, piecesLength, strokesOf } from '../../build/modules/canvas/dashes.js'
import {
  bent, boxEnd, DrawnLine, isCurve, leading, ledAnew, pathAlong, pathOf, placeIn, pointIn, pointsOn, roughPath, routed, setPointsOf, straightPath, strokeReach,
} from '../../build/modules/canvas/lines.js'
import { leadAround } from '../../build/modules/connect/around.js'
import { Leading, Lining } from '../../build/modules/connect/leading.js'

const near = (actual, expected, words) => {
  assert.ok(Math.abs(actual.x - expected.x) < 0.02 && Math.abs(actual.y - expected.y) < 0.02,
    `${words ?? ''} ${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`)
}
const rounded = (points) => points.map(({ x, y }) => [Math.round(x), Math.round(y)])

let drawing
let replica
let reach
beforeEach(() => {
  drawing = new Drawing()
  replica = drawing.replica
  reach = { shown: drawing, editing: editingOf(drawing), view }
})
const apart = (one, other) => Math.hypot(one.x - other.x, one.y - other.y)
const line = (points, set = {}) => drawing.add({ kind: 'line', ...leading(points), ...set })
const tie = (shape, x, y) => ({ shape, x: Math.round(x * boxEnd), y: Math.round(y * boxEnd) })

test('a place in a turned box and its point on the canvas are one, and a point outside has the nearest place', () => {
  const box = { x: 100, y: 200, width: 400, height: 100, rotation: 90 }
  for (const [place, point] of [[[0, 0], [350, 50]], [[1, 0], [350, 450]], [[0.5, 1], [250, 250]], [[0.25, 0.75], [275, 150]]]) {
    const at = pointIn(box, place[0] * boxEnd, place[1] * boxEnd)
    near(at, { x: point[0], y: point[1] })
    near(placeIn(box, at), { x: place[0], y: place[1] })
  }
  for (const [point, place] of [[[300, 900], [1, 0.5]], [[300, -900], [0, 0.5]], [[900, 250], [0.5, 0]], [[-900, 250], [0.5, 1]]]) {
    near(placeIn(box, { x: point[0], y: point[1] }), { x: place[0], y: place[1] })
  }
  near(placeIn({ ...box, rotation: 30 }, pointIn({ ...box, rotation: 30 }, 0.3 * boxEnd, 0.6 * boxEnd)), { x: 0.3, y: 0.6 })
})

test('a line has the points of its path, or else leads from the upper left to the lower right', () => {
  const frame = { x: 10, y: 20, width: 100, height: 40, rotation: 0 }
  assert.deepEqual(rounded(pointsOn({ ...frame, path: [] })), [[10, 20], [110, 60]])
  assert.deepEqual(rounded(pointsOn({ ...frame, path: [[0, boxEnd, 100], [boxEnd, 0, 100]] })), [[10, 60], [110, 20]])
  assert.equal(pathOf({ path: [] }).length, 2)
  const corners = { ...frame, path: [[0, 0], [boxEnd, 0], [boxEnd, boxEnd]] }
  assert.deepEqual(rounded(setPointsOf({ ...corners, route: 'straight' })), [[10, 20], [110, 20], [110, 60]])
  assert.deepEqual(rounded(setPointsOf({ ...corners, route: 'elbow' })), [[10, 20], [110, 60]])
  assert.deepEqual(['straight', 'curved', 'elbow'].map((route) => isCurve({ ...corners, route })), [false, true, false])
  assert.equal(isCurve({ route: 'curved', path: [[0, 0], [1, 1]] }), false)
  const path = straightPath({ shape: { path: [[0, 0], [boxEnd / 4, 0], [boxEnd, 0], [boxEnd, boxEnd]] }, width: 100, height: 40 })
  assert.deepEqual(path.steps, [['line', -50, -20], ['line', -25, -20], ['line', 50, -20], ['line', 50, 20]])
  assert.equal(straightPath({ shape: { path: Array(4).fill([0, 0]) }, width: 1, height: 1 }, 2).steps.length, 2)
  assert.equal(strokeReach(4), 9)
  assert.deepEqual([12, 13, 24, 25].map((length) => roughPath({ shape: { path: Array(length).fill([0, 0]) }, width: 1, height: 1 }).steps.length), [12, 7, 12, 9])
  assert.deepEqual(leading([{ x: 30, y: 50 }, { x: 10, y: 90.004 }, { x: 20, y: 60 }]),
    { position: [10, 50], size: [20, 40], path: [[boxEnd, 0], [0, boxEnd], [32768, 16384]] })
  assert.deepEqual(leading([{ x: 30, y: 50 }, { x: 31.5, y: 51.5 }]).size, [1.5, 1.5])
})

test('a curved line has a bend, which goes with the route if it is the only one', () => {
  const [from, to] = [{ x: 30, y: 10 }, { x: 130, y: 60 }]
  assert.deepEqual(bent([from, to], 'straight'), [from, to])
  assert.deepEqual(bent([from, to], 'curved'), [from, { x: 90, y: 15 }, to])
  const three = [from, { x: 39, y: 19 }, to]
  assert.equal(bent(three, 'curved'), three)
  const routes = (points, route, next, rotation = 0) => {
    const { path, ...set } = routed({ ...replica.shape(line(points)), route, rotation }, next)
    return [set.route, path?.length ?? null, set.rotation]
  }
  for (const [points, route, next, expected] of [
    [[from, to], 'straight', 'curved', 3], [three, 'straight', 'curved', null], [three, 'curved', 'straight', 2], [[from, ...three], 'curved', 'straight', null],
    [three, 'straight', 'elbow', null], [three, 'curved', 'elbow', 2], [[from, to], 'elbow', 'straight', 2], [[from, to], 'elbow', 'curved', 3], [three, 'curved', 'curved', null],
  ]) assert.deepEqual(routes(points, route, next), [next, expected, undefined], `${route} to ${next}`)
  assert.deepEqual(routes([from, to], 'straight', 'curved', 30), ['curved', 3, 0])
  const { position, size, path } = routed({ ...replica.shape(line([from, { x: 900, y: 900 }, to])), route: 'curved' }, 'straight')
  assert.deepEqual([position, size, path], [[30, 10], [100, 50], [[0, 0], [boxEnd, boxEnd]]])
  assert.equal('rotation' in ledAnew({ rotation: 0 }, [from, to]), false)
})

test('a line is painted in runs of one width, each at most so long, with its heads, and each goes on with the dashes of the last', () => {
  const numbers = (...rows) => Float64Array.from(rows.flat())
  const straight = (x, y, width) => [NaN, NaN, x, y, width]
  const lines = new DrawnLine(numbers([4, 1, 2], straight(11, 2, 3), straight(21, 2, 3), [26, 2, 26, 7, 4], straight(26, 9, 4)), Infinity)
  assert.deepEqual([lines.length, lines.widest, lines.isOne, lines.heads], [32, 4, false, null])
  assert.deepEqual(lines.runs.map(({ path, width, length, passed }) => [path.steps, width, length, passed]), [
    [[['move', 1, 2], ['line', 11, 2], ['line', 21, 2]], 3, 20, 0], [[['move', 21, 2], ['curve', 26, 2, 26, 7], ['line', 26, 9]], 4, 12, 20 / 3],
  ])
  assert.equal(lines.whole.steps.length, 5)
  const short = (longest) => new DrawnLine(numbers([3, 0, 0], straight(10, 0, 3), straight(20, 0, 3), straight(30, 0, 3)), longest)
  assert.deepEqual([30, 29, 20, 19, 5].map((longest) => [short(longest).isOne, short(longest).runs.map(({ length }) => length)]),
    [[true, [30]], [false, [20, 10]], [false, [20, 10]], [false, [10, 10, 10]], [false, [10, 10, 10]]])
  assert.equal(short(30).whole.steps.length, 4)
  const heads = new DrawnLine(numbers([1, 0, 0], straight(9, 0, 1), [1, 2, 3, 4, 5, 6], [7, 8, 2, NaN, NaN, NaN]), 100).heads
  assert.deepEqual(heads.steps, [['move', 1, 2], ['line', 3, 4], ['line', 5, 6], ['close'], ['move', 9, 8], ['arc', 7, 8, 2, 0, 2 * Math.PI]])
  const dot = { from: { x: 3, y: 4 }, control: null, to: { x: 3, y: 4 } }
  assert.deepEqual(pathAlong([dot]).steps, [['move', 3, 4], ['line', 3, 4], ['line', 3.01, 4]])
})

test('a line is dashed where its dashes can be seen and there is budget, and far out of view only its seen parts are painted', () => {
  const pieces = []
  addStraight(pieces, [{ x: 0, y: 0 }, { x: 4_000, y: 0 }, { x: 4_000, y: 3_000 }])
  assert.deepEqual([pieces.length, piecesLength(pieces)], [2, 7_000])
  assert.equal(pieceBound({ from: { x: 0, y: 0 }, control: { x: 3, y: 4 }, to: { x: 3, y: 0 } }), 9)
  const path = {}
  const box = (width) => () => ({ x: 100, y: -50, width, height: 100 })
  const strokes = (dash, width, { length = 7_000, passed, scale = 1, budget = new DashBudget(), seen = 500 } = {}) =>
    strokesOf(dash, width, { path, length, pieces: () => pieces, passed }, { box: box(seen), scale, budget })
  const whole = [{ path, offset: 0 }]
  assert.deepEqual(strokes('solid', 4), { paths: whole, pattern: [] })
  assert.deepEqual(strokes('dashed', 4), { paths: whole, pattern: [12, 8] })
  assert.deepEqual(strokes('dotted', 4), { paths: whole, pattern: [0, 8] })
  assert.deepEqual(['dashed', 'dotted'].map((dash) => strokes(dash, 4, { passed: 20 / 3 }).paths[0].offset), [80 / 3, 80 / 3])
  assert.deepEqual(strokes('dashed', 2, { scale: 0.1, seen: 5_000 }), { paths: whole, pattern: [6, 4] }, 'a dash and its gap are a pixel')
  assert.deepEqual(strokes('dashed', 1.9, { scale: 0.1, seen: 5_000 }), { paths: whole, pattern: [] }, 'they are less')
  // Of 3,500 dashes those are painted that are in view, and only as long as there is budget.
  const { paths: [part, ...more], pattern } = strokes('dotted', 1)
  assert.deepEqual([more, pattern], [[], [0, 2]])
  assert.deepEqual([part.offset, part.path.steps[0]], [0, ['move', 0, 0]])
  assert.deepEqual([part.path.steps.at(-1), part.path.steps.length], [['line', 1_000, 0], 3])
  for (const passed of [undefined, 30]) {
    const far = strokesOf('dotted', 1, { path, length: 7_000, pieces: () => pieces, passed }, {
      box: () => ({ x: 3_950, y: 2_000, width: 100, height: 400 }), scale: 1, budget: new DashBudget(),
    })
    assert.deepEqual(far.paths.map(({ offset }) => offset), [(passed ?? 0) + 4_000 + 1_875])
  }
  const used = new DashBudget()
  assert.deepEqual([used.takes(50_001), used.takes(49_999.5), used.takes(1), used.takes(0), used.takes(NaN)], [false, true, false, true, false])
  assert.deepEqual(strokes('dashed', 4, { budget: used }).pattern, [])
  assert.deepEqual(strokes('dotted', 1, { budget: used }).pattern, [])
  const asked = []
  strokes('dotted', 1, { budget: { takes: (parts) => { asked.push(parts); return true } } })
  assert.deepEqual(asked, [1_000 / 2 + 1])
  strokes('dashed', 4, { budget: { takes: (parts) => { asked.push(parts); return true } } })
  assert.equal(asked[1], 7_000 / 20)
  const ring = []
  addQuarters(ring, { x: 10, y: 20 }, 40, 30, 1, 2)
  near(ring[0].from, { x: 10, y: 50 })
  near(ring[64].from, { x: -30, y: 20 })
  near(ring.at(-1).to, { x: 10, y: -10 })
  for (const { from, control, to } of ring) {
    const middle = { x: (from.x + 2 * control.x + to.x) / 4, y: (from.y + 2 * control.y + to.y) / 4 }
    assert.ok(Math.abs(((middle.x - 10) / 40) ** 2 + ((middle.y - 20) / 30) ** 2 - 1) < 1e-6)
  }
})

test('of a long line all is painted that is in view, little else, and the dashes are where they would be', () => {
  const points = [[0, 0], [900, 2_000], [3_000, 100], [2_500, 2_700], [-800, 2_000], [400, 300], [1_500, 1_500], [1_400, 90]].map(([x, y]) => ({ x, y }))
  const pieces = [0, 2, 4].map((at) => ({ from: points[at], control: points[at + 1], to: points[at + 2] }))
  addStraight(pieces, points.slice(6))
  const on = ({ from, control, to }, part) => {
    const along = (axis) => (control ? (1 - part) ** 2 * from[axis] + 2 * part * (1 - part) * control[axis] + part ** 2 * to[axis] : from[axis] + (to[axis] - from[axis]) * part)
    return { x: along('x'), y: along('y') }
  }
  const samples = pieces.flatMap((piece) => Array.from({ length: 1_000 }, (_, at) => on(piece, at / 1_000)))
  const lengths = samples.map((sample, at) => (at === 0 ? 0 : apart(sample, samples[at - 1])))
  for (const [at, length] of lengths.entries()) lengths[at] = length + (lengths[at - 1] ?? 0)
  let seen = 0
  for (const [x, y] of [[0, 0], [900, 900], [1_400, 400], [1_900, 1_300], [300, 1_500], [1_380, 700], [-300, -300]]) {
    const [seenBox, width] = [{ x, y, width: 300, height: 150 }, 0.5]
    const { paths, pattern } = strokesOf('dotted', width, { path: null, length: 20_000, pieces: () => pieces }, { box: () => seenBox, scale: 4, budget: new DashBudget() })
    const painted = paths.flatMap(({ path, offset }) => {
      let from = null
      return path.steps.flatMap(([kind, ...values]) => {
        const [[toX, toY], [controlX, controlY]] = [values.slice(-2), values]
        const piece = { from, control: kind === 'curve' ? { x: controlX, y: controlY } : null, to: { x: toX, y: toY } }
        from = piece.to
        if (kind === 'move') {
          assert.ok(samples.some((sample, at) => apart(sample, from) < 4 && Math.abs(lengths[at] - offset) < 12), `offset ${offset}`)
          return []
        }
        return Array.from({ length: 41 }, (_, at) => on(piece, at / 40))
      })
    })
    for (const sample of samples) {
      const isIn = sample.x >= x && sample.x <= x + 300 && sample.y >= y && sample.y <= y + 150
      if (isIn) assert.ok(painted.some((point) => apart(point, sample) < 5), `${JSON.stringify(sample)} in ${JSON.stringify(seenBox)}`)
    }
    for (const point of painted) assert.ok(point.x > x - 310 && point.x < x + 610 && point.y > y - 160 && point.y < y + 310, `${JSON.stringify(point)} for ${x}, ${y}`)
    if (painted.length > 0) seen += 1
    assert.deepEqual(pattern, [0, 2 * width])
  }
  assert.ok(seen > 3)
})

test('an end is tied to the topmost shape at it or close by, and to its middle or the middle of a side if that is near', () => {
  const back = drawing.add({ position: [0, 0], size: [400, 200] })
  const front = drawing.add({ position: [100, 50], size: [200, 100] })
  drawing.add({ kind: 'ink', position: [100, 50], size: [200, 100], strokeWidth: 50 })
  const tied = (x, y) => {
    const found = tieAt(reach, { x, y })
    return found && [found.tie.shape, Math.round(found.at.x), Math.round(found.at.y)]
  }
  for (const [x, y, expected] of [
    [150, 80, [front, 150, 80]], [50, 20, [back, 50, 20]], [203, 104, [front, 200, 100]], [206, 100, [front, 200, 100]], [207, 100, [front, 207, 100]],
    [297, 97, [front, 300, 100]], [197, 52, [front, 200, 50]], [197, 147, [front, 200, 150]], [103, 102, [front, 100, 100]],
    [403, 30, [back, 399, 30]], [401, 30, [back, 399, 30]], [-3, 30, [back, 1, 30]], [50, 203, [back, 50, 199]], [50, -3, [back, 50, 1]], [405, 30, null], [50, -5, null],
  ]) assert.deepEqual(tied(x, y), expected, `${x}, ${y}`)
  const { tie: at } = tieAt(reach, { x: 150, y: 80 })
  assert.deepEqual([at.x, at.y], [Math.round(boxEnd / 4), Math.round(boxEnd * 0.3)])
  assert.ok(isSameTie(null, null) && isSameTie(at, { ...at }))
  for (const other of [null, { ...at, shape: back }, { ...at, x: 0 }, { ...at, y: 0 }]) assert.ok(!isSameTie(at, other))
})

test('a line that is moved is untied from what does not move with it, and stays where it is drawn', () => {
  const [one, other] = [drawing.add(), drawing.add({ position: [500, 300] })]
  const id = line([{ x: 0, y: 0 }, { x: 1, y: 1 }], { from: tie(one, 1, 0.5), to: tie(other, 0, 0.5) })
  const free = line([{ x: 0, y: 0 }, { x: 50, y: 70 }])
  const shapes = (...ids) => replica.shapesOf(ids)
  const loose = (...ids) => loosened(shapes(...ids)).map(({ shape, set: { from, to } }) => [shape, from, to])
  assert.deepEqual(loose(one, other, id, free), [])
  assert.deepEqual(loose(one, id), [[id, undefined, null]])
  assert.deepEqual(loose(other, id), [[id, null, undefined]])
  assert.deepEqual(loose(id), [[id, null, null]])
  const [shape] = shapes(id)
  assert.deepEqual([[one], [other], [free]].map((ids) => isLed(shape, new Set(ids))), [true, true, false])
  assert.ok(!isLed({ ...shape, kind: 'ink' }, new Set([one])))
  const before = rounded(pointsOn(shape))
  assert.ok(placeLoose(reach, [{ id, x: shape.x + 10, y: shape.y + 20 }]))
  const [moved] = shapes(id)
  assert.deepEqual([moved.from, moved.to], [null, null])
  assert.deepEqual(rounded(pointsOn(moved)), before.map(([x, y]) => [x + 10, y + 20]))
  assert.deepEqual(before, [[100, 50], [500, 350]])
})

test('what a gesture holds is let go of once it is deleted or locked, and a held line is untied once', () => {
  const [sun, moon] = [drawing.add(), drawing.add()]
  const id = line([{ x: 0, y: 0 }, { x: 9, y: 9 }], { from: tie(sun, 0.5, 0.5) })
  const held = new Held(reach, [moon, id])
  let edits = 0
  const { edit } = reach.editing
  reach.editing.edit = (change) => { edits += 1; return edit(change) }
  held.place([])
  assert.equal(edits, 0)
  held.place([{ id, x: 5 }])
  assert.deepEqual([edits, replica.shape(id).from], [2, null])
  held.place([{ id, x: 6 }])
  assert.equal(edits, 3)
  drawing.frame()
  drawing.write(sun, { locked: true })
  held.follow(drawing.frame())
  assert.deepEqual(held.ids.sort(), [moon, id].sort())
  drawing.write(moon, { locked: true })
  assert.equal(stillFree(reach, moon), null)
  held.follow(drawing.frame())
  assert.deepEqual(held.ids, [id])
  assert.equal(stillFree(reach, id), id)
  assert.equal(stillFree(reach, null), null)
  held.follow({ reset: true, shapes: [] })
  assert.deepEqual(held.ids, [id])
  const steps = []
  abandonNew(reach, { abandon: () => steps.push(replica.shape(id)) }, [id, moon])
  assert.deepEqual([steps, replica.shape(moon), stillFree(reach, id)], [[null], null, null])
  drawing.write(sun, { locked: false })
  held.follow({ reset: false, shapes: [{ shape: replica.shape(sun) }, { shape: null }] })
  assert.ok(held.isEmpty)
})

test('a curved line goes around the shapes that it is tied to, unless it has more bends or crosses none', () => {
  const one = drawing.add({ position: [0, 0], size: [100, 100] })
  const other = drawing.add({ position: [400, 30], size: [100, 100] })
  const between = (from, to, route = 'curved', points = 3) => {
    const id = line(Array.from({ length: points }, (_, at) => ({ x: 400 * at, y: 20 * at })), { route })
    drawing.write(id, { from, to })
    leadAround(reach, id)
    return replica.shape(id)
  }
  const [near, far] = [tie(one, 1, 0.5), tie(one, 0, 0.5)]
  const [there, beyond] = [tie(other, 0, 0.5), tie(other, 1, 0.5)]
  assert.equal(between(near, there).path.length, 3, 'it crosses none')
  for (const [from, to] of [[far, there], [near, beyond]]) {
    const around = between(from, to)
    assert.equal(around.route, 'curved')
    assert.ok(around.path.length > 3)
    const elbow = line([{ x: 0, y: 0 }, { x: 9, y: 9 }], { route: 'elbow' })
    drawing.write(elbow, { from, to })
    const corners = pointsOn(replica.shape(elbow))
    const points = pointsOn(around)
    for (const [index, point] of points.entries()) {
      const legs = corners.slice(1).filter((corner, at) => Math.abs(apart(corners[at], point) + apart(point, corner) - apart(corners[at], corner)) < 0.1)
      assert.ok(legs.length > 0, 'it goes as the elbow line does')
      assert.ok(index === 0 || apart(point, points[index - 1]) > 0.4)
    }
    for (const corner of corners.slice(1, -1)) {
      assert.ok(points.every((point) => apart(point, corner) > 4) && points.filter((point) => apart(point, corner) < 49).length >= 2, 'corners are round')
    }
    assert.ok(apart(points[0], corners[0]) < 0.1 && apart(points.at(-1), corners.at(-1)) < 0.1)
    for (const { x, y } of points.slice(1, -1)) {
      for (const left of [0, 400]) assert.ok(x <= left || x >= left + 100 || y <= (left === 0 ? 0 : 30) || y >= (left === 0 ? 100 : 130), `${x}, ${y} is in a shape`)
    }
  }
  assert.equal(between(far, there, 'straight', 2).path.length, 2)
  assert.equal(between(far, there, 'curved', 4).path.length, 4)
})

test('a line is drawn from tie to tie, in steps with Shift, untied with Control, and not at all if it is too short', () => {
  const sun = drawing.add({ position: [0, 0], size: [100, 100] })
  const moon = drawing.add({ position: [400, 0], size: [100, 100] })
  drawing.frame()
  const heard = []
  const selection = { clear: () => heard.push('clear'), set: (ids) => heard.push(ids) }
  const step = stepOf(heard)
  const all = { ...reach, selection, editing: { ...reach.editing, openStep: () => step } }
  const at = (x, y, more = {}) => ({ start: { x: 200, y: 100 }, x: 2 * x, y: 2 * y, ...more })
  const draw = (to, more = {}, look = {}) => {
    heard.length = 0
    const lining = new Lining(all, at(...to, more), look)
    lining.move(at(...to, more))
    lining.end(at(...to, more))
    const [id] = Array.isArray(heard.at(-1)) ? heard.at(-1) : []
    const shape = id === undefined ? null : replica.shape(id)
    return shape && [rounded(pointsOn(shape)), shape.from?.shape ?? null, shape.to?.shape ?? null]
  }
  assert.deepEqual(draw([400, 53]), [[[100, 50], [400, 50]], sun, moon])
  assert.deepEqual(heard.slice(0, 2), ['clear', 'end'])
  assert.deepEqual(draw([400, 53], { ctrl: true }), [[[100, 50], [400, 53]], null, null])
  assert.deepEqual(draw([400, 53], { meta: true }), [[[100, 50], [400, 53]], null, null])
  assert.deepEqual(draw([400, 53], { shift: true }), [[[100, 50], [400, 50]], sun, null])
  assert.deepEqual(draw([200, 140], { shift: true }), [[[100, 50], [195, 145]], sun, null])
  assert.equal(draw([200, 250], {}, { route: 'curved' })[0].length, 3)
  assert.equal(draw([102, 51], { ctrl: true }), null)
  assert.equal(heard.at(-1), 'abandon')
  assert.ok(draw([103, 50], { ctrl: true }))
  assert.ok(draw([-10, 50], { shift: true }, { route: 'curved' })[0].length > 2)
  const around = draw([500, 53], {}, { route: 'curved' })
  assert.ok(around[0].length > 3 && around[0].every(([x, y]) => x <= 400 || x >= 500 || y <= 0 || y >= 100), 'it is led around what it ends at')
  const lining = new Lining(all, at(100, 50), {})
  assert.deepEqual(lining.inHand.tied, [sun])
  lining.move(at(400, 53))
  assert.deepEqual(lining.inHand.tied, [sun, moon])
  lining.move(at(300, 80))
  const [id] = lining.inHand.held
  assert.equal(replica.shape(id).to, null)
  drawing.write(id, { toEnd: 'dot' })
  lining.end(at(250, 90))
  assert.deepEqual(rounded(pointsOn(replica.shape(id))), [[100, 50], [250, 90]])
  for (const [reason, expected] of [['interrupted', true], ['escape', false]]) {
    const other = new Lining(all, at(100, 50), {})
    other.move(at(300, 80))
    other.cancel(at(300, 80, { reason }))
    assert.equal(Array.isArray(heard.at(-1)), expected, reason)
  }
  const lost = new Lining(all, at(100, 50), {})
  replica.delete(lost.inHand.held)
  lost.follow()
  assert.deepEqual(lost.inHand.held, [])
  heard.length = 0
  lost.end(at(300, 80))
  assert.deepEqual(heard, ['abandon'])
})

test('a point of a line is moved at most as far as a line can be long, and all others stay', () => {
  const all = { ...reach, editing: { ...reach.editing, openStep: () => stepOf([]) } }
  for (const [target, x, expected] of [
    [{ index: 0, handle: 'point' }, -50_000, [[-10_000, 0], [495_000, 500], [990_000, 0]]],
    [{ index: 0, handle: 'bend' }, -50_000, [[0, 0], [-10_000, 0], [495_000, 500], [990_000, 0]]],
    [{ index: 1, handle: 'point' }, -50_000, [[0, 0], [-10_000, 0], [990_000, 0]]],
    [{ index: 1, handle: 'point' }, 1_050_000, [[0, 0], [1_000_000, 0], [990_000, 0]]],
    [{ index: 2, handle: 'point' }, 1_050_000, [[0, 0], [495_000, 500], [1_000_000, 0]]],
  ]) {
    const id = line([{ x: 0, y: 0 }, { x: 495_000, y: 500 }, { x: 990_000, y: 0 }])
    const leading = new Leading(all, { start: { x: 0, y: 0 }, target }, id)
    leading.move({ x: 2 * x, y: 0, ctrl: true, target })
    for (const [index, point] of pointsOn(replica.shape(id)).entries()) {
      assert.ok(apart(point, { x: expected[index][0], y: expected[index][1] }) < 20, `${JSON.stringify(target)}: ${JSON.stringify(point)}`)
    }
  }
})

test('a point of a line is moved, a bend is pulled out of it, and one that is nearly straight goes', () => {
  const sun = drawing.add({ position: [500, 500], size: [100, 100] })
  const id = line([{ x: 0, y: 0 }, { x: 100, y: 0 }, { x: 100, y: 100 }])
  drawing.frame()
  const heard = []
  const step = stepOf(heard)
  const all = { ...reach, editing: { ...reach.editing, openStep: () => step } }
  const gesture = (x, y, more = {}) => ({ start: { x: 2 * x, y: 2 * y }, x: 2 * x, y: 2 * y, target: { index: 0, handle: 'point' }, ...more })
  const move = (target, from, to, more = {}) => {
    const leading = new Leading(all, gesture(...from, { target, ...more }), id)
    leading.move(gesture(...to, { target, ...more }))
    const { inHand } = leading
    leading.end(gesture(...to, { target, ...more }))
    const shape = replica.shape(id)
    return [rounded(pointsOn(shape)), inHand.tied]
  }
  const point = (index) => ({ index, handle: 'point' })
  assert.deepEqual(move(point(2), [100, 100], [500, 553]), [[[0, 0], [100, 0], [500, 550]], [sun]])
  assert.equal(replica.shape(id).to.shape, sun)
  assert.deepEqual(move(point(2), [500, 550], [500, 553], { ctrl: true })[1], [])
  assert.equal(replica.shape(id).to, null)
  assert.deepEqual(move(point(0), [0, 0], [10, 20]), [[[10, 20], [100, 0], [500, 553]], []])
  assert.deepEqual(move(point(0), [10, 20], [50, 1], { shift: true })[0][0], [50, 0])
  assert.deepEqual(move(point(1), [100, 0], [560, 560])[1], [], 'a bend is not tied')
  assert.deepEqual(move({ index: 0, handle: 'bend' }, [300, 300], [300, 200])[0], [[50, 0], [300, 200], [560, 560], [500, 553]])
  assert.deepEqual(move(point(1), [300, 200], [305, 284])[0].length, 4)
  assert.deepEqual(move(point(1), [305, 284], [305, 283])[0], [[50, 0], [560, 560], [500, 553]])
  assert.deepEqual(move(point(2), [500, 553], [561, 660], { shift: true })[0][2], [560, 660])
  const other = new Leading(all, gesture(50, 0, { target: point(0) }), id)
  drawing.write(id, leading([{ x: 50, y: 0 }, { x: 400, y: 400 }, { x: 450, y: 450 }]))
  const changes = drawing.frame()
  other.follow({ shapes: changes.shapes.map((change) => ({ ...change, by: 77 })) })
  other.move(gesture(60, 10, { target: point(0) }))
  assert.deepEqual(rounded(pointsOn(replica.shape(id))), [[60, 10], [400, 400], [450, 450]])
  heard.length = 0
  other.cancel({ reason: 'escape' })
  other.cancel({ reason: 'interrupted' })
  assert.deepEqual(heard, ['abandon', 'end'])
})
