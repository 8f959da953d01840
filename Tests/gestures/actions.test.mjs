// Tests what the actions of menus and keys do, and when they may, with parts that note what they are asked.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Drawing, editingOf, stepOf, view as twice } from './drawing.mjs'
import { Erasing, Inking } from '../../build/modules/draw/inking.js'
import { actionsOf } from '../../build/modules/tools/actions.js'
import { actions } from '../../build/modules/tools/catalogue.js'

globalThis.document = { querySelector: () => null }

/** Everything that actions use. `done` is what they asked of it. */
function reachOf({ selected = [], locked = [], tool = 'select', more = {} } = {}) {
  const drawing = new Drawing()
  const done = []
  const noted = (name, value) => (...values) => {
    done.push([name, ...values])
    return value
  }
  const part = (name) => new Proxy({}, { get: (_own, call) => noted(`${name}.${call}`) })
  const locks = { has: (id) => locked.includes(id), hasAny: (ids) => ids.some((id) => locked.includes(id)), refuse: (ids) => ids.some((id) => locked.includes(id)) && (done.push(['refused']), true), set: noted('locks.set') }
  const view = { width: 1_000, height: 800, scale: 2, x: 0, y: 0, zoomAt: noted('zoom'), fit: noted('fit'), visibleBox: () => ({ x: 0, y: 0, width: 500, height: 400 }) }
  return {
    done, drawing, shown: drawing, view, locks, editing: { ...editingOf(drawing), undo: noted('undo'), redo: noted('redo'), guard: (run) => run(), sayUndoable: noted('undoable') },
    selection: { get size() { return selected.length }, ids: () => selected, has: (id) => selected.includes(id), set: noted('select'), clear: noted('clear') },
    tool: { name: tool, choose: noted('tool') }, tools: { isBusy: false, cancel: noted('cancel') }, permission: { mayEdit: true }, play: { isOn: true, toggle: noted('play') },
    marks: { isOn: true, toggle: noted('marks') }, groups: { hasAny: () => false, areOne: () => false, with: (id) => [id], areUnits: (ids, count) => ids.length >= count, units: (shapes) => shapes.map((shape) => [shape]) },
    momentum: part('momentum'), clipboard: part('clipboard'), writing: part('writing'), duplicating: part('duplicating'), notices: part('notices'),
    hole: { swallow: noted('swallow', []) }, consent: { get: async () => ({ mayEmpty: async () => true }) }, shaking: { isToBeAsked: false, ask: async () => true }, documents: { isReady: true },
    aligning: { get: async () => ({ aligned: noted('aligned', []), distributed: noted('distributed', []) }) }, connecting: { get: async () => ({ connectTo: noted('connect') }) },
    scene: { drawn: (id) => ({ shape: drawing.replica.shape(id) }) }, ...more,
  }
}
const idsOf = (condition) => actions.filter(condition).map(({ id }) => id)

test('an action runs with the right, the tools and the selection that it needs, and on locked shapes only where it may', () => {
  const arrange = ['connectTo', 'group', 'ungroup', 'lock', 'bringToFront', 'bringForward', 'sendBackward', 'sendToBack', 'moveLeft', 'moveRight', 'moveUp', 'moveDown',
    'alignLeft', 'alignCenter', 'alignRight', 'alignTop', 'alignMiddle', 'alignBottom', 'distributeHorizontally', 'distributeVertically']
  assert.deepEqual(idsOf(({ takesLocked }) => takesLocked), ['duplicate', 'openLink', 'connectTo', 'lock'])
  assert.deepEqual(idsOf(({ repeats }) => repeats), ['undo', 'redo', 'moveLeft', 'moveRight', 'moveUp', 'moveDown', 'zoomIn', 'zoomOut', 'actualSize'])
  assert.deepEqual(idsOf(({ isByBrowser }) => isByBrowser), ['cut', 'copy', 'paste'])
  assert.deepEqual(idsOf(({ isPlay }) => isPlay), ['addSquare', 'threeSquares', 'blackHole', 'recolor', 'shakeToClear'])
  assert.deepEqual(idsOf(({ edits, group }) => !edits && group !== 'Tools'), ['copy', 'openLink', 'selectAll', 'escape', 'zoomIn', 'zoomOut', 'actualSize', 'zoomToFit', 'zoomToSelection', 'markOverlaps', 'play'])
  assert.deepEqual(idsOf(({ needs }) => needs === 1), ['recolor', 'cut', 'copy', 'duplicate', 'delete', 'write', 'openLink', 'connectTo', 'ungroup', 'lock',
    ...arrange.slice(4, 12), 'zoomToSelection'])
  assert.deepEqual(idsOf(({ needs }) => needs > 1), ['group', ...arrange.slice(12)])
  const may = (options) => actionsOf(reachOf(options))
  const viewer = may({ selected: [1, 2], more: { permission: { mayEdit: false } } })
  assert.deepEqual(['delete', 'moveLeft', 'undo', 'copy', 'zoomIn', 'selectAll'].map((id) => viewer[id].isEnabled()), [false, false, false, true, true, true])
  assert.deepEqual([[], [1], [1, 2], [1, 2, 3]].map((selected) => ['delete', 'group', 'alignLeft', 'distributeVertically'].map((id) => actionsOf({
    ...reachOf({ selected }), scene: { drawn: () => ({ shape: { kind: 'star' } }) },
  })[id].isEnabled())), [[false, false, false, false], [true, false, false, false], [true, true, true, false], [true, true, true, true]])
  const playless = may({ selected: [1], more: { play: { isOn: false } } })
  assert.deepEqual([playless.addSquare.isShown(), playless.addSquare.isEnabled(), playless.delete.isShown], [false, false, undefined])
  const locked = reachOf({ selected: [1, 2], locked: [2] })
  for (const id of ['moveLeft', 'delete', 'bringToFront', 'duplicate', 'lock']) actionsOf(locked)[id].run()
  assert.deepEqual(locked.done.filter(([name]) => !name.startsWith('momentum')), [['refused'], ['refused'], ['refused'], ['duplicating.duplicate'], ['locks.set', [1, 2], true]])
})

test('each action does what its name says', async () => {
  const did = (id, options = {}, event) => {
    const reach = reachOf({ selected: [1], ...options })
    actions.find((action) => action.id === id).run(reach, event)
    return reach.done.at(-1)
  }
  for (const [id, dx, dy] of [['moveLeft', -1, 0], ['moveRight', 1, 0], ['moveUp', 0, -1], ['moveDown', 0, 1]]) {
    assert.deepEqual(did(id).slice(2).map((way) => way + 0), [dx, dy])
    assert.deepEqual(did(id, {}, { shiftKey: true }).slice(2).map((way) => way + 0), [10 * dx, 10 * dy])
  }
  assert.deepEqual(['zoomIn', 'zoomOut', 'actualSize'].map((id) => did(id)), [1.25, 0.8, 0.5].map((factor) => ['zoom', { x: 500, y: 400 }, factor]))
  for (const id of ['undo', 'redo']) assert.deepEqual(did(id), [id])
  for (const id of ['cut', 'copy', 'paste']) assert.deepEqual(did(id), [`clipboard.${id}`])
  assert.deepEqual([did('markOverlaps'), did('play'), did('write')], [['marks'], ['play'], ['writing.open', 1]])
  for (const { id, run } of actions.filter(({ group }) => group === 'Tools')) {
    const reach = reachOf()
    run(reach)
    assert.deepEqual(reach.done, [['tool', id]])
  }
  assert.deepEqual([did('escape', { more: { tools: { isBusy: true, cancel: (how) => assert.equal(how, 'escape') } } }), did('escape'), did('escape', { selected: [] })], [undefined, ['clear'], ['tool', 'select']])
  assert.deepEqual([did('lock'), did('lock', { locked: [1] }), did('lock', { selected: [1, 2], locked: [1] })], [['locks.set', [1], true], ['locks.set', [1], false], ['locks.set', [1, 2], true]])
  assert.deepEqual([[], [1]].map((selected) => actionsOf(reachOf({ selected, locked: [1] })).lock.isChecked()), [false, true])
  const turn = () => new Promise(setImmediate)
  const { done, ...aligning } = reachOf({ selected: [1, 2, 3] })
  for (const [id, name, how] of [...['left', 'center', 'right', 'top', 'middle', 'bottom'].map((edge) => [`align${edge[0].toUpperCase()}${edge.slice(1)}`, 'aligned', edge]),
    ['distributeHorizontally', 'distributed', 'x'], ['distributeVertically', 'distributed', 'y']]) {
    actions.find((action) => action.id === id).run(aligning)
    await turn()
    assert.deepEqual([done.at(-1)[0], done.at(-1)[2]], [name, how])
  }
  const connecting = reachOf({ selected: [1] })
  actions.find(({ id }) => id === 'connectTo').run(connecting)
  await turn()
  assert.equal(connecting.done.at(-1)[0], 'connect')
})

test('shapes are added, reordered, grouped, coloured, deleted and selected by actions', async () => {
  const reach = reachOf()
  const { drawing: { replica } } = reach
  const run = (id) => actions.find((action) => action.id === id).run(reach)
  run('threeSquares')
  assert.equal(replica.shapeCount, 3)
  run('addSquare')
  assert.equal(replica.shapeCount, 4)
  const [back, second, third, front] = replica.drawingOrder()
  let chosen = [second]
  Object.defineProperty(reach, 'selection', { value: { get size() { return chosen.length }, ids: () => chosen, has: (id) => chosen.includes(id), set: (ids) => { chosen = [...ids] } } })
  for (const [id, order] of [['bringToFront', [back, third, front, second]], ['sendBackward', [back, third, second, front]], ['sendToBack', [second, back, third, front]], ['bringForward', [back, second, third, front]]]) {
    run(id)
    assert.deepEqual(replica.drawingOrder(), order, id)
  }
  const { fill } = replica.shape(second)
  run('recolor')
  assert.notEqual(replica.shape(second).fill, fill)
  chosen = [second, third]
  run('group')
  assert.equal(replica.shape(second).group, replica.shape(third).group)
  assert.notEqual(replica.shape(second).group, null)
  const { group } = replica.shape(second)
  reach.groups = { ...reach.groups, areOne: () => true, with: () => [second, third] }
  run('group')
  assert.equal(replica.shape(second).group, group, 'a group is one already')
  reach.groups.with = () => [second, third, front]
  run('group')
  assert.notEqual(replica.shape(second).group, group)
  run('ungroup')
  assert.equal(replica.shape(second).group, null)
  replica.edit([{ shape: back, set: { visible: false } }, { shape: front, set: { locked: true } }])
  run('selectAll')
  assert.deepEqual(chosen, [second, third])
  run('zoomToSelection')
  reach.view.width = 320
  run('zoomToFit')
  const fits = reach.done.filter(([name]) => name === 'fit').map(([, box, { left, right }]) => [box, left, right])
  assert.deepEqual(fits, [[replica.bounds([second, third]), 64, 64], [replica.bounds(), 32, 32]])
  run('delete')
  assert.equal(replica.shapeCount, 2)
  const turn = () => new Promise(setImmediate)
  run('blackHole')
  await turn()
  assert.deepEqual(reach.done.filter(([name]) => ['swallow', 'undoable'].includes(name)), [['swallow', replica.drawingOrder()], ['undoable', 'Everything went into the black hole.']])
  run('clear')
  await turn()
  assert.deepEqual([replica.shapeCount, reach.done.at(-1)], [0, ['undoable', 'Everything is cleared.']])
  run('clear')
  await turn()
  assert.equal(reach.done.filter(([name]) => name === 'undoable').length, 2, 'there is nothing to clear')
  chosen = [1]
  run('addShape')
  assert.deepEqual(reach.done.at(-1), ['writing.open', 1])
  for (const on of [[], [1, 2], [1]]) {
    Object.assign(reach, { tool: { name: on.length === 1 ? 'arrow' : 'line' }, paint: { fill: null, stroke: null, strokeWidth: 4, dash: 'solid', route: 'straight' } })
    chosen = on
    run('addShape')
  }
  const [first, ...more] = replica.shapes()
  assert.deepEqual([first.kind, first.x + first.width / 2, first.y, first.toEnd, more.map(({ toEnd }) => toEnd)], ['line', 250, 193, 'plain', ['plain', 'arrow']])
})

// Ink.

test('ink is as wide as a pen presses, is told while it grows, and is one shape in the end', () => {
  const drawing = new Drawing()
  const heard = []
  const noted = (name) => (...values) => heard.push([name, ...values])
  const reach = {
    shown: drawing, editing: editingOf(drawing), view: twice, selection: { clear: noted('clear') },
    overlay: { setInk: noted('ink') }, presence: { setInk: noted('told') },
    paint: { fill: null, stroke: '#123456', strokeWidth: 6, dash: 'solid' },
  }
  const at = (x, y, pressure = 0, pointer = 'mouse') => ({ x, y, pressure, pointer })
  const inking = new Inking(reach, [at(0, 0)])
  assert.equal(heard[0][0], 'clear')
  inking.trail([at(100, 0), at(100, 0), at(100, 100)], [at(110, 120)])
  const told = heard.filter(([name]) => name === 'told').at(-1)[1]
  assert.deepEqual([told.points.map(({ x, y, width }) => [x, y, width]), told.color, told.width], [[[0, 0, 100], [50, 0, 100], [50, 50, 100]], '#123456', 6])
  assert.deepEqual(heard.findLast(([name]) => name === 'ink')[2].map(({ x, y }) => [x, y]), [[55, 60]])
  inking.end()
  const [shape] = drawing.replica.shapes()
  assert.deepEqual([shape.id, shape.kind, shape.stroke, shape.strokeWidth, shape.width, shape.height, shape.path[0].length], [told.shape, 'ink', '#123456', 6, 50, 50, 3])
  assert.ok(shape.path.every(([, , width]) => width === 100))
  assert.deepEqual(heard.slice(-2), [['ink', null], ['told', null]])
  const wave = new Inking(reach, [at(0, 0), at(100, 0.7), at(200, 0)])
  wave.end()
  assert.equal(drawing.replica.shapes().at(-1).path.length, 3, 'it is as exact as it is seen')
  const pen = new Inking(reach, [at(0, 0, 0.5, 'pen')])
  pen.trail([at(100, 0, 1, 'pen'), at(200, 0, 0, 'pen'), at(300, 0, 0.01, 'pen')], [])
  assert.deepEqual(heard.findLast(([name]) => name === 'told')[1].points.map(({ width }) => width), [100, 160, 160, 40])
  const before = drawing.replica.shapeCount
  pen.cancel({ reason: 'escape' })
  assert.deepEqual([drawing.replica.shapeCount, heard.at(-1)], [before, ['told', null]])
  const kept = new Inking(reach, [at(0, 0, 0.5, 'pen'), at(100, 0, 1, 'pen')])
  kept.cancel({ reason: 'interrupted' })
  assert.deepEqual(drawing.replica.shapes().at(-1).path.map(([, , width]) => width), [100, 160])
})

test('ink that needs more points than a shape can have is several shapes, and one step of undo', () => {
  const drawing = new Drawing()
  const told = []
  const reach = {
    shown: drawing, editing: editingOf(drawing), view: { scale: 1, toCanvas: ({ x, y }) => ({ x, y }) }, selection: { clear() {} },
    overlay: { setInk() {} }, presence: { setInk: (ink) => told.push(ink?.shape) }, paint: { fill: null, stroke: '#123456', strokeWidth: 6, dash: 'solid' },
  }
  // It is pressed harder only in its second half.
  const trail = Array.from({ length: 700 }, (_, at) => ({ x: 2 * at, y: at % 2 * 100, pressure: at < 400 ? 0.5 : 1, pointer: 'pen' }))
  const inking = new Inking(reach, trail.slice(0, 1))
  inking.trail(trail.slice(1), [])
  inking.end()
  const [first, second, ...more] = drawing.replica.shapes()
  assert.equal(more.length, 0)
  assert.equal(first.id, told[0], 'others see the first in place of what they saw grow')
  for (const { kind, stroke, strokeWidth, y, height } of [first, second]) assert.deepEqual([kind, stroke, strokeWidth, y, height], ['ink', '#123456', 6, 0, 100])
  assert.deepEqual([first.x, first.x + first.width, second.x, second.x + second.width], [0, 700, 700, 1398])
  assert.deepEqual([first, second].map(({ path }) => [...new Set(path.map(([, , width]) => width))]), [[100], [100, 160]])
  drawing.replica.undo()
  assert.equal(drawing.replica.shapeCount, 0)
})

test('the eraser looks at each place of its way, and its movement is one step', () => {
  const heard = []
  const asked = []
  const reach = {
    shown: { replica: { shapesNear: (...where) => { asked.push(where); return [] } } },
    editing: { openStep: () => stepOf(heard) }, view: twice, selection: { clear: () => heard.push('clear') },
  }
  const erasing = new Erasing(reach, [{ x: 80, y: 40 }])
  assert.deepEqual([heard, asked], [['clear'], [[40, 20, 3]]])
  erasing.trail([{ x: 99, y: 52 }])
  assert.deepEqual(asked.slice(1), [1, 2, 3, 4].map((step) => [40 + 19 * step / 8, 20 + 12 * step / 8, 3]), 'at most six pixels apart')
  erasing.end()
  erasing.cancel({ reason: 'interrupted' })
  erasing.cancel({ reason: 'escape' })
  assert.deepEqual(heard, ['clear', 'end', 'end', 'abandon'])
})
