import type { Act, ActReach } from '../arrange/reach.js'
import { bent, leading } from '../canvas/lines.js'
import { Lining } from '../connect/leading.js'
import { kindWords } from '../core/table.js'
import type { Point, Values } from '../core/types.js'
import { Erasing, eraserCursor, Inking } from '../draw/inking.js'
import { arrowLook, lineLook, nextLook, noteLook, noteSide, textLook } from '../draw/look.js'
import { type Form, makeByKey, makeForWriting, Making } from '../draw/making.js'
import type { Drag } from '../gestures/recogniser.js'
import type { TrailPoint } from '../gestures/surface.js'
import type { Paint } from '../state/paint.js'
import { Marquee, Panning } from './looking.js'
import { Pointing } from './pointing.js'

// The table of tools, for gestures, keys and menus. All tools do the same with the shapes and handles that they can
// reach.

export interface HeldTool {
  words: string
  key: string
  /** The mouse cursor over the empty canvas. */
  cursor: string
  /**
   * What a drag can grab. `shapes`: all shapes, and handles. `selected`: only selected shapes, and handles. `handles`:
   * only handles. `sheet`: nothing, because the tool draws everywhere. `paper`: nothing, because the drag moves the
   * canvas.
   */
  reaches: 'shapes' | 'selected' | 'handles' | 'sheet' | 'paper'
  /** Whether the tool changes the drawing. */
  draws: boolean
  /** Whether the tool only shows something to others, so that drags and taps work without the right to edit. */
  shows?: boolean
  /** Whether the tool needs the pointer's whole path. */
  takesTrail?: boolean
  /** Begins a drag on the empty canvas. */
  begin: (reach: ActReach, gesture: Drag, trail: TrailPoint[]) => Act
  /**
   * Handles a tap on the empty canvas. Without this function, or without the right to edit, the tap clears the
   * selection. `at` is in canvas coordinates. `shape`: the tapped one, if `tapsShapes`.
   */
  tap?: (reach: ActReach, at: Point, trail: TrailPoint[], shape?: number) => void
  /** Whether the tool also handles a tap on a shape, which else selects the shape. */
  tapsShapes?: boolean
  /** The shape that a key adds in place of a drag with this tool, for people who can't use a pointer. */
  adds?: Addable
}

/** Something that can be added by a key. Its size is used to find a free place. */
interface Addable {
  size: { width: number, height: number }
  /** Whether its text is typed as soon as it is added. */
  isWritten?: boolean
  add: (reach: ActReach, place: Point) => void
}

/** The size of a shape or a line that is added by a key. */
const addedBox = { width: 150, height: 120 }

const addable = (form: Form): Addable => ({ ...form, add: (reach, place) => makeByKey(reach, form, place) })
const ofKind = (kind: string): Form => ({ kind, size: addedBox, look: nextLook })
/** What is added if the current tool has nothing to add. */
export const standard = addable(ofKind('rectangle'))

const making = (words: string, key: string, form: Form): HeldTool => ({
  words, key, cursor: 'crosshair', reaches: 'selected', draws: true,
  begin: (reach, gesture) => new Making(reach, form, gesture), adds: addable(form),
})
const shape = (kind: string, key: string) => making(kindWords[kind], key, ofKind(kind))
/** @param corner the upper left corner of a box that is added by a tap */
const written = (words: string, key: string, form: Form, corner: (at: Point) => Point): HeldTool => ({
  ...making(words, key, { ...form, isWritten: true }), cursor: 'text',
  // Somebody who taps with this tool begins to type. Beside a field, the letters would be keys.
  tapsShapes: true,
  tap: (reach, at, _, id) => {
    const isText = form.kind === 'text' && id !== undefined && reach.shown.replica.shape(id)?.written
    if (!isText) return makeForWriting(reach, form, corner(at))
    reach.tool.choose('select')
    reach.writing.open(id)
  },
})
const line = (words: string, key: string, look: (paint: Paint) => Values): HeldTool => ({
  words, key, cursor: 'crosshair', reaches: 'handles', draws: true,
  begin: (reach, gesture) => new Lining(reach, gesture, look(reach.paint)),
  adds: { size: addedBox, add: ({ editing, paint, selection }, { x, y }) => {
    const middle = y + addedBox.height / 2
    const points = [{ x, y: middle }, { x: x + addedBox.width, y: middle }]
    const added = editing.edit((replica) => replica.add({ kind: 'line', ...leading(bent(points, paint.route)), ...look(paint) }))
    if (added) selection.set([added.shape])
  } },
})
/** A tool that draws, erases or points along the pointer's path. A tap makes a dot, or erases at that point. */
const freehand = (
  words: string, key: string, cursor: string, act: new (reach: ActReach, trail: TrailPoint[]) => Inking | Erasing | Pointing,
): HeldTool => ({
  words, key, cursor, reaches: 'sheet', draws: true, takesTrail: true,
  begin: (reach, _, trail) => new act(reach, trail),
  tap: (reach, _, trail) => { if (trail.length > 0) new act(reach, trail).end() },
})

const note = { kind: 'rectangle', size: { width: noteSide, height: noteSide }, look: noteLook }
const emptyText = { kind: 'text', size: { width: 24, height: 41 }, look: textLook }

/** The tools by name, in the order of the menu. */
export const toolbox: Record<string, HeldTool> = {
  select: {
    words: 'Select', key: 'v', cursor: 'default', reaches: 'shapes', draws: false,
    begin: (reach, gesture) =>
      (gesture.pointer === 'touch' && !gesture.lifted ? new Panning(reach, gesture) : new Marquee(reach, gesture)),
  },
  hand: {
    words: 'Hand', key: 'h', cursor: 'grab', reaches: 'paper', draws: false,
    begin: (reach, gesture) => new Panning(reach, gesture),
  },
  rectangle: shape('rectangle', 'r'),
  roundedRectangle: shape('roundedRectangle', 'u'),
  ellipse: shape('ellipse', 'o'),
  polygon: shape('polygon', 'p'),
  star: shape('star', 's'),
  note: written('Note', 'n', note, ({ x, y }) =>
    ({ x: Math.round(x - noteSide / 2), y: Math.round(y - noteSide / 2) })),
  // The first letter appears at the tapped point.
  text: written('Text', 't', emptyText, ({ x, y }) => ({ x: x - 8, y: y - emptyText.size.height / 2 })),
  arrow: line('Arrow', 'a', arrowLook),
  line: line('Line', 'l', lineLook),
  pen: freehand('Pen', 'd', 'crosshair', Inking),
  eraser: freehand('Eraser', 'e', eraserCursor, Erasing),
  laser: { ...freehand('Laser pointer', 'k', 'crosshair', Pointing), draws: false, shows: true },
}
