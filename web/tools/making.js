import { colorsInTurn } from '../basics/shape-colors.js'
import { kinds, properties } from '../core/table.js'
import { isStroke } from '../drawing/lines.js'
import { isGone } from './held.js'
import { Snapping } from './snapping.js'
import { drawnBox, onGrid, sideMin } from './transform.js'

/** @typedef {import('../core/types.js').Box} Box */
/** @typedef {import('../gestures/recogniser.js').Drag} Drag */

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

/** @param {string} name of a tool */
export const sizeFor = (name) => (name === 'note' ? { width: noteSide, height: noteSide } : name === 'text' ? textBox : addedBox)

/** Whether a tool leaves a shape, a line or ink where it is dragged. */
export const draws = (/** @type {string} */ name) => name !== 'select' && name !== 'hand'

/** The kind of shape that a drawing tool makes. A note is a rectangle to write in. */
export const kindOf = (/** @type {string} */ name) => (name === 'note' ? 'rectangle' : kinds.includes(name) && !isStroke(name) ? name : null)

/** The colour of the outline of a shape that has no fill, if no colour for outlines is chosen. */
const bareStroke = '#2B2A28'

/**
 * Whether typing continues a shape's text: either the shape has a text, or it is a note.
 *
 * @param {import('../core/types.js').Shape} shape
 */
export const isWrittenOn = ({ kind, fill, written }) => written || kind === 'text' || (kind === 'rectangle' && fill === noteFill)

/** @param {string} name of a tool */
export const isForWriting = (name) => name === 'note' || name === 'text'

/**
 * The tools that draw lines.
 *
 * @param {string} name
 */
export const isForLines = (name) => name === 'line' || name === 'arrow'

/**
 * The tools that draw or erase ink.
 *
 * @param {string} name
 */
export const isForInk = (name) => name === 'pen' || name === 'eraser'

/** @typedef {{stroke: string, strokeWidth: number, dash?: string}} StrokeLook */

/**
 * The colour of a line: the colour that is chosen for outlines, or else the one for fills.
 *
 * @param {import('../state/paint.js').Paint} paint @param {string} standard @returns {StrokeLook}
 */
const strokeLook = (paint, standard) => nextOutline(paint, paint.stroke ?? colorOf(paint.fill) ?? standard)

/**
 * The line around the next shape, or the next line. What nobody has chosen isn't written.
 *
 * @param {import('../state/paint.js').Paint} paint @param {string} stroke @returns {StrokeLook}
 */
const nextOutline = ({ strokeWidth, dash }, stroke) => ({ stroke, strokeWidth, ...dash !== 'solid' && { dash } })

/** @param {string | null} fill as chosen @returns {string | null} */
const colorOf = (fill) => (fill === 'none' || fill === 'any' ? null : fill)

/**
 * The fill of the next shape that has none of its own, like a note.
 *
 * @param {import('../state/paint.js').Paint} paint @param {import('../core/replica.js').Replica} replica
 * @returns {string | null} null: a random one
 */
export function nextFill({ fill }, { shapeCount }) {
  if (fill === 'any' && shapeCount >= firstFills) return null
  return colorOf(fill) ?? colorsInTurn[shapeCount % colorsInTurn.length]
}

/** @param {import('../state/paint.js').Paint} paint @param {string} tool */
export const lineLook = (paint, tool) => ({ ...strokeLook(paint, lineStroke), ...tool === 'arrow' && { toEnd: 'arrow' } })

/** @param {import('../state/paint.js').Paint} paint */
export const inkLook = (paint) => strokeLook(paint, inkStroke)

/**
 * The colours for a new shape: the chosen ones, or else the next in turn.
 *
 * @param {import('../state/paint.js').Paint} paint @param {import('../core/replica.js').Replica} replica
 * @param {string} [tool]
 * @returns {import('../core/types.js').Values}
 */
export function nextLook(paint, replica, tool) {
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

/** @param {{kind: string}} shape */
export const hasFillAndOutline = ({ kind }) => kindsWithFill.includes(kind)

/** @param {string} stroke @returns {import('../core/types.js').Values} */
const outlined = (stroke) => ({ stroke, strokeWidth: outlineWidth })

/**
 * The values that give a shape a fill, even if it had none. A line or ink gets the colour of the fill itself.
 *
 * @param {import('../core/types.js').Shape} shape @param {string} fill @returns {import('../core/types.js').Values}
 */
export function filledWith({ kind, filled }, fill) {
  if (isStroke(kind)) return { stroke: fill }
  return filled ? { fill } : { fill, filled: true }
}

/**
 * The values that remove a shape's fill or its outline. The shape keeps or gets the other one, so that it stays
 * visible. A shape with only one colour keeps its colour.
 *
 * @param {import('../core/types.js').Shape} shape @param {'fill' | 'stroke'} part @returns {import('../core/types.js').Values}
 */
export function bared(shape, part) {
  if (!hasFillAndOutline(shape)) return {}
  if (part === 'stroke') return { strokeWidth: 0, filled: true }
  return shape.strokeWidth > 0 ? { filled: false } : { filled: false, ...outlined(shape.fill) }
}

/**
 * The values that give a shape's outline a colour, even if it had none. A shape with only one colour has no outline.
 *
 * @param {import('../core/types.js').Shape} shape @param {string} stroke @returns {import('../core/types.js').Values}
 */
export function outlinedWith(shape, stroke) {
  if (!hasFillAndOutline(shape)) return {}
  return shape.strokeWidth > 0 ? { stroke } : outlined(stroke)
}

/**
 * Makes a text or a note where the person has tapped, and opens it for writing.
 *
 * @param {Pick<import('./reach.js').ActReach, 'editing' | 'paint' | 'shown' | 'tool' | 'writing'>} reach
 * @param {import('../core/types.js').Point} point
 */
export function makeForWriting({ editing, paint, shown, tool, writing }, { x, y }) {
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
  /** @type {number | null} */
  #shape = null
  /** @type {Box | null} */
  #last = null

  /**
   * @param {Pick<import('./reach.js').Reach, 'editing' | 'overlay' | 'paint' | 'scene' | 'selection' | 'shown' | 'tool' | 'view'>
   *   & {writing: import('./reach.js').Writing}} reach
   * @param {Drag} gesture
   */
  constructor({ editing, overlay, paint, scene, selection, shown, tool, view, writing }, gesture) {
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

  /** @param {import('../core/types.js').Changes} changes */
  follow(changes) { if (isGone({ shown: this.#shown }, changes, this.#shape)) this.#shape = null }

  /** @param {Drag} gesture */
  move(gesture) {
    const id = this.#shape
    if (id === null) return
    const box = this.#box(gesture)
    const { x, y, width, height } = box
    const last = this.#last
    if (last && x === last.x && y === last.y && width === last.width && height === last.height) return
    this.#last = box
    this.#editing.edit((replica) => replica.place([{ id, x, y, width, height }]))
  }

  /** @param {Drag} gesture */
  end(gesture) {
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

  /**
   * If the gesture was only interrupted, the shape that was drawn is kept.
   *
   * @param {Drag} gesture
   */
  cancel({ reason }) {
    this.#snapping.rest()
    if (reason === 'interrupted') this.#step.end()
    else this.#step.abandon()
  }

  /** @param {Drag} gesture @returns {Box} */
  #box({ x, y, shift, alt, ctrl, meta, pointer }) {
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
