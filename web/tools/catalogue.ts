import type { Edge } from '../arrange/align.js'
import type { ActReach, Reach } from '../arrange/reach.js'
import { isLed, placeLoose } from '../arrange/ties.js'
import { openArea, fitBeside } from '../canvas/surroundings.js'
import type { View } from '../canvas/view.js'
import type { Shape } from '../core/table.js'
import type { Box, Place } from '../core/types.js'
import { recolored } from '../draw/look.js'
import type { Shaking } from '../gestures/shake.js'
import type { Clipboard } from '../keep/clipboard.js'
import type { LaterPart } from '../state/parts.js'
import { openSelected, selectedAddresses } from './links.js'
import { standard, toolbox } from './toolbox.js'
import type { Tools } from './tools.js'

// The table of all actions, by name, for the menu, the list of shortcuts, the toolbar and the keys.
//
// A key is written `mod+shift+z`. `mod` is Control, or Command on a Mac. A letter or digit means the key with that
// label. Any other character means itself, whichever keys produce it. If an action has several keys, menus show the
// first one.

/** The objects that the actions use. */
export type ActionReach = ActReach
  & { clipboard: Clipboard, tools: Tools, shaking: Shaking, aligning: LaterPart<typeof import('../arrange/align.js')>,
    connecting: LaterPart<typeof import('../connect/connect-to.js')> }

export interface Action {
  id: string
  /** The heading under which the action stands in the list of shortcuts. */
  group: string
  words: string
  keys: string[]
  /** Whether the action needs the right to edit. */
  edits?: boolean
  /** The number of shapes that must be selected. */
  needs?: number
  /** Whether the action may change locked shapes. */
  takesLocked?: boolean
  /** Whether the action repeats while its key is held. */
  repeats?: boolean
  /** Whether the action is hidden and disabled while Play is off. */
  isPlay?: boolean
  /** Whether the browser reports the action's key by an event other than a key event, such as `paste`. */
  isByBrowser?: boolean
  run: (reach: ActionReach, event?: KeyboardEvent) => unknown
  isEnabled?: (reach: ActionReach) => boolean
  /** Only for actions that turn something on or off. */
  isChecked?: (reach: ActionReach) => boolean
  /** Whether the action also runs when it is disabled, to tell the person why nothing happens. */
  isToldWhenDisabled?: boolean
}

const zoomStep = 1.25

const addSquare = ({ editing, view }: Reach) => editing.edit((replica) => replica.addSquare(openArea(view)))
const fitTo = ({ view }: Reach, box: Box | null) => { if (box) fitBeside(view, box, 64, { now: performance.now() }) }

/**
 * Adds the shape that the current tool draws, or a rectangle if the tool draws none. It is for people who can't use a
 * pointer. The shape is placed in the middle of the view, or at the nearest free place.
 */
async function addShape(reach: ActionReach) {
  const { documents, editing, momentum, shown, tool, view } = reach
  const { size, isWritten, add } = toolbox[tool.name].adds ?? standard
  const { x, y, width, height } = openArea(view)
  const wanted = { x: x + (width - size.width) / 2, y: y + (height - size.height) / 2 }
  // Until a field is open, what a person types are keys. So a note doesn't wait for the module that finds places.
  const finds = documents.isReady || (!isWritten && await documents.prepare())
  const place = (finds ? shown.replica.freePlace(size, wanted) : null) ?? wanted
  momentum.settle()
  editing.guard(() => add(reach, place))
}

/**
 * Writes in the selected shape. If no shape is selected, or if the current tool draws, adds a new shape to write in.
 */
function writeOrAdd(reach: ActionReach) {
  const [id, ...others] = reach.selection.ids()
  if (id !== undefined && others.length === 0 && !toolbox[reach.tool.name].adds) reach.writing.open(id)
  else addShape(reach)
}

/**
 * Removes everything in one step, and offers to undo that. The page asks first if there are many shapes or other people
 * in the room.
 */
async function removeAll(
  { consent, editing, shown }: Pick<ActReach, 'consent' | 'editing' | 'shown'>,
  { question, yes, done, remove }: { question: string, yes: string, done: string, remove: () => unknown },
) {
  if (shown.replica.shapeCount === 0 || !await (await consent.get())?.mayEmpty(question, yes, () => shown.replica.shapeCount)) return
  // Somebody else might have removed everything while the question was open.
  if (shown.replica.shapeCount > 0 && remove() !== undefined) editing.sayUndoable(done)
}

const swallowAll = (reach: ActionReach) => removeAll(reach, {
  question: 'Drop everything into the black hole?', yes: 'Drop everything', done: 'Everything went into the black hole.',
  remove: () => reach.hole.swallow(reach.shown.replica.drawingOrder()),
})

/** Clears the canvas, from the menu, by a key or by shaking the phone. */
export const clear = (reach: Pick<ActReach, 'consent' | 'editing' | 'shown'>) => removeAll(reach, {
  question: 'Clear everything?', yes: 'Clear everything', done: 'Everything is cleared.',
  remove: () => reach.editing.edit((replica) => replica.clear()),
})

async function allowShaking({ notices, shaking }: ActionReach) {
  const isHeard = await shaking.ask()
  notices.say(isHeard ? 'Shake your phone to clear everything.' : 'This phone doesn’t tell us when it’s shaken.')
}

function recolor({ editing, selection }: Reach) {
  editing.edit((replica) => replica.edit(replica.shapesOf(selection.ids())
    .map((shape) => ({ shape: shape.id, set: recolored(shape, replica) }))))
}

function putIntoGroup({ editing, selection }: Reach, group: number | null) {
  editing.edit((replica) => replica.edit(selection.ids().map((shape) => ({ shape, set: { group } }))))
}

function group(reach: ActionReach) {
  const { groups, selection } = reach
  // If the selection is exactly one group already, grouping would change nothing.
  if (groups.areOne(selection.ids()) && groups.with(selection.ids()[0]).length === selection.size) return
  putIntoGroup(reach, Math.floor(Math.random() * 36 ** 9))
}

const areLocked = ({ locks, selection }: Reach) => selection.size > 0 && selection.ids().every((id) => locks.has(id))

function selectAll({ selection, shown }: Reach) {
  selection.set(shown.replica.shapes().filter(({ visible, locked }) => visible && !locked).map(({ id }) => id))
}

/** Cancels the gesture in progress; without one, clears the selection; without a selection, chooses the select tool. */
function escape({ selection, tool, tools }: ActionReach) {
  if (tools.isBusy) tools.cancel('escape')
  else if (selection.size > 0) selection.clear()
  else tool.choose('select')
}

async function place(
  { aligning, editing, groups, locks, momentum, selection, shown }: ActionReach,
  arrange: (align: typeof import('../arrange/align.js'), units: Shape[][]) => Place[],
) {
  const ids = selection.ids()
  const loaded = await aligning.get()
  // Meanwhile somebody may have locked one of them.
  if (!loaded || locks.refuse(ids)) return
  momentum.settleAll()
  const chosen = new Set(ids)
  const shapes = shown.replica.shapesOf(ids).filter((shape) => !isLed(shape, chosen))
  const places = arrange(loaded, groups.units(shapes))
  if (places.length > 0) placeLoose({ editing, shown }, places)
}

/**
 * Whether at least `count` units are selected. A line that is tied to another selected shape doesn't count, because it
 * follows that shape.
 */
function haveUnits({ groups, scene, selection }: Reach, count: number) {
  const ids = selection.ids()
  // Asks what is quick to answer first, because many shapes can be selected.
  if (!groups.areUnits(ids, count)) return false
  return groups.areUnits(ids.filter((id) => {
    const shape = scene.drawn(id)?.shape
    return shape && !isLed(shape, selection)
  }), count)
}

const nudge = (id: string, words: string, key: string, dx: number, dy: number): Action => ({
  id, group: 'Arrange', words, keys: [key, `shift+${key}`], edits: true, needs: 1, repeats: true,
  run: ({ momentum, selection }, event) => {
    const step = event?.shiftKey ? 10 : 1
    momentum.nudge(selection.ids(), dx * step, dy * step)
  },
})
/**
 * An action that moves shapes within the drawing order. It also has a key with the modifier, because the key alone can
 * type a character into the selected shape.
 */
const order = (id: string, words: string, key: string, to: 'front' | 'forward' | 'backward' | 'back'): Action => ({
  id, group: 'Arrange', words, keys: [`mod+${key}`, key], edits: true, needs: 1,
  run: ({ editing, selection }) => editing.edit((replica) => replica.reorder(selection.ids(), to)),
})
const zoom = (id: string, words: string, keys: string[], factor: (view: View) => number): Action => ({
  id, group: 'View', words, keys, repeats: true,
  run: ({ view }) => view.zoomAt({ x: view.width / 2, y: view.height / 2 }, factor(view)),
})
const align = (edge: Edge, words: string, key: string): Action => ({
  id: `align${edge[0].toUpperCase()}${edge.slice(1)}`, group: 'Arrange', words, keys: [key], edits: true, needs: 2,
  run: (reach) => place(reach, ({ aligned }, units) => aligned(units, edge)),
  isEnabled: (reach) => haveUnits(reach, 2),
})
const distribute = (axis: 'x' | 'y', id: string, words: string, key: string): Action => ({
  id, group: 'Arrange', words, keys: [key], edits: true, needs: 3,
  run: (reach) => place(reach, ({ distributed }, units) => distributed(units, axis)),
  isEnabled: (reach) => haveUnits(reach, 3),
})

const tools = Object.entries(toolbox).map(([id, { words, key, draws }]): Action => (
  { id, group: 'Tools', words, keys: [key], edits: draws, run: ({ tool }) => tool.choose(id) }))

const games: Omit<Action, 'group' | 'isPlay'>[] = [
  { id: 'addSquare', words: 'Add Square', keys: ['q'], edits: true, run: addSquare },
  {
    id: 'threeSquares', words: 'Start with three squares', keys: [], edits: true,
    run: (reach) => reach.editing.group(() => { for (let count = 0; count < 3; count++) addSquare(reach) }),
  },
  { id: 'blackHole', words: 'Black Hole', keys: ['shift+b'], edits: true, run: swallowAll },
  { id: 'recolor', words: 'New colour', keys: ['alt+c', 'c'], edits: true, needs: 1, run: recolor },
  {
    id: 'shakeToClear', words: 'Turn on shake to clear', keys: [], edits: true,
    run: allowShaking, isEnabled: ({ shaking }) => shaking.isToBeAsked,
  },
]

const edits: Omit<Action, 'group'>[] = [
  {
    id: 'undo', words: 'Undo', keys: ['mod+z'], edits: true, repeats: true,
    run: ({ editing }) => editing.undo(), isEnabled: ({ shown }) => shown.replica.canUndo, isToldWhenDisabled: true,
  },
  {
    id: 'redo', words: 'Redo', keys: ['mod+shift+z', 'mod+y'], edits: true, repeats: true,
    run: ({ editing }) => editing.redo(), isEnabled: ({ shown }) => shown.replica.canRedo, isToldWhenDisabled: true,
  },
  {
    id: 'cut', words: 'Cut', keys: ['mod+x'], isByBrowser: true, edits: true, needs: 1,
    run: ({ clipboard }) => clipboard.cut(),
  },
  {
    id: 'copy', words: 'Copy', keys: ['mod+c'], isByBrowser: true, needs: 1,
    run: ({ clipboard }) => clipboard.copy(),
  },
  {
    id: 'paste', words: 'Paste', keys: ['mod+v'], isByBrowser: true, edits: true,
    run: ({ clipboard }) => clipboard.paste(),
  },
  {
    id: 'duplicate', words: 'Duplicate', keys: ['mod+d'], edits: true, needs: 1, takesLocked: true,
    run: ({ duplicating }) => duplicating.duplicate(),
  },
  {
    id: 'delete', words: 'Delete', keys: ['delete', 'backspace'], edits: true, needs: 1,
    run: ({ editing, selection }) => editing.edit((replica) => replica.delete(selection.ids())),
  },
  { id: 'addShape', words: 'Write in the shape, or add one', keys: ['enter'], edits: true, run: writeOrAdd },
  {
    id: 'write', words: 'Write', keys: ['f2'], edits: true, needs: 1, run: ({ selection, writing }) => writing.open(selection.ids()[0]),
    isEnabled: ({ selection, shown }) => selection.size === 1 && shown.replica.shape(selection.ids()[0])?.kind !== 'ink',
  },
  {
    id: 'openLink', words: 'Open link', keys: ['alt+l'], needs: 1, takesLocked: true,
    run: openSelected, isEnabled: (reach) => selectedAddresses(reach).length > 0,
  },
  {
    id: 'clear', words: 'Clear everything', keys: ['shift+delete', 'shift+backspace'], edits: true,
    run: clear, isEnabled: ({ shown }) => shown.replica.shapeCount > 0,
  },
  { id: 'selectAll', words: 'Select all', keys: ['mod+a'], run: selectAll },
  { id: 'escape', words: 'Stop or deselect', keys: ['escape'], run: escape },
]

const arranging: Action[] = [
  {
    id: 'connectTo', group: 'Arrange', words: 'Connect to…', keys: ['alt+k'], edits: true, needs: 1, takesLocked: true,
    run: async (reach) => (await reach.connecting.get())?.connectTo(reach),
    isEnabled: ({ selection, shown }) => selection.size === 1 && shown.replica.shape(selection.ids()[0])?.kind !== 'ink',
  },
  { id: 'group', group: 'Arrange', words: 'Group', keys: ['mod+g'], edits: true, needs: 2, run: group },
  {
    id: 'ungroup', group: 'Arrange', words: 'Ungroup', keys: ['mod+shift+g'], edits: true, needs: 1,
    run: (reach) => putIntoGroup(reach, null), isEnabled: ({ groups, selection }) => groups.hasAny(selection.ids()),
  },
  {
    id: 'lock', group: 'Arrange', words: 'Lock', keys: ['mod+shift+l'], edits: true, needs: 1, takesLocked: true,
    run: (reach) => reach.locks.set(reach.selection.ids(), !areLocked(reach)), isChecked: areLocked,
  },
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
  distribute('x', 'distributeHorizontally', 'Distribute horizontally', 'alt+shift+h'),
  distribute('y', 'distributeVertically', 'Distribute vertically', 'alt+shift+v'),
]

const viewing: Action[] = [
  zoom('zoomIn', 'Zoom in', ['+', '=', 'alt+=', 'alt++'], () => zoomStep),
  zoom('zoomOut', 'Zoom out', ['-', 'alt+-'], () => 1 / zoomStep),
  zoom('actualSize', 'Actual size', ['1'], (view) => 1 / view.scale),
  {
    id: 'zoomToFit', group: 'View', words: 'Zoom to fit', keys: ['shift+1', '0', 'alt+0'],
    run: (reach) => fitTo(reach, reach.shown.replica.bounds()),
  },
  {
    id: 'zoomToSelection', group: 'View', words: 'Zoom to selection', keys: ['alt+z', 'shift+2'], needs: 1,
    run: (reach) => fitTo(reach, reach.shown.replica.bounds(reach.selection.ids())),
  },
  {
    id: 'markOverlaps', group: 'View', words: 'Mark overlaps', keys: ['shift+o'],
    run: ({ marks }) => marks.toggle(), isChecked: ({ marks }) => marks.isOn,
  },
  { id: 'play', group: 'View', words: 'Play', keys: [], run: ({ play }) => play.toggle(), isChecked: ({ play }) => play.isOn },
]

export const actions: Action[] = [
  ...tools,
  ...games.map((action) => ({ group: 'Play', isPlay: true, ...action })),
  ...edits.map((action) => ({ group: 'Edit', ...action })),
  ...arranging,
  ...viewing,
]
