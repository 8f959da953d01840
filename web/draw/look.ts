import { colorsInTurn } from '../basics/shape-colors.js'
import { isStroke } from '../canvas/lines.js'
import { isNote, noteFill, noteShade, otherNoteFill, standardTextSize } from '../canvas/notes.js'
import type { Replica } from '../core/replica.js'
import { properties, type Shape } from '../core/table.js'
import type { Values } from '../core/types.js'
import { rowOf } from '../core/values.js'
import type { Paint } from '../state/paint.js'

// How new shapes, lines and ink look, and how existing shapes get another look.

/** Even if random colours are chosen, a room's first shapes are yellow and red. */
const firstFills = 2

/** The width of outlines, in units of the canvas. */
const outlineWidth = 4
/** A text in this colour can be read on light paper and on dark paper. */
const textFill = '#767676'
/** The default colour of lines. It is visible on light paper and on dark paper. */
const lineStroke = '#767676'
const inkStroke = '#2F6FED'
/** The default colour of the outline of a shape without a fill. */
const bareStroke = '#2B2A28'

/** Whether typing writes in a shape: it has a text, or it is a text or a note. */
export const isWrittenOn = (shape: Shape) => shape.written || shape.kind === 'text' || isNote(shape)

type StrokeLook = { stroke: string, strokeWidth: number, dash?: string }

/** The colour of a new line: the colour that was chosen for outlines, otherwise the one for fills. */
const strokeLook = (paint: Paint, standard: string): StrokeLook =>
  nextOutline(paint, paint.stroke ?? colorOf(paint.fill) ?? standard)

/** The outline of the next shape, or the look of the next line. The dash is left out if it is the default. */
const nextOutline = ({ strokeWidth, dash }: Paint, stroke: string): StrokeLook =>
  ({ stroke, strokeWidth, ...dash !== 'solid' && { dash } })

/**
 * The colour if a particular one was chosen; otherwise null.
 *
 * @param fill as in `Paint`
 */
const colorOf = (fill: string | null): string | null => (fill === 'none' || fill === 'any' ? null : fill)

/**
 * The fill of the next shape, unless its kind has a fill of its own, as a note has.
 *
 * @returns null for a random fill
 */
export function nextFill({ fill }: Paint, { shapeCount }: Replica): string | null {
  if (fill === 'any' && shapeCount >= firstFills) return null
  return colorOf(fill) ?? colorsInTurn[shapeCount % colorsInTurn.length]
}

export const lineLook = (paint: Paint) =>
  ({ ...strokeLook(paint, lineStroke), ...paint.route !== 'straight' && { route: paint.route } })

export const arrowLook = (paint: Paint) => ({ ...lineLook(paint), toEnd: 'arrow' })

export const inkLook = (paint: Paint) => strokeLook(paint, inkStroke)

const letters = ({ textSize }: Paint) => textSize !== standardTextSize && { textSize }

export const textLook = (paint: Paint): Values =>
  ({ fill: colorOf(paint.fill) ?? textFill, textAlign: 'left', textPlace: 'top', ...letters(paint) })

/** The width and the height of a new note, in units of the canvas. */
export const noteSide = 200
export const noteLook = (paint: Paint): Values => ({ fill: noteShade(colorOf(paint.fill) ?? noteFill(paint.person.color)), ...letters(paint) })

/**
 * The values for the look of a new shape. Its colours are those that the person has chosen. If the person has chosen
 * none, they are the next colours of the sequence.
 */
export function nextLook(paint: Paint, replica: Replica): Values {
  const { fill, stroke } = paint
  if (fill === 'none') return { filled: false, ...nextOutline(paint, stroke ?? bareStroke), ...letters(paint) }
  return {
    fill: nextFill(paint, replica) ?? replica.brightColor(),
    ...stroke !== null && nextOutline(paint, stroke),
    ...letters(paint),
  }
}

/** The values that give another shape the kind and the look of this one, and its rotation. */
export const lookOf = (shape: Shape): Values => Object.fromEntries(properties
  .filter(({ name, parts, inspector }) => parts.length === 1 && name !== 'locked' && inspector?.kinds.includes(shape.kind))
  .map(({ name, standard }) => [name, shape[name as keyof Shape], standard])
  .filter(([, value, standard]) => value !== standard))

/**
 * The kinds of shapes that may be without a fill. Texts, lines and ink have a single colour, without which they would
 * be invisible.
 */
const kindsWithFill = rowOf('filled')?.inspector?.kinds ?? []

export const hasFillAndOutline = ({ kind }: { kind: string }) => kindsWithFill.includes(kind)

const outlined = (stroke: string): Values => ({ stroke, strokeWidth: outlineWidth })

/** The values that give a shape a fill, even if it had none. A line or ink gets this as its only colour. */
export function filledWith({ kind, filled }: Shape, fill: string): Values {
  if (isStroke(kind)) return { stroke: fill }
  return filled ? { fill } : { fill, filled: true }
}

/** The values that give a shape another colour by chance. A note stays a note. */
export const recolored = (shape: Shape, replica: Replica) =>
  filledWith(shape, isNote(shape) ? otherNoteFill(shape.fill) : replica.brightColor())

/**
 * The values that remove a shape's fill or outline. The other of the two is kept or added, so that the shape stays
 * visible. A shape with a single colour keeps that colour.
 */
export function bared(shape: Shape, part: 'fill' | 'stroke'): Values {
  if (!hasFillAndOutline(shape)) return {}
  if (part === 'stroke') return { strokeWidth: 0, filled: true }
  return shape.strokeWidth > 0 ? { filled: false } : { filled: false, ...outlined(shape.fill) }
}

/**
 * The values that give a shape an outline of the colour `stroke`. There are none for a shape that has no fill beside
 * its outline, such as a line.
 */
export function outlinedWith(shape: Shape, stroke: string): Values {
  if (!hasFillAndOutline(shape)) return {}
  return shape.strokeWidth > 0 ? { stroke } : outlined(stroke)
}
