import { colorsInTurn } from '../basics/shape-colors.js'
import type { Replica } from '../core/replica.js'
import { properties, type Shape } from '../core/table.js'
import type { Values } from '../core/types.js'
import { isStroke } from '../drawing/lines.js'
import type { Paint } from '../state/paint.js'

// How new shapes, lines and ink look, and how a shape gets another look.

/** Even with random colours, a room's first shapes are yellow and red. */
const firstFills = 2

/** The width of outlines, in units of the canvas. */
const outlineWidth = 4
/** The size of letters that is not written. */
const standardTextSize = properties.find(({ name }) => name === 'textSize')?.standard
/** The colour of notes, and of a text: it is readable on light paper and on dark. */
const noteFill = '#FFE27A'
const textFill = '#767676'
/** The colour of lines, which is visible on light paper and on dark. */
const lineStroke = '#767676'
const inkStroke = '#2F6FED'
/** The colour of the outline of a shape that has no fill, if no colour for outlines is chosen. */
const bareStroke = '#2B2A28'

/** Whether typing continues a shape's text: either the shape has a text, or it is a note. */
export const isWrittenOn = ({ kind, fill, written }: Shape) =>
  written || kind === 'text' || (kind === 'rectangle' && fill === noteFill)

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

export const lineLook = (paint: Paint) => strokeLook(paint, lineStroke)

export const arrowLook = (paint: Paint) => ({ ...lineLook(paint), toEnd: 'arrow' })

export const inkLook = (paint: Paint) => strokeLook(paint, inkStroke)

const letters = ({ textSize }: Paint) => textSize !== standardTextSize && { textSize }

export const textLook = (paint: Paint): Values =>
  ({ fill: colorOf(paint.fill) ?? textFill, textAlign: 'left', textPlace: 'top', ...letters(paint) })

export const noteLook = (paint: Paint): Values => ({ fill: colorOf(paint.fill) ?? noteFill, ...letters(paint) })

/** The colours for a new shape: the chosen ones, or else the next in turn. */
export function nextLook(paint: Paint, replica: Replica): Values {
  const { fill, stroke } = paint
  if (fill === 'none') return { filled: false, ...nextOutline(paint, stroke ?? bareStroke), ...letters(paint) }
  return {
    fill: nextFill(paint, replica) ?? replica.brightColor(),
    ...stroke !== null && nextOutline(paint, stroke),
    ...letters(paint),
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
