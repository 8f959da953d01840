// Tests what is painted, with a context that only notes what it is told.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Drawing, view } from './drawing.mjs'
import { Element, makeElements } from './elements.mjs'
import { handAt } from './hand.mjs'
import { inkOn } from '../../build/modules/basics/ink.js'
import { shapeColors } from '../../build/modules/basics/shape-colors.js'
import { Source } from '../../build/modules/basics/source.js'
import { DashBudget } from '../../build/modules/canvas/dashes.js'
import { Drawn } from '../../build/modules/canvas/drawn.js'
import { paintGrid } from '../../build/modules/canvas/grid.js'
import { GrowingInk, Inks } from '../../build/modules/canvas/inks.js'
import { Lasers } from '../../build/modules/canvas/lasers.js'
import { OthersWriting } from '../../build/modules/canvas/others-writing.js'
import { Overlay } from '../../build/modules/canvas/overlay.js'
import { paintShape, paintTextOver } from '../../build/modules/canvas/outline.js'
import { Painter } from '../../build/modules/canvas/painter.js'
import { Picture } from '../../build/modules/canvas/picture.js'
import { Region, Regions } from '../../build/modules/canvas/regions.js'
import { paintText } from '../../build/modules/canvas/text.js'
import { Minimap } from '../../build/modules/find/minimap.js'

let told = []
const context = new Proxy({}, { get: (_own, name) => (...values) => { told.push([name, ...values]) }, set: () => true })

/** A context that notes lines, areas and letters with their colours, and the widths of lines. */
const style = {}
const pencil = new Proxy(style, {
  get: (_own, name) => (name === 'measureText' ? (words) => ({ width: 6 * words.length }) : style[name] ?? ((...values) => {
    if (/^(moveTo|lineTo|clearRect|drawImage)$/.test(name)) told.push([name, ...values])
    else if (name.startsWith('stroke')) told.push([name, style.strokeStyle, style.lineWidth])
    else if (name.startsWith('fill')) told.push([name, style.fillStyle, ...values.slice(0, 1)])
  })),
})

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

test('the dots of the paper are never nearer to each other than fourteen pixels, and every second one fades before that', () => {
  for (const [scale, ratio, apart, alphas] of [
    [1, 1, 24, [1, 0.71]], [0.6, 1, 28.8, [1]], [0.55, 1, 26.4, [1, 0.89]], [1.1, 2, 52.8, [1, 0.89]], [0.01, 1, 15.4, [1, 0.1]], [3, 1, 72, [1, 1]],
  ]) {
    const [lefts, painted] = [new Set(), []]
    const dots = { setTransform() {}, beginPath() {}, fill() { painted.push(Math.round(100 * this.globalAlpha) / 100) }, rect(x, _y, width) { if (width < 3) lefts.add(x) } }
    paintGrid(dots, { scale, x: 0, y: 0 }, ratio, { left: 0, top: 0, right: 9_000, bottom: 50 }, '#EEEEEE')
    assert.deepEqual([Math.round(10 * (Math.max(...lefts) - Math.min(...lefts)) / (lefts.size - 1)) / 10, painted], [apart, alphas])
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

test('the outline of an overlap is asked for again once one of both has moved, and is there while it fades', (t) => {
  const hand = handAt(t)
  new Regions({ ...hand, frames: { request() {} }, marks: Object.assign(new Source(), { isOn: true, pointedAt: null }) })
  const [id] = [0, 50].map((x) => hand.add({ position: [300 + x, 300] }))
  for (const [set, isKept] of [[{ name: 'Sun', fill: '#112233' }, true], [{ rotation: 10 }, false], [{ position: [320, 310] }, false], [{ visible: false }, true]]) {
    const [region] = hand.scene.drawn(id).regions
    region.path = 'outline'
    hand.drawing.write(id, set)
    hand.frame()
    assert.equal(region.path, isKept ? 'outline' : null, JSON.stringify(set))
  }
})

test('of the overlaps that wait, those are forgotten that are painted anew now', () => {
  const picture = new Picture(context, { marked: { painted: () => () => [] } }, look)
  const [near, far] = [0, 500].map((x) => new Region(drawn(1, x, 0), drawn(2, x + 50, 0)))
  picture.waiting.add(near).add(far)
  picture.forgetWaiting((left, top, right, bottom) => left >= 50 && top >= 0 && right <= 100 && bottom <= 100)
  assert.deepEqual([...picture.waiting], [far])
})

test('S16: a caption is upright in the middle of its line, whatever the rotation', () => {
  const drawing = new Drawing()
  const line = new Drawn(drawing.replica.shape(drawing.add({ kind: 'line', rotation: 30, text: 'yes' })), drawing)
  told = []
  new Picture(context, { marked: { painted: () => () => [] } }, look).paint([line], look, { left: 0, top: 0, right: 320, bottom: 320 })
  const [[, x, y], turn, ...words] = told.filter(([name]) => ['translate', 'rotate', 'fillText'].includes(name))
  assert.deepEqual([Math.round(x), Math.round(y), turn, words.map(([, each]) => each)], [0, 0, ['rotate', -Math.PI / 6], ['yes']])
  const steep = new Drawn(drawing.replica.shape(drawing.add({ kind: 'line', size: [1, 400], text: 'yes' })), drawing)
  told = []
  paintText(context, steep, 0.1, false)
  assert.deepEqual(told.find(([name]) => name === 'fillRect'), ['fillRect', -15, -5.5, 30, 10], 'from afar it is a bar, whatever the line’s own width')
})

test('a text that is painted once more over the marks is as faint as its shape', () => {
  const drawing = new Drawing()
  paintTextOver(pencil, new Drawn(drawing.replica.shape(drawing.add({ text: 'yes', alpha: 5 })), drawing), { ...look })
  assert.equal(style.globalAlpha, 0.5)
})

test('the trail of a laser pointer is there for a second, however long others go on telling it', () => {
  const laser = { stroke: 1, at: 1_000_000_000, points: [400, 400] }
  const people = [{ actor: 2, color: '#1D4ED8', laser }]
  const frames = new Source()
  const lasers = new Lasers({
    presence: { ownLaser: null, people: () => people, person: () => people[0] }, me: {}, shown: { isPast: false, live: { actor: 1 } }, view, frames,
  })
  const isBare = (now) => {
    frames.tell('update', now)
    return lasers.isBare
  }
  assert.deepEqual([5_000, 5_999, 6_000, 6_500, 9_000].map(isBare), [false, false, true, true, true], 'so it asks for no more frames')
  laser.points.push(410, 400)
  assert.deepEqual([9_100, 10_100].map(isBare), [false, true])
  laser.points.push(420, 400)
  people[0].color = '#0F766E'
  assert.equal(isBare(11_000), false)
  told = []
  lasers.paint(pencil, 11_500)
  assert.deepEqual(told, [
    ['moveTo', 840, 800], ['lineTo', 840.01, 800], ['stroke', '#FFFFFF', 4], ['moveTo', 840, 800], ['lineTo', 840.01, 800], ['stroke', '#0F766E', 2.5],
  ], 'in the colour that they have by now')
})

test('what somebody writes in a shape is painted as it is turned, until the drawing has it or for 1.5 seconds', () => {
  const drawing = new Drawing()
  const id = drawing.add({ rotation: 30, text: 'Milk' })
  const shape = new Drawn(drawing.replica.shape(id), drawing)
  let people
  let follow
  let touched = 0
  const writing = new OthersWriting({
    scene: { drawn: (each) => (each === id ? shape : null), touch: () => { touched += 1 } }, view: { ...look, scale: 1 }, palette: look,
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
  assert.deepEqual([painted(0, 'Eggs'), touched], [seen, 1], 'and is painted anew for that')
  assert.deepEqual([[3_000], [4_400, 'Eggs'], [4_600, 'Eggs']].map((each) => painted(...each)), [seen, seen, seen], 'somebody goes on')
  assert.deepEqual([5_000, 6_500, 6_501].map((now) => painted(now)), [seen, seen, []])
  painted(7_000, 'Eggs')
  painted(7_100)
  drawing.write(id, { text: 'Eggs' })
  shape.shape = drawing.replica.shape(id)
  assert.deepEqual(painted(7_200), [], 'the drawing has it')
  painted(8_000, 'Eggs and ham')
  painted(8_100, 'Eggs')
  assert.deepEqual(painted(8_200), [], 'it was given up')
  painted(9_000, 'Ham')
  drawing.isPast = true
  assert.deepEqual(painted(9_100, 'Ham'), [], 'the past is shown')
  drawing.isPast = false
  shape.isWritten = true
  follow(9_200)
  told = []
  writing.paint(context)
  assert.deepEqual(told, [], 'one’s own text field is there')
})

/** What is painted above the drawing, by whoever selects, and by Ben. */
function above(t) {
  const hand = handAt(t)
  const frames = Object.assign(new Source(), { asked: 0, request() { this.asked += 1 } })
  const overlay = new Overlay({ getContext: () => pencil, addEventListener() {} }, {
    ...hand, frames, palette: { isDark: false, colors: { accent: 'accent', onAccent: 'onAccent', panel: 'panel', face: 'sans' } },
  })
  const people = []
  hand.presence.people = () => people
  const ben = (...states) => {
    people.splice(0, 2, ...states.map((state, at) => (
      { actor: 7 + at, name: 'Ben', color: '#0F766E', selection: [], lifted: [], writing: null, cursor: null, ink: null, ...state })))
  }
  let now = 0
  const painted = (milliseconds, ...names) => {
    told = []
    frames.tell('paint', now += milliseconds)
    return told.filter(([name]) => names.includes(name))
  }
  return { hand, frames, overlay, painted, ben }
}

test('one’s own selection has a box with handles in one’s own colour, and what others select a box and a name in theirs', (t) => {
  const { hand, frames, painted, ben } = above(t)
  const ids = Array.from({ length: 401 }, (_, at) => hand.add({ position: [300 + at, 300] }))
  hand.pass(1_000)
  hand.selection.set(ids.slice(0, 1))
  assert.equal(frames.asked, 1)
  assert.deepEqual(painted(0, 'strokeRect'), [['strokeRect', 'accent', 1.5]])
  const lines = painted(0, 'moveTo', 'lineTo')
  for (const line of [[-3.5, 0, 3.5, 0], [0, -3.5, 0, 3.5]]) {
    assert.ok(lines.some(([name, ...from], at) => name === 'moveTo' && `${[from, lines[at + 1].slice(1)]}` === `${line}`), 'the handle that moves is a cross')
  }
  hand.selection.set(ids.slice(0, 2))
  assert.deepEqual(painted(0, 'strokeRect'), [['strokeRect', 'accent', 1], ['strokeRect', 'accent', 1], ['strokeRect', 'accent', 1.5]])
  hand.selection.set([])
  for (const [count, boxes] of [[2, 2], [400, 400], [401, 1], [2, 2], [0, 0]]) {
    ben({ selection: ids.slice(0, count) })
    assert.deepEqual(painted(0, 'strokeRect', 'fillText'), [
      ...Array(boxes).fill(['strokeRect', '#0F766E', 1.5]), ...boxes > 0 ? [['fillText', '#FFFFFF', 'Ben']] : [],
    ], `${count} shapes have ${boxes} boxes`)
  }
  ben({ selection: ids.slice(0, 300) }, { selection: ids.slice(100) })
  assert.equal(painted(0, 'strokeRect').length, 301, 'all together have 400')
  ben({ lifted: ids.slice(0, 1), writing: ids[0] })
  assert.deepEqual(painted(0, 'fillText'), [['fillText', '#FFFFFF', 'Ben is writing…']])
  hand.drawing.isPast = true
  assert.equal(painted(0, 'clearRect').length, 1)
  assert.deepEqual(painted(0, 'clearRect', 'strokeRect'), [], 'what is empty is not painted again')
})

test('another’s pointer has their colour and a white edge, and for eight seconds their name, also from beside the window', (t) => {
  const { painted, ben } = above(t)
  const arrow = [['stroke', '#FFFFFF', 2.5], ['fill', '#0F766E']]
  const seen = (milliseconds) => painted(milliseconds, 'stroke', 'fill', 'fillText').map((each) => each.filter((part) => typeof part !== 'object'))
  const named = [...arrow, ['fill', '#0F766E'], ['fillText', '#FFFFFF', 'Ben']]
  for (const [x, y, is] of [[500, 300, true], [-190, -50, true], [-210, 300, false], [500, -70, false], [1_290, 810, true], [1_310, 300, false], [500, 830, false]]) {
    ben({ cursor: { x, y } })
    seen(10_000)
    assert.deepEqual(seen(7_999), is ? named : [], `${x}, ${y}`)
    assert.deepEqual(seen(1), is ? arrow : [])
  }
})

test('guides reach eight pixels beyond the shapes, or only across a gap, and lie on whole pixels', (t) => {
  const { hand, frames, overlay, painted } = above(t)
  hand.view.zoomAt({ x: 0, y: 0 }, 2)
  overlay.setGuides([
    { axis: 'x', at: 100.2, from: 0, to: 50, between: [10, 30.5] }, { axis: 'y', at: 70, from: 5, to: 50, between: null, isGap: true },
  ])
  const places = painted(0, 'moveTo', 'lineTo').map(([, ...place]) => place)
  assert.deepEqual(places, [
    [200.5, -7.5], [200.5, 108.5], [196.5, 20.5], [204.5, 20.5], [196.5, 61.5], [204.5, 61.5], [10.5, 140.5], [100.5, 140.5],
  ])
  assert.deepEqual(painted(0, 'fillText'), [['fillText', 'onAccent', '20.5']])
  const { asked } = frames
  overlay.setGuides([])
  assert.deepEqual([frames.asked - asked, painted(0, 'lineTo')], [1, []])
  overlay.setGuides([])
  assert.equal(frames.asked - asked, 1)
})

test('what the pointer is over has a faint box unless it is selected, and of more than 400 hits only the current one has', (t) => {
  const { hand, frames, overlay, painted } = above(t)
  const ids = Array.from({ length: 401 }, (_, at) => hand.add({ position: [300 + at, 300] }))
  hand.pass(1_000)
  overlay.setHover(ids[0])
  overlay.setHover(ids[0])
  assert.deepEqual([frames.asked, painted(0, 'strokeRect')], [1, [['strokeRect', 'accent', 1]]])
  hand.selection.set(ids.slice(0, 1))
  assert.deepEqual(painted(0, 'strokeRect'), [['strokeRect', 'accent', 1.5]])
  hand.selection.set([])
  overlay.setHover(null)
  const strong = [['strokeRect', 'accent', 10], ['strokeRect', 'accent', 2]]
  const [near, far] = [ids.slice(0, 2), hand.add({ position: [-900, 0] })]
  for (const [found, at, boxes] of [[ids, 7, strong], [near, 1, [['strokeRect', 'accent', 5], ...strong]], [[far, ...near], 2, [['strokeRect', 'accent', 5], ...strong]], [[], 0, []]]) {
    overlay.setFound(found, at)
    assert.deepEqual(painted(0, 'strokeRect'), boxes)
  }
  const part = { follow() {}, paint() {} }
  for (const set of [() => overlay.setFound([], 0), () => overlay.setMarquee(null), () => overlay.setInk(null), () => overlay.setLasers(part)]) {
    const { asked } = frames
    set()
    assert.equal(frames.asked, asked + 1, `${set} is seen in the next frame`)
  }
})

/** Canvases aside that do what the pencil does. */
function sheets(t) {
  const { OffscreenCanvas } = globalThis
  globalThis.OffscreenCanvas = class {
    getContext() { return pencil }
    set width(width) { told.push(['cleared', width]) }
  }
  style.canvas = { width: 1_280, height: 800 }
  t.after(() => {
    Object.assign(globalThis, { OffscreenCanvas })
    delete style.canvas
  })
}

test('what is faint is painted aside as far as it is in view, and from there as a whole', (t) => {
  sheets(t)
  const drawing = new Drawing()
  const shape = new Drawn(drawing.replica.shape(drawing.add({ position: [100, 100], alpha: 5, stroke: '#112233', strokeWidth: 10 })), drawing)
  for (const [area, expected] of [
    [{ left: 0, top: 0, right: 900, bottom: 900 }, [144, 74, 112, 112]], [{ left: 150, top: 80, right: 250, bottom: 180 }, [150, 80, 100, 100]],
    [{ left: 300, top: 0, right: 900, bottom: 900 }, null],
  ]) {
    told = []
    for (const _ of paintShape(pencil, shape, { pixels: { scale: 1, x: 50, y: -20 }, area, dashes: new DashBudget(), isDark: false }));
    const [whole, ...more] = told.filter(([name]) => name === 'drawImage').map(([, , _x, _y, width, height, left, top]) => [left, top, width, height])
    assert.deepEqual([whole ?? null, more], [expected, []])
  }
})

test('what takes many frames is painted once for each change, also if overlaps are only then asked for', (t) => {
  const hand = handAt(t)
  let painted = 0
  const any = new Proxy(() => {}, { get: (_own, name) => (name === Symbol.toPrimitive ? () => 0 : any), apply: () => any, set: () => true })
  const sheet = (canvas) => Object.assign(canvas, { addEventListener() {}, getContext: () => new Proxy(
    { canvas, isPointInPath: () => false, drawImage() { painted += 1 } }, { get: (own, name) => own[name] ?? any, set: () => true }) })
  const { OffscreenCanvas } = globalThis
  Object.assign(globalThis, { createImageBitmap: async () => any, OffscreenCanvas: function (width, height) { return sheet({ width, height }) } })
  t.after(() => Object.assign(globalThis, { OffscreenCanvas }))
  const frames = Object.assign(new Source(), { request() {} })
  const regions = new Regions({ ...hand, frames, marks: Object.assign(new Source(), { isOn: true, pointedAt: null }) })
  const painter = new Painter(sheet({}), { ...hand, regions, frames, palette: Object.assign(new Source(), { isDark: false, colors: look.colors }) })
  const ids = Array.from({ length: 60 }, (_, at) => hand.add({ alpha: 1, strokeWidth: 6, position: [30 * at - 1_800, 30 * at - 1_800], size: [3_000, 2_000] }))
  hand.selection.set(ids.slice(-1))
  for (const x of [0, -100, -200]) {
    hand.drawing.write(ids.at(-1), { position: [x, -250] })
    hand.pass(2_000)
    painted = 0
    let count = 0
    do frames.tell('paint', 0); while (!painter.isDone && (count += 1) < 100)
    assert.ok(count > 5 && painter.isDone && painted < 1.5 * ids.length, `${painted} of ${ids.length} faint shapes in ${count} frames`)
    assert.ok([...hand.scene.drawn(ids.at(-1)).regions].every(({ path }) => path), 'all overlaps are marked')
  }
})

test('what is being drawn is painted on from where it was, anew when a stroke goes, and stays until the drawing has it or for 1.5 seconds', (t) => {
  sheets(t)
  const inks = new Inks()
  const ink = (shape, count, at = 0) => [{ actor: 7, ink: { shape, color: '#0F766E', width: 4, at, points: Array.from({ length: 2 * count }, (_, each) => 10 * (at + each)) } }]
  const painted = (people, now, drawn) => {
    told = []
    inks.follow(people, now, (shape) => shape === drawn)
    inks.paint(pencil, { pixels: { scale: 1, x: 0, y: 0 } }, false)
    return [told.some(([name]) => name === 'cleared'), told.filter(([name]) => name === 'stroke').length, inks.hasAny, inks.isWaiting]
  }
  for (const [what, people, now, drawn, expected] of [
    ['a stroke begins', ink(5, 3), 0, 0, [true, 2, true, false]], ['nothing new', ink(5, 3), 0, 0, [false, 1, true, false]], ['it goes on', ink(5, 2, 3), 0, 0, [false, 2, true, false]],
    ['the next begins', ink(6, 3), 100, 0, [true, 2, true, false]], ['it has ended', [], 1_600, 0, [false, 1, true, true]], ['it did not come', [], 1_601, 0, [false, 0, false, false]],
    ['another', ink(7, 3), 2_000, 0, [true, 2, true, false]], ['it is in the drawing', ink(7, 3), 2_100, 7, [false, 0, false, false]], ['and told for longer', ink(7, 3), 2_200, 7, [false, 0, false, false]],
  ]) assert.deepEqual(painted(people, now, drawn), expected, what)
  const own = new GrowingInk('#B42318', 4)
  for (const x of [0, 10, 20]) own.add({ x, y: 0 })
  inks.setOwn(own, [])
  assert.deepEqual(painted(ink(8, 3), 3_000), [true, 4, true, false])
  inks.setOwn(null, [])
  assert.deepEqual(painted(ink(8, 3), 3_000), [true, 2, true, false])
})

test('the map has ink as it is turned, to its last point', (t) => {
  const hand = handAt(t)
  const body = makeElements()
  Element.prototype.getContext = () => pencil
  hand.add({ kind: 'ink', position: [500, 300], size: [200, 20], rotation: 90, path: Array.from({ length: 60 }, (_, at) => [Math.round(65_535 * at / 59), 32_768, 100]) })
  hand.pass(1_000)
  const frames = Object.assign(new Source(), { request() {} })
  new Minimap({ ...hand, frames, minimap: Object.assign(new Source(), { isOn: true }), palette: Object.assign(new Source(), { isDark: false, colors: { accent: 'accent' } }) })
  Object.assign(body.children[0], { clientWidth: 144, clientHeight: 96 })
  hand.add({ position: [600, 500], size: [2, 2] })
  let sides
  style.fillRect = (_x, _y, ...size) => { sides = size }
  t.after(() => delete style.fillRect)
  told = []
  frames.tell('paint', 0)
  const points = told.filter(([name]) => name === 'lineTo').map(([, x, y]) => [x, y].map(Math.round))
  assert.deepEqual([points[0], points.at(-1)], [[68, 29], [68, 49]])
  assert.ok(points.length < 60 && told.some(([name, color]) => name === 'strokeRect' && color === 'accent'))
  assert.deepEqual(sides, [1, 1], 'what is small is still a point')
})
