// Tests how shapes are moved, snapped, nudged, dropped into the hole, grouped and locked.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import { Duplicating } from '../../build/modules/arrange/duplicating.js'
import { Hole } from '../../build/modules/arrange/hole.js'
import { Nudging } from '../../build/modules/arrange/nudging.js'
import { Snapping } from '../../build/modules/arrange/snapping.js'
import { straightened } from '../../build/modules/arrange/transform.js'
import { Source } from '../../build/modules/basics/source.js'
import { addConnectedCopy } from '../../build/modules/connect/connecting.js'
import { boxEnd, pointsOn } from '../../build/modules/canvas/lines.js'
import { Editing } from '../../build/modules/state/editing.js'
import { Groups } from '../../build/modules/state/groups.js'
import { Hand } from '../../build/modules/state/hand.js'
import { Locks } from '../../build/modules/state/locks.js'
import { Selection } from '../../build/modules/state/selection.js'
import { makeBeside } from '../../build/modules/draw/making.js'
import { Drawing, editingOf } from './drawing.mjs'
import { handAt } from './hand.mjs'

let drawing
let replica
beforeEach(() => {
  drawing = new Drawing()
  replica = drawing.replica
})
const box = (x, y, width, height, rotation = 0) => ({ x, y, width, height, rotation })

// Snapping.

/** Snapping to boxes in a view at scale 2, so that 6 pixels are 3 units. */
function snappingTo(boxes, { held = [], scale = 2, seen = box(-2_000, -2_000, 4_000, 4_000) } = {}) {
  const overlay = { guides: null, setGuides(guides) { this.guides = guides } }
  const order = boxes.map((each, at) => ({ id: at + 1, leaving: null, shape: { visible: true, rotation: 0, ...each }, ...each.drawn }))
  const snapping = new Snapping({ overlay, scene: { order }, view: { scale, visibleBox: () => seen } }, held)
  return { overlay, snapping }
}

test('what is moved snaps to the nearest edge or centre within six pixels, on each axis alone', () => {
  const { overlay, snapping } = snappingTo([box(200, 100, 80, 60)])
  const frame = box(0, 0, 40, 30)
  for (const [dx, dy, x, y] of [
    [202.9, 300, 200, 300], [197.1, 300, 200, 300], [203, 300, 203, 300], [197, 300, 197, 300], [282, 300, 280, 300], [158, 300, 160, 300], [238, 300, 240, 300],
    [222, 300, 220, 300], [400, 98, 400, 100], [400, 159, 400, 160], [400, 71, 400, 70], [400, 128, 400, 130], [400, 117, 400, 115], [201, 99, 200, 100],
    [230, 300, 230, 300],
  ]) assert.deepEqual(snapping.move(frame, dx, dy), [x, y], `${dx}, ${dy}`)
  assert.deepEqual(snapping.move(frame, 202, 99, ['y']), [202, 100])
  snapping.move(frame, 202, 300)
  assert.deepEqual(overlay.guides, [{ axis: 'x', at: 200, from: 100, to: 330, between: [160, 300] }])
  snapping.move(frame, 202, 10)
  assert.deepEqual(overlay.guides, [{ axis: 'x', at: 200, from: 10, to: 160, between: [40, 100] }])
  snapping.move(frame, 202, 110)
  assert.deepEqual(overlay.guides, [{ axis: 'x', at: 200, from: 100, to: 160, between: null }])
  snapping.move(frame, 500, 400)
  assert.deepEqual(overlay.guides, [])
  snapping.move(frame, 202, 300)
  assert.deepEqual(snapping.none(202, 99), [202, 99])
  assert.deepEqual(overlay.guides, [])
  // A turned frame snaps by the box that it fills.
  assert.deepEqual(snapping.move(box(0, 0, 40, 30, 90), 197, 300), [195, 300])
})

test('what is hidden, held, leaving, out of view or far away is nothing to snap to', () => {
  const frame = box(0, 0, 40, 30)
  const at = (place, options) => snappingTo([{ ...box(200, 100, 80, 60), ...place }], options).snapping.move(frame, 202, 300)
  assert.deepEqual(at({}), [200, 300])
  assert.deepEqual(at({ visible: false }), [202, 300])
  assert.deepEqual(at({ drawn: { leaving: 'fading' } }), [202, 300])
  assert.deepEqual(at({}, { held: [1] }), [202, 300])
  assert.deepEqual(at({}, { held: [2] }), [200, 300])
  for (const [view, x] of [[[280, 0], 202], [[279, 0], 200], [[0, 160], 202], [[0, 159], 200]]) {
    assert.deepEqual(at({}, { seen: box(...view, 500, 500) }), [x, 300], `${view}`)
  }
  assert.deepEqual(at({ y: -60 }), [200, 300])
  assert.deepEqual(at({ y: -61 }), [202, 300], 'more than 600 pixels away')
  // Only 24 of the nearest count.
  const near = Array.from({ length: 24 }, (_, place) => box(1_000 + place, 310, 1, 1))
  const farther = box(200, 100, 80, 60)
  assert.equal(snappingTo([farther, ...near.slice(1)], { scale: 0.5 }).snapping.move(frame, 202, 300)[0], 200)
})

test('what is moved snaps to where gaps in a row are equal, between two or behind them, and shows these gaps', () => {
  const { overlay, snapping } = snappingTo([box(0, 100, 100, 50), box(180, 120, 100, 50)])
  const frame = box(0, 0, 40, 37)
  const across = (dx, dy = 108) => snapping.move(frame, dx, dy, ['x'])[0]
  for (const [dx, x] of [[118, 120], [122, 120], [358, 360], [-122, -120], [-118, -120], [116, 116]]) assert.equal(across(dx), x, `${dx}`)
  const gaps = () => overlay.guides.map(({ axis, isGap, between, at }) => [axis, isGap, ...between, at])
  across(118)
  assert.deepEqual(gaps(), [['y', true, 100, 120, (108 + 145) / 2], ['y', true, 160, 180, (120 + 145) / 2]])
  across(358)
  assert.deepEqual(gaps(), [['y', true, 100, 180, 135], ['y', true, 280, 360, 132.5]])
  across(-122)
  assert.deepEqual(gaps().map(([, , ...between]) => between.slice(0, 2)), [[-80, 0], [100, 180]])
  assert.equal(across(118, 200), 118, 'what is beside the row has no gaps in it')
  const column = snappingTo([box(100, 0, 50, 100), box(120, 180, 50, 100)]).snapping
  assert.equal(column.move(box(0, 0, 37, 40), 108, 118, ['y'])[1], 120)
  const narrow = snappingTo([box(0, 100, 100, 50), box(130, 100, 100, 50)]).snapping
  assert.equal(narrow.move(box(0, 0, 40, 37), 94, 108, ['x'])[0], 94, 'there is no space between them')
})

test('a pulled edge or corner snaps by that edge only', () => {
  const { overlay, snapping } = snappingTo([box(200, 100, 80, 60)])
  const frame = { x: 0, y: 0, width: 50, height: 40 }
  for (const [side, way, expected] of [
    [[1, 0], [148, 7], [150, 7]], [[1, 1], [148, 58], [150, 60]], [[0, 1], [7, 121], [7, 120]], [[-1, 0], [202, 7], [200, 7]], [[-1, -1], [278, 99], [280, 100]],
    [[0, -1], [3, 161], [3, 160]], [[1, 0], [190, 7], [190, 7]],
  ]) assert.deepEqual(snapping.pull(frame, { across: side[0], down: side[1] }, ...way), expected, `${side}`)
  snapping.pull(frame, { across: 1, down: 0 }, 148, 0)
  assert.deepEqual(overlay.guides, [{ axis: 'x', at: 200, from: 0, to: 160, between: [40, 100] }])
  snapping.pull(frame, { across: -1, down: 0 }, 202, 0)
  assert.deepEqual(overlay.guides, [{ axis: 'x', at: 200, from: 0, to: 160, between: [40, 100] }], 'beyond the opposite edge, too')
  snapping.rest()
  assert.deepEqual(overlay.guides, [])
  assert.deepEqual([[5, 4], [-5, 4], [4, -5], [3, 3]].map((way) => straightened(...way)), [[5, 0], [-5, 0], [0, -5], [3, 0]])
})

// The hole.

test('the hole swells as a shape comes near, takes what is dropped over it, and tells only once what it is for', () => {
  globalThis.getComputedStyle = ({ visibility }) => ({ visibility })
  const attributes = new Set()
  const style = new Map()
  const element = {
    offsetWidth: 60, visibility: 'visible', getBoundingClientRect: () => ({ left: 20, top: 700, width: 60, height: 60 }),
    style: { setProperty: (name, value) => style.set(name, value) },
    toggleAttribute(name, isOn) { isOn ? attributes.add(name) : attributes.delete(name) }, removeAttribute: (name) => attributes.delete(name),
  }
  const stage = { getBoundingClientRect: () => ({ left: 10, top: 40 }) }
  const half = { toScreen: ({ x, y }) => ({ x: x / 2, y: y / 2 }), toCanvas: ({ x, y }) => ({ x: 2 * x, y: 2 * y }) }
  const play = { isOn: true }
  const hole = new Hole(element, stage, { editing: editingOf(drawing), play, view: half })
  assert.deepEqual(hole.mouth, { x: 40, y: 690, radius: 30 })
  const felt = (x, y) => {
    hole.feel({ x, y })
    return [style.get('--swell'), [...attributes].sort().join(' ')]
  }
  assert.deepEqual(felt(40, 500), ['0.00', 'data-says data-waits'])
  assert.deepEqual(felt(150, 690), ['0.50', 'data-says data-waits'])
  assert.deepEqual(felt(79, 690), ['0.94', 'data-says data-waits'])
  assert.deepEqual(felt(40, 652), ['0.95', 'data-over data-says data-waits'])
  assert.deepEqual(felt(41, 691), ['1.00', 'data-over data-says data-waits'])
  hole.rest()
  assert.deepEqual([style.get('--swell'), attributes.size], ['0', 0])
  const far = { x: 500, y: 500 }
  const dropped = box(70, 1_330, 20, 100)
  assert.deepEqual([hole.takes({ x: 78, y: 690 }, []), hole.takes({ x: 79, y: 690 }, []), hole.takes(far, [dropped]), hole.takes(far, [dropped, dropped])], [true, false, true, false])
  for (const [change, back] of [[() => { play.isOn = false }, () => { play.isOn = true }], [() => { element.visibility = 'hidden' }, () => { element.visibility = 'visible' }]]) {
    change()
    assert.equal(hole.takes({ x: 40, y: 690 }, []), false)
    hole.feel({ x: 40, y: 690 })
    assert.equal(attributes.size, 0)
    back()
  }
  const [one, other] = [drawing.add({ position: [500, 500] }), drawing.add()]
  drawing.frame()
  assert.equal(hole.swallow([]), undefined)
  hole.swallow([one, other])
  assert.deepEqual(drawing.frame().shapes.map(({ departure }) => departure), Array(2).fill({ x: 79.5, y: 1_379.5, width: 1, height: 1 }))
  assert.deepEqual(felt(40, 652), ['0.95', 'data-over data-waits'])
})

// Keys, copies.

test('presses of arrow keys that follow each other are one step of undo', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const id = drawing.add()
  let steps = 0
  const step = () => ({ isOpen: true, end() { this.isOpen = false } })
  const opened = []
  const nudging = new Nudging({ shown: drawing, editing: { ...editingOf(drawing), openStep: () => { steps += 1; opened.push(step()); return opened.at(-1) } } })
  nudging.by([id], 1, 0)
  t.mock.timers.tick(599)
  nudging.by([id], 10, -2)
  t.mock.timers.tick(599)
  assert.deepEqual([steps, opened[0].isOpen, replica.shape(id).x, replica.shape(id).y], [1, true, 11, -2])
  t.mock.timers.tick(1)
  assert.equal(opened[0].isOpen, false)
  nudging.by([id], 1, 0)
  opened[1].isOpen = false
  nudging.by([id], 1, 0)
  assert.equal(steps, 3)
  nudging.end()
  assert.equal(opened[2].isOpen, false)
  nudging.by([], 1, 1)
  assert.equal(steps, 3)
})

test('a connected copy is below, where there is space, and the arrow leads from side to side', async () => {
  const sun = drawing.add({ position: [100, 200], size: [60, 40], rotation: 90, text: 'Sun' })
  drawing.add({ position: [100, 320], size: [60, 60] })
  const selection = new Selection(drawing)
  selection.set([sun])
  const reach = {
    documents: { load: async () => true }, editing: editingOf(drawing), momentum: { settle() {}, settleAll() {} }, selection, shown: drawing,
    paint: { stroke: null, strokeWidth: 4, dash: 'solid', route: 'straight', textSize: 20 },
  }
  reach.duplicating = new Duplicating(reach)
  await addConnectedCopy(reach, sun)
  const [copy] = selection.ids()
  const made = replica.shape(copy)
  assert.deepEqual([made.text, made.rotation, made.width], ['Sun', 90, 60])
  const frame = { x: made.x + 10, y: made.y - 10, width: 40, height: 60 }
  assert.deepEqual(replica.shapesInBox({ x: frame.x + 1, y: frame.y + 1, width: 38, height: 58 }), [copy])
  const arrow = replica.shapes().find(({ kind }) => kind === 'line')
  assert.deepEqual([arrow.from.shape, arrow.to.shape, arrow.toEnd], [sun, copy, 'arrow'])
  assert.deepEqual([arrow.from, arrow.to].map(({ x, y }) => [x, Math.round(y / boxEnd * 2)]), [[boxEnd, 1], [0, 1]], 'what is below is the right side of a shape that is turned')
  assert.deepEqual(pointsOn(arrow).map(({ x, y }) => [Math.round(x), Math.round(y)]), [[130, 250], [frame.x + 20, frame.y].map(Math.round)])
  await addConnectedCopy(reach, sun)
  assert.equal(replica.shapeCount, 4, 'who has gone on with the copy meanwhile gets no second one')
  assert.deepEqual((await reach.duplicating.duplicate()).length, 1)
  const [again] = selection.ids()
  assert.deepEqual([replica.shape(again).x, replica.shape(again).y], [made.x + 20, made.y + 20])
  selection.clear()
  assert.deepEqual(await reach.duplicating.duplicate(), [])
})

test('the next note is at the first place to the right of the last that covers no shape that is seen', (t) => {
  for (const [more, x] of [
    [{}, 320], [{ kind: 'line', position: [350, 150] }, 320], [{ position: [350, 150], visible: false }, 320], [{ position: [350, 150] }, 540],
    [{ position: [500, 295] }, 540], [{ position: [520, 295] }, 320], [{ position: [500, 300] }, 320], [{ position: [0, 0], size: [2_000, 500] }, 320],
  ]) {
    const hand = handAt(t)
    const note = hand.add({ position: [100, 100], size: [200, 200], fill: '#FFE27A' })
    if (more.position) hand.add({ size: [20, 20], strokeWidth: 0, ...more })
    hand.pass(1_000)
    makeBeside(hand, hand.replica.shape(note))
    assert.deepEqual([hand.box(hand.opened[0][0]), hand.replica.shape(hand.opened[0][0]).fill], [[x, 100, 200, 200], '#FFE27A'], JSON.stringify(more))
  }
})

// Groups, locks, what is held.

function arranged() {
  const said = []
  const notices = { say: (words, { action } = {}) => said.push([words, action]), withdraw: (group) => said.push([`withdrawn ${group}`]) }
  const selection = new Selection(drawing)
  const locks = new Locks({ shown: drawing, editing: editingOf(drawing), notices })
  return { groups: new Groups({ shown: drawing, selection, locks }), locks, said, selection }
}

test('S13: the shapes of a group are taken together, unless one is locked or the group is entered', () => {
  const { groups, selection } = arranged()
  const [a, b, c] = [1, 2, 3].map(() => drawing.add({ group: 7 }))
  const [alone, other] = [drawing.add({ group: 8 }), drawing.add()]
  drawing.frame()
  const sorted = (ids) => [...ids].sort((one, two) => one - two)
  assert.deepEqual(sorted(groups.with(a)), sorted([a, b, c]))
  assert.deepEqual([groups.with(alone), groups.with(other)], [[alone], [other]])
  assert.deepEqual([groups.of(a).group, groups.of(a).ids.size, groups.of(alone), groups.of(other)], [7, 3, null, null])
  assert.deepEqual(sorted(groups.withAll([a, b, other])), sorted([a, b, c, other]))
  assert.deepEqual([[a, b], [a], [a, other], [other, a], [other, alone]].map((ids) => groups.areOne(ids)), [true, false, false, false, false])
  assert.deepEqual([[a, other], [other, alone]].map((ids) => groups.hasAny(ids)), [true, false])
  const units = groups.units([a, other, b, alone].map((id) => ({ id })))
  assert.deepEqual(units.map((unit) => unit.map(({ id }) => id)), [[a, b], [other], [alone]])
  assert.deepEqual([[a, b, c], [a, other], [a, b, other, alone]].map((ids) => [2, 3].map((count) => groups.areUnits(ids, count))), [[false, false], [true, false], [true, true]])
  drawing.write(c, { locked: true })
  drawing.frame()
  assert.deepEqual(sorted(groups.with(a)), sorted([a, b]))
  assert.deepEqual(sorted(groups.with(c)), sorted([a, b, c]))
  assert.deepEqual([groups.enter(alone), groups.enter(other), groups.enter(a), groups.enter(a)], [false, false, true, false])
  assert.deepEqual([selection.ids(), groups.with(b), groups.units([{ id: a }, { id: b }]).length, groups.areUnits([a, b], 2)], [[a], [b], 2, true])
  selection.set([b, other])
  assert.deepEqual(groups.with(a), [a])
  selection.set([other])
  assert.equal(groups.with(a).length, 2, 'the group was left')
  drawing.write(b, { group: null })
  drawing.write(a, { group: 8 })
  drawing.frame()
  assert.deepEqual([groups.of(c), groups.with(b), sorted(groups.of(a).ids)], [null, [b], sorted([a, alone])])
  replica.delete([alone])
  drawing.frame()
  assert.equal(groups.of(a), null)
  drawing.tell('changes', { reset: true, shapes: [] })
  assert.deepEqual(groups.with(c), [c])
  const [late, later] = [drawing.add({ group: 7 }), drawing.add({ group: 7 })]
  drawing.frame()
  assert.deepEqual(sorted(groups.with(late)), sorted([late, later]))
})

test('S12: who would change what is locked is told so, and may unlock it', () => {
  const { locks, said } = arranged()
  const [a, b, free] = [drawing.add({ name: 'Sun', locked: true }), drawing.add({ locked: true }), drawing.add()]
  drawing.frame()
  assert.deepEqual([locks.has(a), locks.has(free), locks.hasAny([free, b]), locks.hasAny([free])], [true, false, true, false])
  assert.deepEqual([locks.refuse([free]), said.length], [false, 0])
  assert.ok(locks.refuse([a, free]))
  assert.equal(said.at(-1)[0], 'Sun is locked.')
  assert.ok(locks.refuse([a, b, free]))
  const [words, { run }] = said.at(-1)
  assert.equal(words, '2 shapes are locked.')
  drawing.write(b, { locked: false })
  drawing.frame()
  assert.equal(said.length, 2, 'one of them still is')
  run()
  drawing.frame()
  assert.deepEqual([replica.shape(a).locked, locks.has(a)], [false, false])
  assert.deepEqual(said.splice(2), [['withdrawn locked'], ['withdrawn locked']])
  drawing.write(a, { locked: true })
  drawing.frame()
  assert.equal(said.length, 2, 'nothing is told of it yet')
  locks.refuse([a])
  drawing.write(a, { locked: false })
  drawing.frame()
  assert.deepEqual(said.splice(3), [['withdrawn locked']])
  drawing.write(free, { alpha: 3 })
  drawing.frame()
  assert.equal(said.length, 3, 'once')
  drawing.write(free, { locked: true })
  drawing.frame()
  locks.refuse([free])
  replica.delete([free])
  drawing.frame()
  assert.deepEqual(said.splice(4), [['withdrawn locked']], 'there is nothing to unlock')
  replica.undo()
  drawing.write(free, { locked: false })
  drawing.frame()
  locks.set([], true)
  locks.set([free], true)
  drawing.frame()
  assert.ok(locks.has(free))
  drawing.tell('changes', { reset: true, shapes: [] })
  assert.ok(!locks.has(free))
})

test('a selection has what is there, loses what is deleted, and is told only of changes', () => {
  const selection = new Selection(drawing)
  const [a, b, c] = [drawing.add(), drawing.add(), drawing.add()]
  drawing.frame()
  const told = []
  selection.on('change', (ids) => told.push(ids))
  selection.set([a, 99])
  selection.set([a])
  selection.add([b])
  selection.toggle([a, b])
  selection.toggle([a, c])
  selection.toggle([c, b])
  selection.remove([b])
  assert.deepEqual(told, [[a], [a, b], [], [a, c], [a, c, b], [a, c]])
  selection.set([a, b])
  assert.deepEqual(selection.ids(), [a, b])
  selection.set([a, c])
  drawing.write(a, { alpha: 3 })
  replica.delete([c])
  drawing.frame()
  assert.deepEqual(selection.ids(), [a])
  drawing.tell('changes', { reset: true, shapes: [] })
  assert.deepEqual(selection.ids(), [a])
  replica.delete([a])
  drawing.tell('changes', { reset: true, shapes: [] })
  assert.equal(selection.size, 0)
})

test('a hand keeps the names that shapes had when it took them, and tells what it does to them', () => {
  const [sun, moon, mars, io, ceres] = ['Sun', 'Moon', 'Mars', 'Io', 'Ceres'].map((name) => drawing.add({ name }))
  const hand = new Hand(drawing)
  hand.hold({ held: [sun, moon, mars, io], tied: [ceres] })
  drawing.write(sun, { name: 'Star' })
  hand.hold({ held: [sun, moon, mars, io], tied: [ceres, sun] })
  assert.deepEqual([sun, io, ceres, 99].map((id) => [hand.deedTo(id), hand.nameOf(id)]),
    [['held', 'Sun'], ['held', ''], ['tied a line to', 'Ceres'], [null, '']])
  hand.letGo()
  assert.deepEqual([sun, ceres].map((id) => [hand.deedTo(id), hand.nameOf(id)]), [[null, ''], [null, '']])
})

// Editing.

test('edits within a step are one step of undo, and what cannot be undone is told', () => {
  const said = []
  const connection = Object.assign(new Source(), { replica, performed: [], perform(effects) { this.performed.push(...effects) } })
  const permission = { mayEdit: true, isByLink: false, isDeleted: false, whyNot: 'You can only look on now' }
  const notices = { say: (words, { action } = {}) => said.push(action ? [words, action] : words), withdraw: (group) => said.push(`-${group}`) }
  const editing = new Editing({ connection, shown: drawing, permission, notices, frames: { request() {} } })
  const heard = []
  for (const name of ['edited', 'stepping']) editing.on(name, (what) => heard.push(what ?? name))
  const id = editing.edit((live) => live.add({ kind: 'star' })).shape
  assert.ok(connection.performed.length > 0)
  const set = (values) => (live) => live.edit([{ shape: id, set: values }])
  editing.group(() => {
    editing.edit(set({ alpha: 3 }))
    editing.group(() => editing.edit(set({ rotation: 9 })))
  })
  assert.deepEqual(heard, ['edited', 'edited', 'edited'])
  editing.undo()
  assert.deepEqual([replica.shape(id).alpha, replica.shape(id).rotation], [10, 0])
  assert.deepEqual(heard.slice(3), ['undo', 'edited'])
  editing.redo()
  assert.deepEqual([replica.shape(id).alpha, heard.at(-2)], [3, 'redo'])
  editing.edit(set({ points: 7 }))
  const ended = editing.openStep()
  editing.edit(set({ points: 8 }))
  ended.end()
  editing.edit(set({ points: 9 }))
  editing.openStep()
  editing.edit(set({ points: 10 }))
  const points = [9, 8, 7, 5].map(() => {
    editing.undo()
    return replica.shape(id).points
  })
  assert.deepEqual([points, replica.shape(id).alpha], [[9, 8, 7, 5], 3], 'an open step ends with an undo')
  const step = editing.openStep()
  editing.edit(set({ alpha: 5 }))
  editing.edit(set({ alpha: 6 }))
  assert.deepEqual([step.isOpen, step.edits], [true, 2])
  step.abandon()
  assert.deepEqual([step.isOpen, replica.shape(id).alpha], [false, 3])
  const first = editing.openStep()
  const second = editing.openStep()
  assert.deepEqual([first.isOpen, second.isOpen], [false, true])
  first.end()
  first.abandon()
  assert.ok(second.isOpen)
  editing.edit(set({ alpha: 8 }))
  permission.mayEdit = false
  second.abandon()
  assert.equal(replica.shape(id).alpha, 8)
  permission.mayEdit = true
  assert.throws(() => editing.guard(() => {
    editing.openStep()
    throw new Error('broken')
  }), /broken/)
  editing.edit(set({ alpha: 9 }))
  editing.group(() => editing.edit(set({ alpha: 1 })))
  editing.edit(set({ alpha: 2 }))
  const alphas = [1, 9, 8].map(() => {
    editing.undo()
    return replica.shape(id).alpha
  })
  assert.deepEqual(alphas, [1, 9, 8])
  said.length = 0
  assert.deepEqual([editing.write(set({ alpha: 7 })), editing.write(() => [{ type: 'rejected' }]), editing.edit(() => { throw new Error('it broke') })], [true, false, undefined])
  assert.equal(editing.write(() => { throw new Error('it broke') }), false)
  assert.deepEqual(said, ['It broke.', 'It broke.'])
  said.length = 0
  for (const name of ['Ж'.repeat(65), 'line\nbreak']) assert.equal(editing.write(set({ name })), false)
  assert.deepEqual(said, Array(2).fill('This name can’t be taken: it’s too long, or has characters that can’t be seen.'))
  said.length = 0
  editing.redo()
  while (replica.canUndo) editing.undo()
  editing.undo()
  assert.deepEqual(said.filter((words) => words !== '-undo'), ['Nothing to redo.', 'Nothing to undo.'])
  editing.redo()
  replica.clear()
  said.length = 0
  permission.mayEdit = false
  for (const [change, words] of [
    [{}, 'You can only look on now.'], [{ isByLink: true }, 'This link is view-only. Ask for a link that lets you draw.'],
    [{ isDeleted: true, whyNot: 'This room was deleted' }, 'This room was deleted.'],
  ]) {
    Object.assign(permission, change)
    assert.equal(editing.edit(() => assert.fail()), undefined)
    assert.equal(said.pop(), words)
  }
  drawing.isPast = true
  assert.ok(editing.refuses())
  assert.match(said.pop(), /^You’re looking at the past/)
  Object.assign(permission, { mayEdit: true })
  assert.ok(!editing.refuses() && said.length === 0)
  const asked = []
  replica.undo = (...how) => {
    asked.push(how)
    return []
  }
  editing.sayUndoable('All gone.')
  said.pop()[1].run()
  editing.undo()
  assert.deepEqual(asked, [[true], [false]], 'none but the newest')
  said.length = 0
  // A notice that offers to undo goes at the next edit, or if one is refused.
  for (const next of [() => editing.edit(() => []), () => connection.tell('effect', { type: 'rejected' })]) {
    editing.sayUndoable('All gone.')
    assert.deepEqual([said.pop()[0], said.length], ['All gone.', 0])
    connection.tell('effect', { type: 'unsent' })
    assert.equal(said.length, 0)
    next()
    next()
    assert.deepEqual(said, ['-All gone.'])
    said.length = 0
  }
})
