import { kindWords } from '../core/table.js'
import type { Point, Values } from '../core/types.js'
import { leading } from '../drawing/lines.js'
import type { Drag } from '../gestures/recogniser.js'
import type { TrailPoint } from '../gestures/surface.js'
import type { Paint } from '../state/paint.js'
import { Erasing, eraserCursor, Inking } from './inking.js'
import { Lining } from './leading.js'
import { arrowLook, lineLook, nextLook, noteLook, textLook } from './look.js'
import { Marquee, Panning } from './looking.js'
import { type Form, makeByKey, makeForWriting, Making } from './making.js'
import type { Act, ActReach } from './reach.js'

// The tools: one table for the hand, the keys and the menus. What a tool does on a shape or a handle that it reaches is
// the same for all tools.

export interface HeldTool {
  words: string
  key: string
  /** The mouse's, where there is nothing to take hold of. */
  cursor: string
  /**
   * What a drag takes hold of: `shapes` and handles; what is `selected`, while a drag over another shape draws there;
   * `handles` only; no shape, since all of the `sheet` is drawn on; or the `paper`, which it moves.
   */
  reaches: 'shapes' | 'selected' | 'handles' | 'sheet' | 'paper'
  /** Whether it changes the drawing. */
  draws: boolean
  /** It needs the pointer's whole path, and not only the moves. */
  takesTrail?: boolean
  /** Begins a drag that takes hold of nothing. */
  begin: (reach: ActReach, gesture: Drag, trail: TrailPoint[]) => Act
  /** Does what a tap on no shape does; without it, such a tap clears the selection. `at`: of the canvas. */
  tap?: (reach: ActReach, at: Point, trail: TrailPoint[]) => void
  /** What people add with it who can't draw. */
  adds?: Addable
}

/** Its size, by which a free place is found, and what is done there. */
interface Addable {
  size: { width: number, height: number }
  add: (reach: ActReach, place: Point) => void
}

/** The size of a shape or a line that is added by a key. */
const addedBox = { width: 150, height: 120 }

const addable = (form: Form): Addable => ({ size: form.size, add: (reach, place) => makeByKey(reach, form, place) })
const ofKind = (kind: string): Form => ({ kind, size: addedBox, look: nextLook })
/** What is added while the tool in hand makes nothing that could be placed. */
export const standard = addable(ofKind('rectangle'))

const making = (words: string, key: string, form: Form): HeldTool => ({
  words, key, cursor: 'crosshair', reaches: 'selected', draws: true,
  begin: (reach, gesture) => new Making(reach, form, gesture), adds: addable(form),
})
const shape = (kind: string, key: string) => making(kindWords[kind], key, ofKind(kind))
/** @param corner where its box has its top left corner if it is tapped for there */
const written = (words: string, key: string, form: Form, corner: (at: Point) => Point): HeldTool => ({
  ...making(words, key, { ...form, isWritten: true }), cursor: 'text',
  tap: (reach, at) => makeForWriting(reach, form, corner(at)),
})
const line = (words: string, key: string, look: (paint: Paint) => Values): HeldTool => ({
  words, key, cursor: 'crosshair', reaches: 'handles', draws: true,
  begin: (reach, gesture) => new Lining(reach, gesture, look(reach.paint)),
  adds: { size: addedBox, add: ({ editing, paint, selection }, { x, y }) => {
    const middle = y + addedBox.height / 2
    const points = [{ x, y: middle }, { x: x + addedBox.width, y: middle }]
    const added = editing.edit((replica) => replica.add({ kind: 'line', ...leading(points), ...look(paint) }))
    if (added) selection.set([added.shape])
  } },
})
/** A tool that draws, or erases, under the hand. A tap makes a dot, or erases at that place. */
const freehand = (
  words: string, key: string, cursor: string, act: new (reach: ActReach, trail: TrailPoint[]) => Inking | Erasing,
): HeldTool => ({
  words, key, cursor, reaches: 'sheet', draws: true, takesTrail: true,
  begin: (reach, _, trail) => new act(reach, trail),
  tap: (reach, _, trail) => { if (trail.length > 0) new act(reach, trail).end() },
})

const noteSide = 200
const note = { kind: 'rectangle', size: { width: noteSide, height: noteSide }, look: noteLook }
const emptyText = { kind: 'text', size: { width: 24, height: 41 }, look: textLook }

/** The tools by name, in the order of menus. */
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
  // A text begins at the pointer.
  text: written('Text', 't', emptyText, ({ x, y }) => ({ x: x - 8, y: y - emptyText.size.height / 2 })),
  arrow: line('Arrow', 'a', arrowLook),
  line: line('Line', 'l', lineLook),
  pen: freehand('Pen', 'd', 'crosshair', Inking),
  eraser: freehand('Eraser', 'e', eraserCursor, Erasing),
}
