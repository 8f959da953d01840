import { colorsInTurn } from '../basics/shape-colors.js'
import type { Replica } from '../core/replica.js'
import { kinds, properties, type Shape } from '../core/table.js'
import type { Box, Changes, Point, Values } from '../core/types.js'
import { isStroke } from '../drawing/lines.js'
import type { Drag } from '../gestures/recogniser.js'
import type { Paint } from '../state/paint.js'
import { isGone } from './held.js'
import type { ActReach, Reach, Writing } from './reach.js'
import { Snapping } from './snapping.js'
import { drawnBox, onGrid, sideMin } from './transform.js'

/** Even with random colours, a room's first shapes are yellow and red. */
const firstFills = 2

/** The width of outlines, in units of the canvas. */
const outlineWidth = 4
/** The size of letters that is not written. */
const standardTextSize = properties.find(({ name }) => name === 'textSize')?.standard
/** The colour of notes, and of a text: it is readable on light paper and on dark. */
const noteFill = '#FFE27A'
const textFill = '#767676'
const noteSide = 200
/** The colour of lines, which is visible on light paper and on dark. */
const lineStroke = '#767676'
const inkStroke = '#2F6FED'
/** The box of an empty text. */
const textBox = { width: 24, height: 41 }
/** The size of a shape that is added by a click or a key instead of being drawn. */
const addedBox = { width: 150, height: 120 }

/** @param name of a tool */
export const sizeFor = (name: string) =>
  (name === 'note' ? { width: noteSide, height: noteSide } : name === 'text' ? textBox : addedBox)

/** Whether a tool leaves a shape, a line or ink where it is dragged. */
export const draws = (name: string) => name !== 'select' && name !== 'hand'

/** The kind of shape that a drawing tool makes. A note is a rectangle to write in. */
export const kindOf = (name: string) =>
  (name === 'note' ? 'rectangle' : kinds.includes(name) && !isStroke(name) ? name : null)

/** The colour of the outline of a shape that has no fill, if no colour for outlines is chosen. */
const bareStroke = '#2B2A28'

/** Whether typing continues a shape's text: either the shape has a text, or it is a note. */
export const isWrittenOn = ({ kind, fill, written }: Shape) =>
  written || kind === 'text' || (kind === 'rectangle' && fill === noteFill)

/** @param name of a tool */
export const isForWriting = (name: string) => name === 'note' || name === 'text'

/** The tools that draw lines. */
export const isForLines = (name: string) => name === 'line' || name === 'arrow'

/** The tools that draw or erase ink. */
export const isForInk = (name: string) => name === 'pen' || name === 'eraser'

type StrokeLook = { stroke: string, strokeWidth: number, dash?: string }

/** The colour of a line: the colour that is chosen for outlines, or else the one for fills. */
const strokeLook = (paint: Paint, standard: string): StrokeLook =>
  nextOutline(paint, paint.stroke ?? colorOf(paint.fill) ?? standard)

/** The line around the next shape, or the next line. What nobody has chosen isn't written. */
const nextOutline = ({ strokeWidth, dash }: Paint, stroke: string): StrokeLook =>
  ({ stroke, strokeWidth, ...dash !== 'solid' && { dash } })

/** @param fill as chosen */
const colorOf = (fill: string | null): string | null => (fill === 'none' || fill === 'any' ? null : fill)

/**
 * The fill of the next shape that has none of its own, like a note.
 *
 * @returns null: a random one
 */
export function nextFill({ fill }: Paint, { shapeCount }: Replica): string | null {
  if (fill === 'any' && shapeCount >= firstFills) return null
  return colorOf(fill) ?? colorsInTurn[shapeCount % colorsInTurn.length]
}

export const lineLook = (paint: Paint, tool: string) =>
  ({ ...strokeLook(paint, lineStroke), ...tool === 'arrow' && { toEnd: 'arrow' } })

export const inkLook = (paint: Paint) => strokeLook(paint, inkStroke)

/** The colours for a new shape: the chosen ones, or else the next in turn. */
export function nextLook(paint: Paint, replica: Replica, tool?: string): Values {
  const { fill, stroke, textSize } = paint
  const color = colorOf(fill)
  const letters = textSize !== standardTextSize && { textSize }
  if (tool === 'text') return { fill: color ?? textFill, textAlign: 'left', textPlace: 'top', ...letters }
  if (tool === 'note') return { fill: color ?? noteFill, ...letters }
  if (fill === 'none') return { filled: false, ...nextOutline(paint, stroke ?? bareStroke), ...letters }
  return {
    fill: nextFill(paint, replica) ?? replica.brightColor(),
    ...stroke !== null && nextOutline(paint, stroke),
    ...letters,
  }
}

/**
 * The kinds that can have a fill or none. Texts, lines and ink have only one colour, and would be invisible without it.
 */
const kindsWithFill = properties.find(({ name }) => name === 'filled')?.inspector?.kinds ?? []

export const hasFillAndOutline = ({ kind }: { kind: string }) => kindsWithFill.includes(kind)

const outlined = (stroke: string): Values => ({ stroke, strokeWidth: outlineWidth })

/** The values that give a shape a fill, even if it had none. A line or ink gets the colour of the fill itself. */
export function filledWith({ kind, filled }: Shape, fill: string): Values {
  if (isStroke(kind)) return { stroke: fill }
  return filled ? { fill } : { fill, filled: true }
}

/**
 * The values that remove a shape's fill or its outline. The shape keeps or gets the other one, so that it stays
 * visible. A shape with only one colour keeps its colour.
 */
export function bared(shape: Shape, part: 'fill' | 'stroke'): Values {
  if (!hasFillAndOutline(shape)) return {}
  if (part === 'stroke') return { strokeWidth: 0, filled: true }
  return shape.strokeWidth > 0 ? { filled: false } : { filled: false, ...outlined(shape.fill) }
}

/**
 * The values that give a shape's outline a colour, even if it had none. A shape with only one colour has no outline.
 */
export function outlinedWith(shape: Shape, stroke: string): Values {
  if (!hasFillAndOutline(shape)) return {}
  return shape.strokeWidth > 0 ? { stroke } : outlined(stroke)
}

/** Makes a text or a note where the person has tapped, and opens it for writing. */
export function makeForWriting(
  { editing, paint, shown, tool, writing }: Pick<ActReach, 'editing' | 'paint' | 'shown' | 'tool' | 'writing'>,
  { x, y }: Point,
) {
  const { name } = tool
  const { width, height } = sizeFor(name)
  // A text begins at the pointer; a note has its middle there.
  const position = name === 'note' ? [Math.round(x - width / 2), Math.round(y - height / 2)] : [x - 8, y - height / 2]
  const step = editing.openStep()
  const added = editing.edit((replica) => replica.add({
    kind: kindOf(name), position, size: [width, height], ...nextLook(paint, shown.replica, name),
  }))
  if (!added) return step.end()
  tool.choose('select')
  writing.open(added.shape, { isNew: true, step })
}

/** Draws a new shape, which grows from where the hand came down. This is one step of undo. */
export class Making {
  #editing
  #selection
  #shown
  #view
  #tool
  #writing
  #corner
  #snapping
  #step
  #shape: number | null = null
  #last: Box | null = null

  constructor(
    { editing, overlay, paint, scene, selection, shown, tool, view, writing }: Pick<Reach,
        'editing' | 'overlay' | 'paint' | 'scene' | 'selection' | 'shown' | 'tool' | 'view'> & { writing: Writing },
    gesture: Drag,
  ) {
    this.#tool = tool
    this.#writing = writing
    this.#editing = editing
    this.#selection = selection
    this.#shown = shown
    this.#view = view
    this.#corner = view.toCanvas(gesture.start)
    this.#snapping = new Snapping({ overlay, scene, view }, [])
    this.#step = editing.openStep()
    const { x, y, width, height } = this.#box(gesture)
    const look = nextLook(paint, shown.replica, tool.name)
    const added = editing.edit((replica) => replica.add({ kind: kindOf(tool.name), position: [x, y], size: [width, height], ...look }))
    this.#shape = added?.shape ?? null
    selection.clear()
  }

  get cursor() { return 'crosshair' }
  get inHand() { return { held: this.#shape === null ? [] : [this.#shape], tied: [] } }

  follow(changes: Changes) { if (isGone({ shown: this.#shown }, changes, this.#shape)) this.#shape = null }

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
    const isWritten = this.#shape !== null && isForWriting(this.#tool.name)
    if (!isWritten) this.#step.end()
    if (this.#shape === null) return
    this.#selection.set([this.#shape])
    if (!isWritten) return
    this.#tool.choose('select')
    this.#writing.open(this.#shape, { step: this.#step })
  }

  /** If the gesture was only interrupted, the shape that was drawn is kept. */
  cancel({ reason }: Drag) {
    this.#snapping.rest()
    if (reason === 'interrupted') this.#step.end()
    else this.#step.abandon()
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
    // Along an axis where the box is smaller than the least side, nothing snaps, because the box's corner isn't at the
    // hand.
    const [dx, dy] = [hand.x - corner.x, hand.y - corner.y]
    const side = { across: Math.abs(dx) < least ? 0 : Math.sign(dx), down: Math.abs(dy) < least ? 0 : Math.sign(dy) }
    const [wayX, wayY] = this.#snapping.pull({ ...corner, width: 0, height: 0 }, side, dx, dy)
    return drawnBox(corner, { x: corner.x + wayX, y: corner.y + wayY }, { least })
  }
}
