// Tests what is painted, with a context that only notes what it is told.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Drawing } from './drawing.mjs'
import { inkOn } from '../../build/modules/basics/ink.js'
import { shapeColors } from '../../build/modules/basics/shape-colors.js'
import { Source } from '../../build/modules/basics/source.js'
import { Drawn } from '../../build/modules/canvas/drawn.js'
import { Lasers } from '../../build/modules/canvas/lasers.js'
import { OthersWriting } from '../../build/modules/canvas/others-writing.js'
import { Picture } from '../../build/modules/canvas/picture.js'
import { Region, Regions } from '../../build/modules/canvas/regions.js'

let told = []
const context = new Proxy({}, { get: (_own, name) => (...values) => { told.push([name, ...values]) }, set: () => true })

const drawn = (id, x, y, side = 100) => Object.assign(new Drawn({
  id, kind: 'rectangle', x, y, width: side, height: side, rotation: 0, fill: '#112233', stroke: '#000000', strokeWidth: 0, cornerRadius: 0,
  innerRatio: 0.5, points: 5, alpha: 10, filled: true, visible: true, dash: 'solid', path: [], text: '', written: false, textSize: 20,
}, {}), { place: id })
const look = {
  pixels: { scale: 1, x: 0, y: 0 }, ratio: 1, isDark: false,
  colors: { paper: '#FFFFFF', dot: '#EEEEEE', overlap: '#FF8800', overlapLine: '#884400' },
}

test('two shapes that are seen apart have no mark between them while they move, and two that touch have one', () => {
  const regions = new Regions({
    shown: new Source(), scene: {}, marks: new Source(), selection: new Source(), frames: { request() {} },
  })
  const painted = (x, y) => {
    const region = Object.assign(new Region(drawn(1, 0, 0), drawn(2, x, y)), { isEnding: true })
    told = []
    regions.paint(context, region, look)
    return told.filter(([name]) => ['setTransform', 'fillRect', 'fill', 'stroke'].includes(name))
  }
  assert.deepEqual(painted(98, 0), [['setTransform', 1, 0, 0, 1, 0, 0], ['fillRect', 98, 0, 2, 100]], 'a narrow one is painted as a box')
  for (const [x, y] of [[100, 0], [140, 0], [0, 140], [140, 140], [-140, 30]]) assert.deepEqual(painted(x, y), [], `at ${x}, ${y}`)
})

test('the outline of what two shapes have in common is closed, and begins at a corner of it', () => {
  const replica = { commonRegion: () => [[{ x: 50, y: 60 }, { x: 90, y: 60 }, { x: 90, y: 80 }], [{ x: 0, y: 0 }]] }
  const region = new Region(drawn(1, 0, 0), drawn(2, 50, 60))
  new Regions({ shown: Object.assign(new Source(), { replica }), scene: {}, marks: new Source(), selection: new Source() }).prepare(region)
  assert.deepEqual([region.origin, region.path.steps], [{ x: 50, y: 60 }, [['move', 0, 0], ['line', 40, 0], ['line', 40, 20], ['close'], ['move', -50, -60], ['close']]])
})

test('letters on a colour are black or white, whichever contrasts more, and each part of the colour counts', () => {
  const white = ['#000000', '#0000FF', '#0060FF', '#7F007F', '#A01010', '#006000', '#1D4ED8']
  const black = ['#FFFFFF', '#FF0000', '#00FF00', '#0080FF', '#00FFFF', '#808080', '#A0A000']
  assert.deepEqual([...white, ...black].filter((color) => inkOn(color) === '#FFFFFF'), white)
  const light = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0)
  for (const [name, color] of shapeColors) {
    const [low, high] = [light(color), light(inkOn(color))].sort((one, other) => one - other)
    assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${name}: WCAG AA`)
  }
})

test('what is drawn into the hole goes there on a curve, ever faster and smaller, fades at the end, and is gone', () => {
  const shape = drawn(1, 0, 0)
  shape.drawIn({ x: 500, y: 300, width: 10, height: 10 }, 1000, 400)
  const seen = [0, 100, 200, 300, 400].map((milliseconds) => {
    const isHere = shape.advance(1000 + milliseconds)
    return { isHere, x: shape.centerX, y: shape.centerY, width: shape.width, opacity: shape.opacity }
  })
  const last = seen.at(-1)
  assert.deepEqual([seen[0], last], [
    { isHere: true, x: 50, y: 50, width: 100, opacity: 1 }, { isHere: false, x: 505, y: 305, width: 10, opacity: 0 },
  ])
  const steps = seen.slice(1).map(({ x, y, width }, at) => [Math.hypot(x - seen[at].x, y - seen[at].y), seen[at].width - width])
  for (const [at, step] of steps.entries()) for (const kind of [0, 1]) assert.ok(step[kind] > (steps[at - 1]?.[kind] ?? 0), `${steps}`)
  const beside = ({ x, y }) => Math.abs((x - 50) * (last.y - 50) - (y - 50) * (last.x - 50)) / Math.hypot(last.x - 50, last.y - 50)
  assert.ok(beside(seen[3]) > 30, 'it leaves the straight way')
  shape.advance(1000 + 380)
  assert.ok(seen[2].opacity === 1 && shape.opacity > 0 && shape.opacity < 0.6)
})

test('what has come to lie below another shape is not painted any more', () => {
  const picture = new Picture(context, { marked: { painted: () => () => [] } }, look)
  const fills = (...shapes) => {
    told = []
    picture.paint(shapes, look, { left: 0, top: 0, right: 320, bottom: 320 })
    return told.filter(([name]) => name === 'fill').length
  }
  const [below, above] = [drawn(1, 100, 100), drawn(2, 20, 20, 280)]
  const dots = fills()
  assert.deepEqual([fills(below), fills(below, above), fills(above, below)].map((each) => each - dots), [1, 1, 2])
})

test('S16: a caption is upright in the middle of its line, whatever the rotation', () => {
  const drawing = new Drawing()
  const line = new Drawn(drawing.replica.shape(drawing.add({ kind: 'line', rotation: 30, text: 'yes' })), drawing)
  told = []
  new Picture(context, { marked: { painted: () => () => [] } }, look).paint([line], look, { left: 0, top: 0, right: 320, bottom: 320 })
  const [[, x, y], turn, ...words] = told.filter(([name]) => ['translate', 'rotate', 'fillText'].includes(name))
  assert.deepEqual([Math.round(x), Math.round(y), turn, words.map(([, each]) => each)], [0, 0, ['rotate', -Math.PI / 6], ['yes']])
})

test('the trail of a laser pointer is there for a second, however long others go on telling it', () => {
  const laser = { stroke: 1, at: 1_000_000_000, points: [400, 400] }
  const people = [{ actor: 2, color: '#1D4ED8', laser }]
  const frames = new Source()
  const lasers = new Lasers({
    presence: { ownLaser: null, people: () => people, person: () => people[0] }, me: {}, shown: { isPast: false, live: { actor: 1 } }, view: {}, frames,
  })
  const isBare = (now) => {
    frames.tell('update', now)
    return lasers.isBare
  }
  assert.deepEqual([5_000, 5_999, 6_000, 6_500, 9_000].map(isBare), [false, false, true, true, true], 'so it asks for no more frames')
  laser.points.push(410, 400)
  assert.deepEqual([9_100, 10_100].map(isBare), [false, true])
})

test('what somebody writes in a shape is painted as it is turned, until the drawing has it or for 1.5 seconds', () => {
  const drawing = new Drawing()
  const id = drawing.add({ rotation: 30, text: 'Milk' })
  const shape = new Drawn(drawing.replica.shape(id), drawing)
  let people
  let follow
  const writing = new OthersWriting({
    scene: { drawn: (each) => (each === id ? shape : null), touch() {} }, view: { ...look, scale: 1 }, palette: look,
    shown: drawing, presence: { people: () => people }, frames: { on: (_name, run) => { follow = run } },
  })
  const painted = (now, ...typed) => {
    people = typed.map((each) => ({ actor: 1, writing: id, typed: each }))
    told = []
    follow(now)
    writing.paint(context)
    const found = told.filter(([name]) => ['rotate', 'fillText'].includes(name)).map(([, what]) => what)
    assert.equal(shape.isTyped, found.length > 0, 'the drawing leaves out its own text meanwhile')
    return found
  }
  const seen = [Math.PI / 6, 'Eggs']
  assert.deepEqual(painted(0, 'Eggs'), seen)
  assert.deepEqual([5_000, 6_500, 6_501].map((now) => painted(now)), [seen, seen, []])
  painted(7_000, 'Eggs')
  painted(7_100)
  drawing.write(id, { text: 'Eggs' })
  shape.shape = drawing.replica.shape(id)
  assert.deepEqual(painted(7_200), [], 'the drawing has it')
  painted(8_000, 'Eggs and ham')
  painted(8_100, 'Eggs')
  assert.deepEqual(painted(8_200), [], 'it was given up')
})
