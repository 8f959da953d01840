import { stillFree } from '../arrange/held.js'
import type { ActReach, Reach } from '../arrange/reach.js'
import { Snapping } from '../arrange/snapping.js'
import { drawnBox, onGrid, sideMin } from '../arrange/transform.js'
import type { Drawn } from '../canvas/drawn.js'
import { isStroke } from '../canvas/lines.js'
import { boxHeight, newWidth } from '../canvas/fitted.js'
import { chosenTextSize, standardTextSize, textSizeFor } from '../canvas/notes.js'
import type { Scene } from '../canvas/scene.js'
import { fitBeside, openArea } from '../canvas/surroundings.js'
import type { View } from '../canvas/view.js'
import type { Replica } from '../core/replica.js'
import type { Shape } from '../core/table.js'
import type { Box, Point, Values } from '../core/types.js'
import type { Drag } from '../gestures/recogniser.js'
import type { Paint } from '../state/paint.js'
import { lookOf } from './look.js'

/** The shape that a tool makes. */
export interface Form {
  kind: string
  /** The size if the shape is added by a click or a key instead of a drag. */
  size: { width: number, height: number }
  look: (paint: Paint, replica: Replica) => Values
  /** Whether the typing of the shape's text begins as soon as the shape is added. */
  isWritten?: boolean
}

function addForm(
  { editing, paint }: Pick<Reach, 'editing' | 'paint'>, { kind, look }: Form, { x, y, width, height }: Box,
) {
  const added = editing.edit((replica) => replica.add({
    kind, position: [x, y], size: [width, height], ...look(paint, replica),
  }))
  return added?.shape ?? null
}

/** Adds a shape, and begins to write in it. */
export function makeForWriting(
  reach: Pick<ActReach, 'editing' | 'paint' | 'tool' | 'writing'>, form: Form, { x, y }: Point,
) {
  const step = reach.editing.openStep()
  const shape = addForm(reach, form, { x, y, ...form.size })
  if (shape === null) return step.end()
  reach.tool.choose('select')
  reach.writing.open(shape, { isNew: true, step })
}

/** The gap between a note and the next one, in units of the canvas. */
export const noteGap = 20
/** How many places to the right are looked at for the next note. */
const placesMax = 100

/** The first free place to the right of a shape, of the same size. */
function placeBeside(scene: Scene, { x, y, width, height }: Box): Box {
  const meets = (left: number) => (other: Drawn) => !isStroke(other.shape.kind) && other.opacity > 0
    && other.left < left + width && other.right > left && other.top < y + height && other.bottom > y
  // What lies under the shape itself, such as a board, lies under the next one too.
  const others = scene.order.filter((drawn) => !meets(x)(drawn))
  const places = Array.from({ length: placesMax }, (_, index) => x + (index + 1) * (width + noteGap))
  return { x: places.find((left) => !others.some(meets(left))) ?? places[0], y, width, height }
}

/** Moves the view to a new shape, if it is partly outside. */
function reveal(view: View, box: Box) {
  const seen = openArea(view)
  const isSeen = box.x >= seen.x && box.x + box.width <= seen.x + seen.width
  if (!isSeen) fitBeside(view, box, 96, { now: performance.now(), nearest: view.scale })
}

/** Adds a shape that looks like another one, at the first free place beside it, and begins to write in it. */
export function makeBeside({ editing, scene, view, writing }: Pick<ActReach, 'editing' | 'scene' | 'view' | 'writing'>, shape: Shape) {
  const box = placeBeside(scene, shape)
  const { x, y, width, height } = box
  const step = editing.openStep()
  const added = editing.edit((replica) => replica.add({
    ...lookOf({ ...shape, textSize: textSizeFor(shape, '') }), position: [x, y], size: [width, height],
  }))
  if (!added) return step.end()
  writing.open(added.shape, { step })
  reveal(view, box)
}

/**
 * Adds a text beside where a deleted shape was, so that what was written in the shape isn't lost, and nothing hides it
 * if the shape comes back. If the shape isn't known any more, the text is added where the person looks.
 *
 * @param isRevealed whether the view may move to the text
 * @returns the new text, if it could be added
 */
export function keepBeside(
  { editing, scene, view }: Pick<Reach, 'editing' | 'scene' | 'view'>, shape: Shape | undefined, text: string, isRevealed = true,
) {
  const textSize = shape ? chosenTextSize(shape) : standardTextSize
  const seen = openArea(view)
  const unknown = { ...seen, x: Math.round(seen.x + seen.width / 3), y: Math.round(seen.y + seen.height / 3) }
  const { x, y, ...box } = shape ? placeBeside(scene, shape) : unknown
  const width = !shape || shape.kind === 'line' ? newWidth(text, textSize) : box.width
  const height = boxHeight(text, textSize, width)
  const added = editing.edit((replica) => replica.add({
    kind: 'text', position: [x, y], size: [width, height], text, textSize, fill: '#767676',
  }))
  if (added && isRevealed) reveal(view, { x, y, width, height })
  return added?.shape
}

/** Adds and selects a shape, for people who can't draw with a pointer. */
export function makeByKey(
  reach: Pick<ActReach, 'editing' | 'paint' | 'selection' | 'writing'>, form: Form, { x, y }: Point,
) {
  const step = reach.editing.openStep()
  const shape = addForm(reach, form, { x: Math.round(x), y: Math.round(y), ...form.size })
  if (shape !== null) reach.selection.set([shape])
  if (shape !== null && form.isWritten) reach.writing.open(shape, { isNew: true, step })
  else step.end()
}

/** Draws a new shape by dragging, as one step of undo. The shape grows from where the pointer was pressed. */
export class Making {
  #editing
  #selection
  #shown
  #view
  #tool
  #form
  #writing
  #corner
  #snapping
  #step
  #shape: number | null = null
  /** What was made, also if somebody has locked it since. */
  #made: number[]
  #last: Box | null = null

  constructor(
    { editing, overlay, paint, scene, selection, shown, tool, view, writing }: Pick<ActReach,
      'editing' | 'overlay' | 'paint' | 'scene' | 'selection' | 'shown' | 'tool' | 'view' | 'writing'>,
    form: Form, gesture: Drag,
  ) {
    this.#tool = tool
    this.#form = form
    this.#writing = writing
    this.#editing = editing
    this.#selection = selection
    this.#shown = shown
    this.#view = view
    this.#corner = view.toCanvas(gesture.start)
    this.#snapping = new Snapping({ overlay, scene, view }, [])
    this.#step = editing.openStep()
    this.#shape = addForm({ editing, paint }, form, this.#box(gesture))
    this.#made = this.#shape === null ? [] : [this.#shape]
    selection.clear()
  }

  get cursor() { return 'crosshair' }
  get inHand() { return { held: this.#shape === null ? [] : [this.#shape], tied: [] } }

  follow() { this.#shape = stillFree({ shown: this.#shown }, this.#shape) }

  move(gesture: Drag) {
    const id = this.#shape
    if (id === null) return
    const box = this.#box(gesture)
    const { x, y, width, height } = box
    const last = this.#last
    if (last && x === last.x && y === last.y && width === last.width && height === last.height) return
    this.#last = box
    this.#editing.edit((replica) => replica.place([{ id, x, y, width, height }]))
  }

  end(gesture: Drag) {
    this.move(gesture)
    this.#snapping.rest()
    const isWritten = this.#shape !== null && this.#form.isWritten
    if (this.#shape === null && this.#form.kind === 'text') return this.#writing.takeBack(this.#made, this.#step)
    if (!isWritten) this.#step.end()
    if (this.#shape === null) return
    this.#selection.set([this.#shape])
    if (!isWritten) return
    this.#tool.choose('select')
    this.#writing.open(this.#shape, { step: this.#step })
  }

  /** If the browser interrupts the gesture, the shape is kept, but not an empty text, because that is invisible. */
  cancel({ reason }: Drag) {
    this.#snapping.rest()
    if (reason === 'interrupted' && this.#form.kind !== 'text') this.#step.end()
    else this.#writing.takeBack(this.#made, this.#step)
  }

  #box({ x, y, shift, alt, ctrl, meta, pointer }: Drag): Box {
    const least = sideMin[pointer]
    const corner = this.#corner
    const hand = this.#view.toCanvas({ x, y })
    if (ctrl || meta) return drawnBox(onGrid(corner), onGrid(hand), { even: shift, around: alt, least })
    if (shift || alt) {
      this.#snapping.rest()
      return drawnBox(corner, hand, { even: shift, around: alt, least })
    }
    // Along an axis where the drag is shorter than the least size, nothing snaps. There the box's corner isn't at the
    // pointer.
    const [dx, dy] = [hand.x - corner.x, hand.y - corner.y]
    const side = { across: Math.abs(dx) < least ? 0 : Math.sign(dx), down: Math.abs(dy) < least ? 0 : Math.sign(dy) }
    const [wayX, wayY] = this.#snapping.pull({ ...corner, width: 0, height: 0 }, side, dx, dy)
    return drawnBox(corner, { x: corner.x + wayX, y: corner.y + wayY }, { least })
  }
}
