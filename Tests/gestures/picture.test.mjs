// Tests what of a drawing is painted where and when: transitions, boxes, hidden parts, stale tiles, handles, tones.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { beforeEach, test } from 'node:test'

import { Drawing, motion, view as twice } from './drawing.mjs'
import { Coasting } from '../../build/modules/arrange/coasting.js'
import { Source } from '../../build/modules/basics/source.js'
import { captionBox, captionMiddle, isWithin } from '../../build/modules/canvas/captions.js'
import { Cursors } from '../../build/modules/canvas/cursors.js'
import { Coverage } from '../../build/modules/canvas/coverage.js'
import { handleAt, Handles, pointOnFrame } from '../../build/modules/canvas/handles.js'
import { leading } from '../../build/modules/canvas/lines.js'
import { Marked } from '../../build/modules/canvas/marked.js'
import { blendColors, blendDegrees, colorOf, packedColor, Steps, Way } from '../../build/modules/canvas/motion.js'
import { Palette } from '../../build/modules/canvas/palette.js'
import { Scene } from '../../build/modules/canvas/scene.js'
import { Tiles } from '../../build/modules/canvas/tiles.js'
import { fillTone, inkTone } from '../../build/modules/canvas/tones.js'
import { View } from '../../build/modules/canvas/view.js'
import { WorkBudget } from '../../build/modules/canvas/work.js'

class Page extends EventTarget { hidden = false }

let drawing
let replica
let presence
let frames
let scene
beforeEach(() => {
  globalThis.document = new Page()
  drawing = new Drawing()
  replica = drawing.replica
  presence = Object.assign(new Source(), { people: () => [] })
  frames = { now: 0, asked: 0, request() { this.asked += 1 } }
  scene = new Scene(drawing, presence, frames)
  drawing.frame()
})
/** The next frame. `by`: who has made the changes. */
function frame(now, { by, ...more } = {}) {
  frames.now = now
  const changes = replica.changes()
  drawing.tell('changes', { ...changes, shapes: changes.shapes.map((change) => ({ ...change, by: by ?? change.by, ...more })) })
}

// Transitions.

test('a transition goes from one value to the other at its pace, and then is over', () => {
  const at = (pace, ...times) => times.map((time) => new Way(10, 20, 1_000, 200, pace).at(time))
  assert.deepEqual(at('even', 900, 1_000, 1_050, 1_199, 1_200, 5_000).map((each) => Math.round(each * 100) / 100), [10, 10, 12.5, 19.95, 20, 20])
  assert.deepEqual(at('slowing', 1_100), [10 + 10 * 0.875])
  assert.deepEqual(at(undefined, 1_100), at('slowing', 1_100))
  assert.deepEqual(at('accelerating', 1_100), [12.5])
  const way = new Way(0, 1, 1_000, 200)
  assert.deepEqual([1_199, 1_200].map((now) => way.isOver(now)), [false, true])
})

test('changes that follow each other quickly are a movement, whose steps take as long as the next is awaited', () => {
  const steps = (...times) => {
    const taken = new Steps()
    return times.map((time) => [taken.take(time), taken.isQuick])
  }
  assert.deepEqual(steps(0, 100, 300, 1_299, 2_299), [[null, false], [125, true], [187.5, true], [1.25 * (150 + 999) / 2, false], [null, false]])
  assert.deepEqual(steps(0, 250, 500), [[null, false], [null, false], [312.5, false]], 'of slow changes the third shows it')
  assert.deepEqual(steps(0, 249), [[null, false], [1.25 * 249, true]])
  assert.deepEqual(steps(0, 4), [[null, false], [20, true]])
})

test('colours and directions are blended, directions the shorter way', () => {
  assert.equal(packedColor('#0A0B0C'), 0x0A0B0C)
  assert.deepEqual([0x0A0B0C, 0].map(colorOf), ['#0a0b0c', '#000000'])
  assert.equal(blendColors(0x102030, 0x304050, 0.5), 0x203040)
  assert.equal(blendColors(0xFF0000, 0x0000FF, 0.25), 0xBF0040)
  assert.equal(blendColors(0x123456, 0x123456, 0.5), 0x123456)
  for (const [from, to, half] of [[0, 90, 45], [170, -170, -180], [-170, 170, 180], [0, 180, 90], [0, 540, 450], [10, 350, 360]]) {
    assert.equal(blendDegrees(from, to, 0.5), half, `${from} to ${to}`)
  }
  assert.equal(blendDegrees(10, 50, 1), 50)
})

test('on dark paper greys that could not be seen are lighter, ink more than fills, and colours stay', () => {
  const tones = (tone) => [0x000000, 0x404040, 0x7F7F7F, 0x808080, 0xFF0000, 0x181000, 0x191000].map((packed) => tone(packed, true))
  assert.deepEqual(tones(inkTone), ['#fcfcfc', '#bebebe', '#818181', '#808080', '#ff0000', '#faf2e2', '#191000'])
  assert.deepEqual(tones(fillTone), ['#3c3c3c', '#474747', '#7f7f7f', '#808080', '#ff0000', '#494131', '#191000'])
  assert.equal(inkTone(0x000000, false), '#000000')
  assert.equal(fillTone(0x484848, true), '#484848')
})

test('each colour of the canvas is one of the style sheets, and is read anew when the theme changes', () => {
  const folder = new URL('../../web/', import.meta.url)
  const sheets = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.css')).map((name) => readFileSync(new URL(name, folder), 'utf8')).join()
  const [media, read] = [new EventTarget(), new Set()]
  let paper = 'rgb(128, 0, 0)'
  let mutated
  Object.assign(globalThis, {
    matchMedia: () => media, MutationObserver: class { constructor(tell) { mutated = tell } observe() {} },
    getComputedStyle: () => ({ getPropertyValue: (name) => (read.add(name), name === '--paper' ? ` ${paper} ` : name) }),
  })
  document.documentElement = {}
  const palette = new Palette()
  let told = 0
  palette.on('change', () => { told += 1 })
  assert.equal(read.size, Object.keys(palette.colors).length, 'no two are one')
  for (const name of read) assert.ok(sheets.includes(`${name}:`), name)
  assert.deepEqual([palette.colors.paper, palette.isDark], ['rgb(128, 0, 0)', false])
  paper = 'rgb(127, 255, 255)'
  mutated()
  assert.deepEqual([palette.isDark, told], [true, 1])
  paper = 'rgb(250, 249, 246)'
  media.dispatchEvent(new Event('change'))
  assert.deepEqual([palette.isDark, told], [false, 4], 'one for each media query')
})

test('what others move glides as long as the next step is awaited, and what one moves oneself is there', () => {
  const id = drawing.add({ position: [0, 0] })
  frame(0)
  frame(5_000)
  const drawn = scene.drawn(id)
  const move = (x, now, by) => {
    drawing.write(id, { position: [x, 0] })
    frame(now, { by })
  }
  move(100, 10_000, 7)
  assert.deepEqual([drawn.x, drawn.moves, scene.moves()], [0, true, true])
  frame(10_100)
  assert.ok(drawn.x === 87.5)
  move(200, 10_100, 7)
  frame(10_100 + 62.5)
  assert.equal(drawn.x, 87.5 + 112.5 / 2, 'evenly')
  frame(10_100 + 125)
  assert.deepEqual([drawn.x, drawn.moves], [200, false])
  move(300, 20_000, replica.actor)
  frame(20_119)
  assert.ok(drawn.x > 299 && drawn.x < 300)
  frame(20_120)
  assert.equal(drawn.x, 300)
  move(400, 20_200, replica.actor)
  assert.equal(drawn.x, 400, 'a movement of one’s own')
  move(500, 30_000, 0)
  assert.equal(drawn.x, 500, 'after being offline')
  document.hidden = true
  document.dispatchEvent(new Event('visibilitychange'))
  move(600, 40_000, 7)
  assert.equal(drawn.x, 600)
  document.hidden = false
  document.dispatchEvent(new Event('visibilitychange'))
  move(610, 45_000, 7)
  assert.equal(drawn.x, 610, 'while the page was hidden')
  move(620, 50_000, 7)
  assert.equal(drawn.x, 610)
  frame(60_000)
  assert.equal(drawn.x, 620)
  drawing.write(id, { size: [300, 40], fill: '#102030', alpha: 5, rotation: 90, strokeWidth: 8, name: 'Sun' })
  frame(70_000, { by: 7 })
  frame(70_100)
  const part = 0.875
  const near = (value, expected) => assert.ok(Math.abs(value - expected) < 0.6, `${value} is not ${expected}`)
  near(drawn.width, 100 + 200 * part)
  near(drawn.height, 100 - 60 * part)
  near(drawn.rotation, 90 * part)
  near(100 * drawn.opacity, 100 - 50 * part)
  const path = drawn.path = {}
  frame(70_150)
  assert.equal(drawn.path, null)
  frame(70_200)
  drawn.path = path
  assert.deepEqual([drawn.width, drawn.fill, drawn.opacity], [300, 0x102030, 0.5])
  drawing.write(id, { position: [0, 0] })
  frame(80_000, { by: 7 })
  frame(80_100)
  assert.equal(drawn.path, path, 'a place changes no outline')
  drawing.write(id, { kind: 'star' })
  frame(90_000, { by: 7 })
  frame(90_100)
  assert.equal(drawn.path, null)
  frame(90_200)
  drawn.path = path
  drawing.write(id, { points: 7 })
  frame(95_000, { by: 0 })
  assert.equal(drawn.path, null)
  drawing.write(id, { visible: false })
  frame(99_000, { by: 0 })
  assert.equal(drawn.opacity, 0)
})

test('a pointer that comes in steps goes evenly from the third on, over a slow line too', () => {
  const cursors = new Cursors()
  let seen = null
  const context = new Proxy({}, { get: (_own, name) => (name === 'measureText' ? () => ({ width: 9 }) : (x) => { if (name === 'translate') seen = x }), set: () => true })
  const at = (now, x) => {
    const people = [{ actor: 7, name: 'Ann', color: '#112233', cursor: { x, y: 0 } }]
    cursors.follow(people, now)
    cursors.paint(context, people, { width: 900, height: 900, toScreen: (point) => point }, now, 'sans')
    return seen
  }
  const places = Array.from({ length: 24 }, (_, step) => at(100 * step, 40 * Math.floor(step / 4)))
  const steps = places.slice(1).map((place, step) => place - places[step]).slice(12)
  assert.ok(Math.min(...steps) > 3 && Math.max(...steps) < 3 * Math.min(...steps), `${places}`)
  assert.ok(cursors.moves(2_300))
  cursors.follow([], 2_300)
  assert.ok(!cursors.moves(2_300))
})

test('for who asks for less motion all is at its end in the next frame', (t) => {
  t.after(() => { motion.matches = false })
  motion.matches = true
  const [moved, deleted, taken] = [drawing.add(), drawing.add(), drawing.add()]
  frame(0, { by: 7 })
  assert.deepEqual([scene.drawn(moved).opacity, scene.drawn(moved).growth], [1, 1])
  drawing.write(moved, { position: [50, 400], fill: '#112233', rotation: 9 })
  replica.delete([deleted, taken])
  frame(1_000, { by: 7, departure: { x: 0, y: 500, width: 1, height: 1 } })
  const { x, y, rotation, fill } = scene.drawn(moved)
  assert.deepEqual([x, y, rotation, fill, scene.order.length, scene.moves()], [50, 400, 9, 0x112233, 1, false])
})

test('a new shape grows, a deleted one fades where it was, and one that comes back meanwhile stays', () => {
  const back = drawing.add({ position: [0, 0] })
  const id = drawing.add({ position: [300, 0] })
  const front = drawing.add({ position: [600, 0] })
  frame(1_000, { by: 7 })
  const drawn = scene.drawn(id)
  assert.deepEqual([drawn.opacity, Math.round(drawn.growth * 100)], [0, 80])
  frame(1_100)
  assert.deepEqual([drawn.opacity, drawn.growth], [0.875, 0.975])
  frame(1_200)
  assert.deepEqual([drawn.opacity, drawn.growth, scene.moves()], [1, 1, false])
  replica.delete([id])
  frame(2_000, { by: 7 })
  assert.deepEqual([scene.drawn(id), scene.order.map((each) => each.id)], [null, [back, id, front]])
  frame(2_100)
  assert.equal(drawn.opacity, 0.125)
  replica.undo()
  frame(2_100, { by: 7 })
  assert.equal(scene.drawn(id), drawn)
  frame(2_300)
  assert.deepEqual([drawn.opacity, scene.order.map((each) => each.id)], [1, [back, id, front]])
  replica.redo()
  frame(3_000, { by: 7 })
  replica.reorder([back], 'front')
  frame(3_100, { by: 7 })
  assert.equal(scene.order.length, 3)
  frame(3_200)
  assert.deepEqual([scene.order.map((each) => each.id), scene.order.map(({ place }) => place)], [[front, back], [0, 1]])
  replica.delete([back])
  frame(4_000, { by: 0 })
  assert.deepEqual([scene.order.map((each) => each.id), scene.moves()], [[front], false])
  const hole = { x: 0, y: 500, width: 1, height: 1 }
  const other = drawing.add()
  frame(5_000, { by: 0 })
  replica.delete([front])
  frame(6_000, { by: 7, departure: hole })
  assert.deepEqual(scene.order.map((each) => each.id), [other, front], 'what the hole swallows is on top')
  frame(6_349)
  assert.equal(scene.order.length, 2)
  frame(6_350)
  assert.deepEqual(scene.order.map((each) => each.id), [other])
})

test('what somebody holds is larger and fainter, until they let go', () => {
  const [id, other] = [drawing.add(), drawing.add()]
  frame(0, { by: 0 })
  scene.lift(id)
  frame(1_000)
  frame(1_120)
  const drawn = scene.drawn(id)
  assert.deepEqual([drawn.growth, drawn.opacity, drawn.isLifted], [1.06, 0.85, true])
  scene.lower(id)
  frame(2_000)
  assert.equal(drawn.isLifted, false)
  frame(2_200)
  assert.deepEqual([drawn.growth, drawn.opacity], [1, 1])
  presence.people = () => [{ lifted: [other, 99] }]
  frame(3_000)
  frame(3_199)
  assert.ok(scene.drawn(other).growth < 1.06)
  frame(3_200)
  assert.equal(scene.drawn(other).growth, 1.06)
  drawing.isPast = true
  frame(4_000)
  frame(4_200)
  assert.equal(scene.drawn(other).growth, 1)
})

test('what is painted anew is where a shape was and where it is', () => {
  const id = drawing.add({ position: [0, 0], size: [100, 50], strokeWidth: 4 })
  frame(0, { by: 0 })
  assert.equal(scene.takeTouched(), null, 'everything at first')
  assert.deepEqual(scene.takeTouched(), [])
  drawing.write(id, { position: [200, 0] })
  frame(1_000, { by: 0 })
  const boxes = scene.takeTouched()
  assert.deepEqual(boxes.slice(0, 4), [-2, -2, 102, 52])
  assert.deepEqual(boxes.slice(-4), [198, -2, 302, 52])
  drawing.write(id, { name: 'Sun' })
  frame(2_000, { by: 0 })
  assert.deepEqual(scene.takeTouched(), [], 'a name isn’t painted')
  scene.touch(id)
  scene.touch(99)
  assert.deepEqual(scene.takeTouched(), [198, -2, 302, 52])
  drawing.write(id, { rotation: 90 })
  frame(3_000, { by: 0 })
  assert.deepEqual(scene.takeTouched().slice(-4).map(Math.round), [223, -27, 277, 77])
  replica.delete([id])
  frame(4_000, { by: 0 })
  assert.deepEqual(scene.takeTouched().map(Math.round), [223, -27, 277, 77])
  scene.touchAll()
  assert.equal(scene.takeTouched(), null)
  const other = drawing.add()
  frame(5_000, { by: 7 })
  assert.ok(scene.drawn(other) && scene.moves())
  drawing.tell('changes', { reset: true, shapes: [], pairs: [] })
  assert.deepEqual([scene.takeTouched(), scene.order, scene.drawn(other), scene.moves()], [null, [], null, false])
})

test('the box of a line reaches as far as its heads and its caption', () => {
  const line = (set) => {
    const id = drawing.add({ kind: 'line', ...leading([{ x: 100, y: 0 }, { x: 500, y: 0 }]), strokeWidth: 2, ...set })
    frame(0, { by: 0 })
    return scene.drawn(id)
  }
  const bare = line({})
  assert.deepEqual([bare.left, bare.right, bare.top, bare.bottom], [94, 506, -6, 7])
  assert.equal(captionBox(bare), null)
  for (const [set, reaches] of [[{ text: 'Hello' }, [false, false, true, true]], [{ text: 'Hello', ...leading([{ x: 0, y: 0 }, { x: 30, y: 0 }]) }, [true, true, true, true]],
    [{ text: 'A', ...leading([{ x: 0, y: 0 }, { x: 0, y: 300 }]) }, [true, true, false, false]]]) {
    const drawn = line(set)
    const { x, y, width, height } = captionBox(drawn)
    assert.ok(width > set.text.length * 10 && width < set.text.length * 10 + 30 && height > 20 && height < 50, `${width}, ${height}`)
    const [left, right, top, bottom] = [x, x + width, y, y + height]
    assert.deepEqual([drawn.left === left, drawn.right === right, drawn.top === top, drawn.bottom === bottom], reaches)
    assert.ok(drawn.left <= left && drawn.right >= right && drawn.top <= top && drawn.bottom >= bottom)
    const { x: middleX, y: middleY } = captionMiddle(drawn)
    assert.ok(Math.hypot(middleX - (left + right) / 2, middleY - (top + bottom) / 2) < 1e-9)
  }
  const rectangle = drawing.add()
  frame(0, { by: 0 })
  assert.deepEqual([captionMiddle(scene.drawn(rectangle)), captionBox(scene.drawn(rectangle))], [null, null])
  const { x: middleX, y: middleY } = captionMiddle(line({ ...leading([{ x: 100, y: 50 }, { x: 500, y: 150 }]) }))
  assert.ok(Math.hypot(middleX - 300, middleY - 100) < 0.1)
  const box = { x: 10, y: 20, width: 30, height: 40 }
  for (const [x, y, isIn] of [[10, 20, true], [40, 60, true], [9, 30, false], [41, 30, false], [20, 19, false], [20, 61, false]]) assert.equal(isWithin(box, { x, y }), isIn)
  assert.equal(isWithin(null, { x: 0, y: 0 }), false)
})

// Tiles, hidden parts, work.

test('tiles that a change touches are stale, and are joined into few rectangles that hold nothing else', () => {
  const tiles = new Tiles(300, 200)
  assert.deepEqual([tiles.part, tiles.areas(), tiles.covers(0, 0, 1, 1)], [0, [], false])
  tiles.mark(70, 10, 127, 60)
  assert.deepEqual(tiles.areas(), [{ left: 64, top: 0, right: 128, bottom: 64 }])
  assert.deepEqual([[64, 0, 127, 63], [63, 0, 127, 63], [64, 0, 128, 63], [64, 0, 127, 64]].map((box) => tiles.covers(...box)), [true, false, false, false])
  tiles.mark(70, 70, 127, 130)
  tiles.mark(70, 10, 127, 60)
  assert.deepEqual([tiles.areas(), tiles.part], [[{ left: 64, top: 0, right: 128, bottom: 192 }], 3 / 20])
  tiles.mark(200, -50, 900, 10)
  tiles.mark(260, 190, 299, 199)
  assert.deepEqual(tiles.areas(), [
    { left: 64, top: 0, right: 128, bottom: 192 }, { left: 192, top: 0, right: 300, bottom: 64 },
    { left: 256, top: 128, right: 300, bottom: 200 },
  ])
  tiles.mark(-90, -90, -1, -1)
  tiles.mark(301, 0, 400, 10)
  assert.equal(tiles.areas().length, 3)
  tiles.mark(0, 0, 1, 1)
  assert.deepEqual(tiles.areas()[0], { left: 0, top: 0, right: 128, bottom: 64 })
})

test('the work for a picture is spent in full detail first, then in plain, and then there is none', () => {
  const budget = new WorkBudget()
  assert.deepEqual([[119_999, 1], [1, 1], [1, 59_999], [1, 2], [0, 9], [1, 1], [1, 1]].map(([whole, plain]) => budget.take(whole, plain)),
    ['whole', 'whole', 'plain', null, 'whole', 'plain', null])
})

test('of shapes that lie on each other only what can be seen is painted, and the cells around it', () => {
  const shape = (set, x, y, width, height) => {
    const id = drawing.add({ position: [x, y], size: [width, height], ...set })
    frame(0, { by: 0 })
    return scene.drawn(id)
  }
  const area = { left: 0, top: 0, right: 320, bottom: 640 }
  const seenBelow = (above, below) => {
    const coverage = new Coverage({ scale: 1, x: 0, y: 0 }, area)
    for (const each of above) coverage.take(each)
    return coverage.take(below)?.area ?? null
  }
  const below = shape({}, 101, 202, 98, 96)
  // Cells are 10 by 20 pixels. Those count that the box and a pixel around it touch.
  assert.deepEqual(seenBelow([], below), { left: 100, top: 200, right: 210, bottom: 300 })
  assert.equal(seenBelow([shape({}, 90, 180, 130, 140)], below), null)
  for (const set of [{ alpha: 9 }, { filled: false }, { kind: 'text' }, { kind: 'ink' }]) assert.ok(seenBelow([shape(set, 90, 180, 130, 140)], below), JSON.stringify(set))
  const half = shape({ alpha: 5 }, 90, 180, 130, 140)
  assert.ok(seenBelow(Array(9).fill(half), below))
  assert.equal(seenBelow(Array(11).fill(half), below), null, 'a thousandth shines through')
  assert.deepEqual(seenBelow([shape({}, 90, 180, 60, 140)], below), { left: 140, top: 200, right: 210, bottom: 300 })
  assert.deepEqual(seenBelow([shape({}, 90, 180, 130, 70)], below), { left: 100, top: 240, right: 210, bottom: 300 })
  for (const [kind, width, isHidden] of [['ellipse', 130, false], ['ellipse', 230, true], ['star', 400, true], ['polygon', 130, false], ['polygon', 420, true]]) {
    const above = shape({ kind, points: 5, innerRatio: 0.9 }, 150 - width / 2, 250 - width / 2, width, width)
    assert.equal(seenBelow([above], below) === null, isHidden, `${kind} ${width}`)
  }
  const round = { kind: 'roundedRectangle' }
  assert.equal(seenBelow([shape({ ...round, cornerRadius: 10 }, 70, 160, 170, 180)], below), null)
  assert.ok(seenBelow([shape({ ...round, cornerRadius: 80 }, 90, 180, 130, 140)], below))
  assert.ok(seenBelow([shape({ rotation: 45 }, 90, 180, 130, 140)], below))
  assert.equal(seenBelow([shape({ rotation: 90 }, 75, 185, 160, 130)], below), null)
  assert.equal(seenBelow([shape({ rotation: 30 }, -50, 170, 400, 160)], shape({}, 231, 295, 10, 10)), null)
  assert.equal(seenBelow([], shape({}, 400, 0, 50, 50)), null, 'out of the picture')
  assert.deepEqual(seenBelow([], shape({}, -500, -500, 5_000, 5_000)), area)
  const moved = new Coverage({ scale: 2, x: -100, y: -200 }, area)
  assert.deepEqual(moved.take(shape({}, 80.5, 130.5, 30, 30)).area, { left: 60, top: 60, right: 130, bottom: 140 })
  /** How many pieces of ink are painted, and how far from its middle the first begins. */
  const piecesBelow = (above, ink) => {
    const coverage = new Coverage({ scale: 2, x: -100, y: 0 }, area)
    for (const each of above) coverage.take(each)
    return coverage.take(ink)?.strokes.map(({ path: { steps } }) => [steps.length - 1, Math.round(steps[0][1])]) ?? null
  }
  const middle = 32_767
  // It leads down, from (130, 0) to (130, 100), and on from (70, 100) to (70, 200).
  const ink = shape({ kind: 'ink', strokeWidth: 4, rotation: 90, path: Array.from({ length: 11 }, (_, at) => [at * 6_553, at < 6 ? 0 : 2 * middle]) }, 0, 70, 200, 60)
  for (const [box, seen] of [
    [[40, 50, 200, 300], [[4, -100]]], [[40, -50, 200, 200], [[4, 30]]], [[95, -50, 200, 400], [[6, -10]]], [[0, -50, 105, 400], [[7, -100]]],
    [[40, 40, 200, 100], [[4, -100], [5, 10]]], [[40, -50, 200, 400], null], [[0, 300, 9, 9], [[11, -100]]],
  ]) {
    assert.deepEqual(piecesBelow([shape({}, ...box)], ink), seen, `${box}`)
  }
  for (const width of [100, 10]) {
    const scribble = [[0, middle, 200], [2 * middle, middle, 200], ...Array.from({ length: 9 }, (_, at) => [middle + 999 * (at % 2), middle, width])]
    const broad = shape({ kind: 'ink', strokeWidth: 60, path: scribble }, 80, 100, 100, 50)
    for (const above of [[], [shape({}, 40, 0, 125, 300)]]) assert.deepEqual(piecesBelow(above, broad), [[2, -50]], 'it hides itself')
    assert.deepEqual([130, 184].map((y) => seenBelow([broad], shape({}, 110, y, 40, 12)) === null), [true, false])
  }
  const pressed = shape({ kind: 'ink', strokeWidth: 10, path: Array.from({ length: 11 }, (_, at) => [at * 6_553, middle, at < 6 ? 100 : 102]) }, 0, 100, 70, 50)
  assert.deepEqual([1, 2].map((scale) => new Coverage({ scale, x: 0, y: 0 }, area).take(pressed).strokes.length), [1, 2], 'widths that look alike are one')
})

// Marks, handles, the view.

test('if there are many overlaps, those of the selected shapes and of the one pointed at are marked', () => {
  const touched = []
  const drawns = new Map([1, 2, 3, 4].map((id) => [id, { id, regions: new Set(), place: id }]))
  const region = (one, other) => {
    const made = { first: drawns.get(one), second: drawns.get(other) }
    for (const each of [made.first, made.second]) each.regions.add(made)
    return made
  }
  const [front, back] = [region(1, 2), region(3, 4)]
  const marks = { isOn: true, pointedAt: null }
  const selected = { size: 0, ids: () => [] }
  const seen = { drawn: (id) => drawns.get(id) ?? null, touch: (id) => touched.push(id), touchAll: () => touched.push('all') }
  const marked = new Marked({ scene: seen, marks, selection: selected })
  const state = (pairs) => {
    touched.length = 0
    marked.refresh(pairs)
    return [marked.isCrowded, marked.has(front), marked.has(back), [...touched].join()]
  }
  assert.deepEqual(state(50), [false, true, true, ''])
  assert.deepEqual(state(51), [true, false, false, 'all'])
  assert.deepEqual(state(41), [true, false, false, ''])
  marks.pointedAt = 2
  assert.deepEqual(state(41), [true, true, false, '2'])
  assert.deepEqual([1, 2].map((id) => marked.countOf(drawns.get(id))), [0, 1])
  Object.assign(selected, { size: 1, ids: () => [3] })
  marks.pointedAt = null
  assert.deepEqual(state(41), [true, false, true, '2,3'])
  for (let count = 0; count < 151; count++) drawns.get(4).regions.add({ first: drawns.get(1), second: drawns.get(4) })
  Object.assign(selected, { size: 2, ids: () => [3, 4] })
  assert.deepEqual(state(41), [true, false, false, '3'], 'too many of them')
  Object.assign(selected, { size: 1, ids: () => [4] })
  assert.deepEqual(state(41).slice(0, 3), [true, false, true])
  assert.deepEqual(state(40), [false, true, true, 'all'])
  marks.isOn = false
  assert.deepEqual(state(40), [false, false, false, 'all'])
  assert.equal(marked.countOf(drawns.get(4)), 0)
  assert.deepEqual(marked.painted()(drawns.get(4)), [])
})

test('handles are at the corners and sides where there is space, above and below, and a small shape has them around it', () => {
  const permission = { mayEdit: true }
  let [ids, isLocked] = [[], false]
  const selection = { ids: () => ids }
  const handles = new Handles({ selection, scene, view: twice, permission, locks: { hasAny: () => isLocked } })
  const on = (...sets) => {
    ids = sets.map((set) => drawing.add(set))
    frame(0, { by: 0 })
    return handles.all().map(({ kind, across, down, x, y, index }) => (index === undefined ? `${kind} ${across} ${down}: ${x} ${y}` : `${kind} ${index}: ${Math.round(x)} ${Math.round(y)}`))
  }
  const ends = ['move 0 1: 50 126', 'rotate 0 -1: 50 -26']
  assert.deepEqual(on({ size: [50, 50] }), ['scale 1 1: 100 100', 'scale 0 1: 50 100', 'scale -1 1: 0 100', 'scale -1 0: 0 50', 'scale -1 -1: 0 0', 'scale 0 -1: 50 0', 'scale 1 -1: 100 0', 'scale 1 0: 100 50', ...ends])
  assert.deepEqual(on({ size: [50, 39.9] }).slice(0, -2), ['scale 1 1: 100 79.8', 'scale 0 1: 50 79.8', 'scale 0 -1: 50 0'])
  assert.deepEqual(on({ size: [39.9, 40] }).slice(0, -2), ['scale 1 1: 79.8 80', 'scale -1 0: 0 40', 'scale 1 0: 79.8 40'])
  assert.deepEqual(on({ size: [10, 8] }), ['scale 1 1: 28 26', 'move 0 1: 10 52', 'rotate 0 -1: 10 -36'])
  assert.equal(on({ size: [50, 50], rotation: 30 }).length, 10)
  assert.equal(on({ size: [50, 50], rotation: 30 }, { position: [100, 0] }).length, 6)
  assert.equal(on({ size: [50, 50] }, { position: [100, 0] }).length, 10)
  const line = { kind: 'line', ...leading([{ x: 0, y: 0 }, { x: 40, y: 0 }, { x: 40, y: 39 }]) }
  assert.deepEqual(on(line), ['bend 0: 40 0', 'point 0: 0 0', 'point 1: 80 0', 'point 2: 80 78'])
  assert.deepEqual(on({ ...line, route: 'elbow' }), ['point 0: 0 0', 'point 1: 80 78'])
  // Where a curve goes on in its next piece, it touches the way from point to point.
  assert.deepEqual(on({ ...line, ...leading([{ x: 0, y: 0 }, { x: 60, y: 0 }, { x: 60, y: 90 }]), route: 'curved' }).slice(0, 2), ['bend 0: 90 0', 'bend 1: 120 45'])
  assert.deepEqual(on({ ...line, ...leading([{ x: 200, y: 300 }, { x: 600, y: 300 }]), text: 'Wow!' })[0], 'bend 0: 600 600', 'beside its caption')
  assert.equal(on(line, {}).some((handle) => handle.startsWith('point')), false)
  assert.equal(on({ ...line, kind: 'ink' }).some((handle) => handle.startsWith('point')), false)
  for (const [change, back] of [[() => { permission.mayEdit = false }, () => { permission.mayEdit = true }], [() => { isLocked = true }, () => { isLocked = false }], [() => handles.lead(null, true), () => handles.lead(null)]]) {
    change()
    assert.deepEqual(handles.all(), [])
    back()
    assert.ok(handles.all().length > 0)
  }
  for (const [pointer, reach] of [['mouse', 10], ['pen', 12], ['touch', 22]]) {
    const at = (x) => handleAt([{ x: 0, y: 0 }, { x: 20, y: 0 }], { x, y: 0 }, pointer)?.x
    assert.deepEqual([at(-reach), at(-reach - 1), at(10), at(9)], [0, undefined, 20, 0], 'of two that are as near the later')
  }
  const led = { x: 1, y: 2, width: 3, height: 4, rotation: 5 }
  handles.lead(led)
  assert.equal(handles.frame(), led)
  handles.lead(null)
  ids = []
  assert.deepEqual([handles.frame(), handles.all()], [null, []])
  const { x, y } = pointOnFrame(twice, { x: 0, y: 0, width: 100, height: 50, rotation: 90 }, 1, -1, { outX: 10, outY: -20 })
  assert.deepEqual([x, y].map(Math.round), [100 + 50 + 20, 50 + 100 + 10])
})

test('a view that goes somewhere is there in time, keeps the middle on a straight line, and is told as what it follows', () => {
  const view = new View()
  view.resize(1_000, 800, 2)
  let [told, hands] = [0, 0]
  view.on('change', () => { told += 1 })
  view.on('hand', () => { hands += 1 })
  view.fit({ x: 2_000, y: 1_000, width: 4_000, height: 100 }, 0, { now: 1_000 })
  assert.deepEqual([view.x, view.scale, hands, told], [0, 1, 1, 1])
  view.advance(1_100)
  const middle = () => view.toCanvas({ x: 500, y: 400 })
  assert.deepEqual([middle().x, middle().y].map(Math.round), [500 + 3_500 * 0.875, 400 + 650 * 0.875].map(Math.round))
  assert.ok(Math.abs(view.scale - 0.25 ** 0.875) < 1e-9)
  view.advance(1_200)
  assert.deepEqual([view.scale, view.x, view.y], [0.25, 2_000, 1_050 - 1_600])
  const before = told
  view.advance(1_300)
  assert.equal(told, before)
  const { x, y, width, height } = view.toldBox
  assert.deepEqual([x, y, width, height], [2_000, -550, 4_000, 3_200])
  const theirs = { x: 7, y: 8, width: 100, height: 400 }
  view.show(theirs)
  assert.deepEqual([view.scale, hands, view.toldBox], [2, 1, theirs])
  assert.deepEqual(view.visibleBox(), { x: 57 - 250, y: 8, width: 500, height: 400 })
  view.shift(10, -20)
  assert.deepEqual([view.x, view.y, view.toldBox, hands], [-193 - 5, 18, theirs, 1])
  view.panBy(10, -20)
  assert.deepEqual([view.x, view.y, view.toldBox.width, hands], [-203, 28, 500, 2])
  view.show(theirs)
  view.zoomAt({ x: 0, y: 0 }, 2)
  assert.deepEqual([view.toldBox.width, hands, view.pixels], [250, 3, { scale: 8, x: 193 * 8, y: -64 }])
  view.fit({ x: 0, y: 0, width: 100, height: 100 }, { left: 100, right: 400, top: 50, bottom: 150 }, { nearest: 5 })
  assert.deepEqual([view.scale, view.toScreen({ x: 50, y: 50 })], [5, { x: 350, y: 350 }])
  view.fit({ x: 0, y: 0, width: 100, height: 100 }, 0, { now: 2_000 })
  view.panBy(1, 1)
  const { scale } = view
  view.advance(2_200)
  assert.equal(view.scale, scale, 'a hand ends the way')
})

test('paper that was pushed coasts from some speed on, at most so fast, and stops when told', (t) => {
  let next = null
  globalThis.requestAnimationFrame = (run) => { next = run; return 1 }
  globalThis.cancelAnimationFrame = () => { next = null }
  t.mock.method(performance, 'now', () => 1_000)
  const gone = { x: 0, y: 0 }
  const view = { panBy(x, y) { gone.x += x; gone.y += y } }
  const coast = (x, y) => {
    Object.assign(gone, { x: 0, y: 0 })
    next = null
    return new Coasting(view, { x, y })
  }
  coast(249, 0)
  assert.equal(next, null)
  coast(150, 200)
  next(1_000)
  assert.deepEqual([gone.x, gone.y], [0, 0])
  next(1_500)
  const left = Math.exp(-1.5)
  assert.ok(Math.abs(gone.x - 50 * (1 - left)) < 1e-9 && Math.abs(gone.y - 200 / 3 * (1 - left)) < 1e-9)
  assert.ok(next)
  next(1_000 + Math.log(12.5) / 3 * 1_000 + 1)
  const before = gone.x
  assert.ok(before > 45)
  coast(50_000, 0)
  next(1_000_000)
  assert.equal(Math.round(gone.x), Math.round(5_000 / 3))
  const stopped = coast(500, 0)
  stopped.stop()
  assert.equal(next, null)
})
