import { kinds } from '../core/values.js'
import { nextFill } from './making.js'
import { shapesOf } from './grasp.js'
import { coveredRight, fitBeside } from '../drawing/surroundings.js'
import { later } from '../state/later.js'

// All that one can do by name: one table for the menu, the sheet of shortcuts, the toolbar and the keys.
//
// A key is `mod+shift+z`: `mod` is the platform's (Control, or Command on a Mac), a letter or digit is the key that bears
// it, any other character is the character itself. The first of several keys is the one that is shown.

/**
 * @typedef {object} Action
 * @property {string} id
 * @property {string} group under which heading it is listed
 * @property {string} words
 * @property {string[]} keys
 * @property {boolean} [edits] not for who only looks on
 * @property {number} [needs] so many shapes have to be selected
 * @property {boolean} [repeats] goes on while its key is held
 * @property {boolean} [isByBrowser] the browser tells of its key by an event of another kind
 * @property {(app: import('../state/app.js').App) => void} run
 * @property {(app: import('../state/app.js').App) => boolean} [isEnabled]
 */

const zoomStep = 1.25

const selected = (app) => app.selection.ids()
const undo = (app) => app.edit((session) => session.undo())
const addSquare = (app) => app.edit((session) => session.addSquare(openArea(app.view)))
const fitTo = (app, box) => { if (box) fitBeside(app.view, box, 64, { now: performance.now() }) }

/** What is seen and not hidden under the toolbar and the bars above. */
function openArea(view) {
  const { x, y, width, height } = view.visibleBox()
  const margin = { side: 24, top: 72, bottom: 104 }
  const right = Math.min((margin.side + coveredRight()) / view.scale, width / 2)
  const left = Math.min(margin.side / view.scale, width / 8)
  const top = Math.min(margin.top / view.scale, height / 8)
  const bottom = Math.min(margin.bottom / view.scale, height / 8)
  return { x: x + left, y: y + top, width: width - left - right, height: height - top - bottom }
}

/** A shape as one who can't draw it makes it: of the kind at hand, in the middle of what is seen or the nearest free place. */
async function addShape(app) {
  const { x, y, width, height } = openArea(app.view)
  const size = { width: 150, height: 120 }
  const wanted = { x: x + (width - size.width) / 2, y: y + (height - size.height) / 2 }
  const place = (await app.prepareExchange() ? app.session.freePlace(size, wanted) : null) ?? wanted
  const added = app.edit((session) => session.add({
    kind: kinds.includes(app.tool) ? app.tool : 'rectangle',
    position: [Math.round(place.x), Math.round(place.y)],
    size: [size.width, size.height],
    fill: nextFill(session),
  }))
  if (added) app.selection.set([added.shape])
}

/** Removes everything in one step, and offers it back. */
function removeAll(app, words, remove) {
  if (app.session.shapeCount === 0) return
  if (remove() === undefined) return
  app.say(words, { action: { words: 'Undo', run: () => undo(app) } })
}

const swallowAll = (app) =>
  removeAll(app, 'Everything went into the black hole.', () => app.tools.hole.swallow(app.session.drawingOrder()))
/** Everything goes, as by a shake. @param {import('../state/app.js').App} app */
export const clear = (app) => removeAll(app, 'Everything is cleared.', () => app.edit((session) => session.clear()))

async function allowShaking(app) {
  const isHeard = await app.tools.shaking.ask()
  app.say(isHeard ? 'Shake to clear everything.' : 'This device doesn’t tell of being shaken.')
}

function recolor(app) {
  app.edit((session) =>
    session.edit(selected(app).map((shape) => ({ shape, set: { fill: session.brightColor() } }))))
}

function selectAll(app) {
  app.selection.set(app.session.shapes().filter(({ visible }) => visible).map(({ id }) => id))
}

/** Stops what a hand is at; or selects nothing; or takes the first tool. */
function escape(app) {
  if (app.tools.isBusy) app.tools.cancel('escape')
  else if (app.selection.size > 0) app.selection.clear()
  else app.setTool('select')
}

let loadAlign = null

async function place(app, arrange) {
  loadAlign ??= later(app, () => import('./align.js'))
  const align = await loadAlign()
  if (!align) return
  const places = arrange(align, shapesOf(app.session, selected(app)))
  if (places.length > 0) app.edit((session) => session.place(places))
}

const tool = (id, words, key) => ({
  id, group: 'Tools', words, keys: [key], edits: id !== 'select' && id !== 'hand', run: (app) => app.setTool(id),
})
const nudge = (id, words, key, dx, dy) => ({
  id, group: 'Arrange', words, keys: [key, `shift+${key}`], edits: true, needs: 1, repeats: true,
  run: (app, event) => {
    const step = event?.shiftKey ? 10 : 1
    app.tools.nudging.by(selected(app), dx * step, dy * step)
  },
})
const order = (id, words, key, to) => ({
  id, group: 'Arrange', words, keys: [key], edits: true, needs: 1,
  run: (app) => app.edit((session) => session.reorder(selected(app), to)),
})
const zoom = (id, words, keys, factor) => ({
  id, group: 'View', words, keys, repeats: true,
  run: (app) => app.view.zoomAt({ x: app.view.width / 2, y: app.view.height / 2 }, factor(app.view)),
})
const align = (edge, words, key) => ({
  id: `align${edge[0].toUpperCase()}${edge.slice(1)}`, group: 'Arrange', words, keys: [key], edits: true, needs: 2,
  run: (app) => place(app, ({ aligned }, shapes) => aligned(shapes, edge)),
})
const distribute = (axis, id, words, key) => ({
  id, group: 'Arrange', words, keys: [key], edits: true, needs: 3,
  run: (app) => place(app, ({ distributed }, shapes) => distributed(shapes, axis)),
})

const tools = [
  tool('select', 'Select', 'v'),
  tool('hand', 'Move the paper', 'h'),
  tool('rectangle', 'Rectangle', 'r'),
  tool('roundedRectangle', 'Rounded rectangle', 'u'),
  tool('ellipse', 'Ellipse', 'o'),
  tool('polygon', 'Polygon', 'p'),
  tool('star', 'Star', 's'),
]

const games = [
  { id: 'addSquare', words: 'Add Square', keys: ['q'], edits: true, run: addSquare },
  {
    id: 'threeSquares', words: 'Start with three squares', keys: [], edits: true,
    run: (app) => app.group(() => { for (let count = 0; count < 3; count++) addSquare(app) }),
  },
  { id: 'blackHole', words: 'Black Hole', keys: ['b'], edits: true, run: swallowAll },
  {
    id: 'clear', words: 'Clear everything', keys: ['shift+delete', 'shift+backspace'], edits: true,
    run: clear, isEnabled: (app) => app.session.shapeCount > 0,
  },
  {
    id: 'shakeToClear', words: 'Let a shake clear everything', keys: [], edits: true,
    run: allowShaking, isEnabled: (app) => app.tools.shaking?.isToBeAsked ?? false,
  },
].map((action) => ({ group: 'Games', ...action }))

const editing = [
  {
    id: 'undo', words: 'Undo', keys: ['mod+z'], edits: true, repeats: true,
    run: undo, isEnabled: (app) => app.session.canUndo,
  },
  {
    id: 'redo', words: 'Redo', keys: ['mod+shift+z', 'mod+y'], edits: true, repeats: true,
    run: (app) => app.edit((session) => session.redo()), isEnabled: (app) => app.session.canRedo,
  },
  {
    id: 'cut', words: 'Cut', keys: ['mod+x'], isByBrowser: true, edits: true, needs: 1,
    run: (app) => app.tools.clipboard.cut(),
  },
  {
    id: 'copy', words: 'Copy', keys: ['mod+c'], isByBrowser: true, needs: 1,
    run: (app) => app.tools.clipboard.copy(),
  },
  {
    id: 'paste', words: 'Paste', keys: ['mod+v'], isByBrowser: true, edits: true,
    run: (app) => app.tools.clipboard.paste(),
  },
  {
    id: 'duplicate', words: 'Duplicate', keys: ['mod+d'], edits: true, needs: 1,
    run: (app) => app.tools.clipboard.duplicate(),
  },
  {
    id: 'delete', words: 'Delete', keys: ['delete', 'backspace'], edits: true, needs: 1,
    run: (app) => app.edit((session) => session.delete(selected(app))),
  },
  { id: 'addShape', words: 'Add a shape of the chosen kind', keys: ['enter'], edits: true, run: addShape },
  { id: 'recolor', words: 'Another colour', keys: ['c'], edits: true, needs: 1, run: recolor },
  { id: 'selectAll', words: 'Select all', keys: ['mod+a'], run: selectAll },
  { id: 'escape', words: 'Stop, or select nothing', keys: ['escape'], run: escape },
].map((action) => ({ group: 'Edit', ...action }))

const arranging = [
  order('bringToFront', 'Bring to front', '}', 'front'),
  order('bringForward', 'Bring forward', ']', 'forward'),
  order('sendBackward', 'Send backward', '[', 'backward'),
  order('sendToBack', 'Send to back', '{', 'back'),
  nudge('moveLeft', 'Move left', 'arrowleft', -1, 0),
  nudge('moveRight', 'Move right', 'arrowright', 1, 0),
  nudge('moveUp', 'Move up', 'arrowup', 0, -1),
  nudge('moveDown', 'Move down', 'arrowdown', 0, 1),
  align('left', 'Align left', 'alt+a'),
  align('center', 'Align centres', 'alt+h'),
  align('right', 'Align right', 'alt+d'),
  align('top', 'Align top', 'alt+w'),
  align('middle', 'Align middles', 'alt+v'),
  align('bottom', 'Align bottom', 'alt+s'),
  distribute('x', 'distributeHorizontally', 'Distribute across', 'alt+shift+h'),
  distribute('y', 'distributeVertically', 'Distribute down', 'alt+shift+v'),
]

const viewing = [
  zoom('zoomIn', 'Zoom in', ['+', '='], () => zoomStep),
  zoom('zoomOut', 'Zoom out', ['-'], () => 1 / zoomStep),
  zoom('lifeSize', 'Life size', ['1'], (view) => 1 / view.scale),
  {
    id: 'zoomToFit', group: 'View', words: 'Zoom to fit', keys: ['shift+1', '0'],
    run: (app) => fitTo(app, app.session.bounds()),
  },
  {
    id: 'zoomToSelection', group: 'View', words: 'Zoom to what is selected', keys: ['shift+2'], needs: 1,
    run: (app) => fitTo(app, app.session.bounds(selected(app))),
  },
]

/** @type {Action[]} */
export const actions = [...tools, ...games, ...editing, ...arranging, ...viewing]
