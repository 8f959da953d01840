// The outlines of shapes as paths, with the same geometry as in the core. Curves stay sharp at any scale.

import type { Shape } from '../core/table.js'
import type { Box, Point } from '../core/types.js'
import { captionBox, isWithin, leaveOut } from './captions.js'
import { catchUp, type Context2D, offscreenContextOf } from './context.js'
import type { InkStroke } from './coverage.js'
import { addQuarters, addStraight, type DashBudget, type Line, type Piece, piecesLength, strokesOf } from './dashes.js'
import type { Drawn } from './drawn.js'
import { isStroke, roughPath } from './lines.js'
import { paintText } from './text.js'
import type { Area } from './tiles.js'
import { fillTone, inkTone } from './tones.js'
import type { Pixels } from './view.js'

/**
 * In device pixels: a shape that is smaller than this on the screen is painted as a box, because nobody could see the
 * difference.
 */
const speck = 2.5

/** A shape's outline relative to its centre, before rotation. */
export function outlinePath({ shape, width, height, cornerRadius, innerRatio }: Drawn): Path2D {
  const path = new Path2D()
  const halfWidth = width / 2
  const halfHeight = height / 2
  switch (shape.kind) {
    case 'rectangle':
    case 'text':
    case 'line':
    case 'ink':
      path.rect(-halfWidth, -halfHeight, width, height)
      break
    case 'roundedRectangle':
      path.roundRect(-halfWidth, -halfHeight, width, height, Math.min(cornerRadius, halfWidth, halfHeight))
      break
    case 'ellipse':
      path.ellipse(0, 0, halfWidth, halfHeight, 0, 0, 2 * Math.PI)
      break
    default:
      for (const { x, y } of cornersOf(shape, halfWidth, halfHeight, innerRatio)) path.lineTo(x, y)
      path.closePath()
  }
  return path
}

/**
 * The corners of a polygon or a star. They lie on the ellipse that fills the box, and the first corner is at the top. A
 * star's inner corners are halfway between two tips.
 */
export function cornersOf({ kind, points }: Shape, halfWidth: number, halfHeight: number, innerRatio: number): Point[] {
  const isStar = kind === 'star'
  return Array.from({ length: isStar ? 2 * points : points }, (_, corner) => {
    const turn = (isStar ? 1 : 2) * Math.PI * corner / points
    const reach = isStar && corner % 2 === 1 ? innerRatio : 1
    return { x: halfWidth * reach * Math.sin(turn), y: -halfHeight * reach * Math.cos(turn) }
  })
}

/** The outline that `outlinePath` returns, as pieces in the same order. */
function outlinePieces({ shape, width, height, cornerRadius, innerRatio }: Drawn): Piece[] {
  const pieces: Piece[] = []
  const [right, bottom] = [width / 2, height / 2]
  if (shape.kind === 'ellipse') {
    addQuarters(pieces, { x: 0, y: 0 }, right, bottom, 0, 4)
    return pieces
  }
  if (shape.kind === 'polygon' || shape.kind === 'star') {
    const corners = cornersOf(shape, right, bottom, innerRatio)
    addStraight(pieces, [...corners, corners[0]])
    return pieces
  }
  const radius = shape.kind === 'roundedRectangle' ? Math.min(cornerRadius, right, bottom) : 0
  const [innerX, innerY] = [right - radius, bottom - radius]
  const sides = [[1, -1, 3], [1, 1, 0], [-1, 1, 1], [-1, -1, 2]] as const
  let from = { x: -innerX, y: -bottom }
  for (const [x, y, quarter] of sides) {
    // The side that leads to this corner, up to where the rounding begins. For an odd quarter this side is horizontal.
    const to = quarter % 2 === 1 ? { x: x * innerX, y: y * bottom } : { x: x * right, y: y * innerY }
    addStraight(pieces, [from, to])
    if (radius > 0) addQuarters(pieces, { x: x * innerX, y: y * innerY }, radius, radius, quarter)
    from = quarter % 2 === 1 ? { x: x * right, y: y * innerY } : { x: x * innerX, y: y * bottom }
  }
  return pieces
}

/** An upper bound on the length of a shape's outline. */
function outlineLength(drawn: Drawn) {
  const { shape: { kind }, width, height } = drawn
  return kind === 'polygon' || kind === 'star' ? piecesLength(outlinePieces(drawn)) : 2 * (width + height)
}

/** Transforms a context so that the shape's centre is the origin, with the shape's scale and rotation. */
export function turnTo(context: Context2D, drawn: Drawn, { scale, x, y }: Pixels) {
  const size = scale * drawn.growth
  const turn = drawn.rotation * Math.PI / 180
  const cosine = drawn.rotation === 0 ? size : size * Math.cos(turn)
  const sine = drawn.rotation === 0 ? 0 : size * Math.sin(turn)
  context.setTransform(
    cosine, sine, -sine, cosine, (drawn.x + drawn.width / 2) * scale + x, (drawn.y + drawn.height / 2) * scale + y)
}

/**
 * What is needed for painting: the scale, the part of the picture to paint in device pixels, and the budget for dashes.
 */
export interface Sight {
  pixels: Pixels
  area: Area
  dashes: DashBudget
  /** Whether the paper is dark. */
  isDark: boolean
  /** Whether the shape is painted by a single fill or line, to save work. */
  isPlain?: boolean
  /** Whether the text is painted later, by `paintTextOver`. */
  textWaits?: boolean
  /** The visible parts of a stroke of ink, if some of it is hidden. */
  strokes?: InkStroke[] | null
}

/**
 * Paints a shape, and leaves the context transformed for the shape. Each step of the generator paints a part of it. All
 * steps must run before another shape is painted.
 *
 * @returns yields the fraction of the shape that a step has painted
 */
export function* paintShape(context: Context2D, drawn: Drawn, sight: Sight): Generator<number, void> {
  if (drawn.opacity <= 0) return
  const { pixels } = sight
  // The dot that a pen makes is as wide as its stroke.
  const largest = Math.max(drawn.width, drawn.height) + drawn.strokeWidth
  if (largest * pixels.scale < speck) {
    const hasFill = drawn.shape.filled && !isStroke(drawn.shape.kind)
    if (drawn.shape.kind === 'text' || (!hasFill && drawn.strokeWidth === 0)) return
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalAlpha = drawn.opacity
    context.fillStyle = hasFill ? fillTone(drawn.fill, sight.isDark) : inkTone(drawn.stroke, sight.isDark)
    const size = pixels.scale
    context.fillRect(
      drawn.x * size + pixels.x, drawn.y * size + pixels.y, Math.max(drawn.width * size, 0.5),
      Math.max(drawn.height * size, 0.5))
    return
  }
  if (sight.isPlain) {
    paintPlain(context, drawn, sight)
    return
  }
  if (isPaintedAside(drawn, pixels)) {
    yield* paintAsOne(context, drawn, sight)
    return
  }
  context.globalAlpha = drawn.opacity
  yield* paintParts(context, drawn, sight)
}

/** Paints the text of a shape after the marks of overlaps, with a contrasting edge around the letters. */
export function paintTextOver(context: Context2D, drawn: Drawn, { pixels, isDark, isPlain }: Sight) {
  const { shape, opacity, width, height } = drawn
  if (opacity <= 0 || isPlain || !shape.written || drawn.isWritten || drawn.isTyped || Math.max(width, height) * pixels.scale < speck) return
  turnTo(context, drawn, pixels)
  context.globalAlpha = opacity
  paintText(context, drawn, pixels.scale * drawn.growth, isDark, true)
}

/** Paints a shape by a single fill, or by a single line if it has no fill. */
function paintPlain(context: Context2D, drawn: Drawn, { pixels, isDark }: Sight) {
  const { shape, strokeWidth } = drawn
  if (shape.kind === 'text') return
  turnTo(context, drawn, pixels)
  context.globalAlpha = drawn.opacity
  if (shape.filled && !isStroke(shape.kind)) {
    context.fillStyle = fillTone(drawn.fill, isDark)
    context.fill(drawn.path ??= outlinePath(drawn))
  } else if (strokeWidth > 0) {
    context.lineWidth = strokeWidth
    context.strokeStyle = inkTone(drawn.stroke, isDark)
    context.stroke(isStroke(shape.kind) ? roughPath(drawn) : drawn.path ??= outlinePath(drawn))
  }
}

/**
 * Whether a shape is translucent and has parts that overlap each other. The overlap would be visible if the parts were
 * painted directly.
 */
export function isPaintedAside(drawn: Drawn, { scale }: Pixels) {
  const { shape, opacity, strokeWidth } = drawn
  if (opacity >= 1) return false
  if (shape.written) return true
  if (strokeWidth * scale <= 0.05) return false
  if (!isStroke(shape.kind)) return shape.filled
  const { isOne, heads } = drawn.line
  return !isOne || heads !== null
}

function* paintParts(context: Context2D, drawn: Drawn, sight: Sight) {
  turnTo(context, drawn, sight.pixels)
  const { kind } = drawn.shape
  if (isStroke(kind)) yield* paintLine(context, drawn, sight)
  else if (kind !== 'text') {
    const path = drawn.path ??= outlinePath(drawn)
    if (drawn.shape.filled) {
      context.fillStyle = fillTone(drawn.fill, sight.isDark)
      context.fill(path)
    }
    const isBroken = drawn.shape.dash !== 'solid'
    const line = { path, length: isBroken ? outlineLength(drawn) : 0, pieces: () => outlinePieces(drawn) }
    if (drawn.strokeWidth > 0) yield* stroke(context, drawn, line, drawn.strokeWidth, sight, 'butt', drawn.shape.written ? 0.5 : 1)
  }
  if (drawn.shape.written && kind !== 'ink' && !drawn.isWritten && !drawn.isTyped && !sight.textWaits) paintText(context, drawn, sight.pixels.scale * drawn.growth, sight.isDark)
}

function* paintLine(context: Context2D, drawn: Drawn, sight: Sight) {
  if (drawn.strokeWidth === 0) return
  if (sight.strokes) {
    yield* paintStrokes(context, drawn, sight.strokes, sight.isDark)
    return
  }
  const { runs, heads } = drawn.line
  const gap = captionBox(drawn)
  if (gap) {
    const { scale, x, y } = sight.pixels
    context.setTransform(1, 0, 0, 1, 0, 0)
    leaveOut(context, { x: gap.x * scale + x, y: gap.y * scale + y, width: gap.width * scale, height: gap.height * scale })
    turnTo(context, drawn, sight.pixels)
  }
  let painted = 0
  for (const run of runs) {
    for (const share of stroke(context, drawn, run, run.width, sight, 'round', 1 / runs.length)) {
      // A line with a gap is painted in one step. If it were given up halfway, the context would keep the gap.
      if (gap) painted += share
      else yield share
    }
  }
  if (gap) {
    context.restore()
    turnTo(context, drawn, sight.pixels)
    yield painted
  }
  if (!heads) return
  context.fillStyle = inkTone(drawn.stroke, sight.isDark)
  context.fill(heads)
}

/** @param context transformed for the shape */
function* paintStrokes(context: Context2D, drawn: Drawn, strokes: InkStroke[], isDark: boolean) {
  context.lineJoin = 'round'
  context.lineCap = 'round'
  context.strokeStyle = inkTone(drawn.stroke, isDark)
  for (const { path, width } of strokes) {
    context.lineWidth = width
    context.stroke(path)
    yield 1 / strokes.length
  }
  context.lineCap = 'butt'
}

/**
 * @param context transformed for the shape
 * @param cap the form of the line's ends, if the line is solid
 * @param share the fraction of the shape's work that this line is
 */
function* stroke(
  context: Context2D, drawn: Drawn, line: Line, width: number, { pixels, area, dashes, isDark }: Sight,
  cap: CanvasLineCap, share: number,
) {
  const { dash } = drawn.shape
  const { paths, pattern } = strokesOf(dash, width, line, {
    box: () => seenOf(drawn, pixels, area), scale: pixels.scale * drawn.growth, budget: dashes,
  })
  const isBroken = pattern.length > 0
  context.lineJoin = 'round'
  context.lineWidth = width
  context.strokeStyle = inkTone(drawn.stroke, isDark)
  context.lineCap = !isBroken ? cap : dash === 'dotted' ? 'round' : 'butt'
  if (isBroken) context.setLineDash(pattern)
  for (const { path, offset } of paths) {
    context.lineDashOffset = offset
    context.stroke(path)
    yield share / paths.length
  }
  if (isBroken) context.setLineDash([])
  context.lineDashOffset = 0
  context.lineCap = 'butt'
}

/** The bounding box of the visible area, relative to the shape's centre and before its rotation. */
function seenOf(drawn: Drawn, { scale, x, y }: Pixels, { left, top, right, bottom }: Area): Box {
  const size = scale * drawn.growth
  const turn = drawn.rotation * Math.PI / 180
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)]
  const dx = (left + right) / 2 - (drawn.centerX * scale + x)
  const dy = (top + bottom) / 2 - (drawn.centerY * scale + y)
  const across = Math.abs(cosine) * (right - left) + Math.abs(sine) * (bottom - top)
  const down = Math.abs(sine) * (right - left) + Math.abs(cosine) * (bottom - top)
  return {
    x: (cosine * dx + sine * dy - across / 2) / size,
    y: (cosine * dy - sine * dx - down / 2) / size,
    width: across / size,
    height: down / size,
  }
}

let hitContext: OffscreenCanvasRenderingContext2D | undefined

/** A context for hit tests. Nothing is painted with it. */
export const contextForHits = () => (hitContext ??= offscreenContextOf(new OffscreenCanvas(1, 1)))

/** Whether a point of the canvas is on a shape's outline or within `reach` of it, or on a line's caption. */
export function isOnOutline(drawn: Drawn, point: Point, reach: number) {
  const context = contextForHits()
  context.lineCap = isStroke(drawn.shape.kind) ? 'round' : 'butt'
  const turn = -drawn.rotation * Math.PI / 180
  const [across, down] = [point.x - drawn.centerX, point.y - drawn.centerY]
  const [x, y] = [across * Math.cos(turn) - down * Math.sin(turn), across * Math.sin(turn) + down * Math.cos(turn)]
  if (!isStroke(drawn.shape.kind)) {
    context.lineWidth = drawn.strokeWidth + 2 * reach
    return context.isPointInStroke(drawn.path ??= outlinePath(drawn), x, y)
  }
  const { whole, heads, widest } = drawn.line
  context.lineWidth = widest + 2 * reach
  return isWithin(captionBox(drawn), point) || context.isPointInStroke(whole, x, y) || (heads !== null && context.isPointInPath(heads, x, y))
}

/**
 * Paints a translucent shape whose parts overlap each other. The shape is painted on another canvas first, as if it
 * were opaque, so that the overlap isn't visible.
 */
function* paintAsOne(context: Context2D, drawn: Drawn, { pixels, area, dashes, isDark, strokes, textWaits }: Sight) {
  const left = Math.max(area.left, Math.floor(drawn.left * pixels.scale + pixels.x) - 1)
  const top = Math.max(area.top, Math.floor(drawn.top * pixels.scale + pixels.y) - 1)
  const right = Math.min(area.right, Math.ceil(drawn.right * pixels.scale + pixels.x) + 1)
  const bottom = Math.min(area.bottom, Math.ceil(drawn.bottom * pixels.scale + pixels.y) + 1)
  if (right <= left || bottom <= top) return
  const [width, height] = [right - left, bottom - top]
  const aside = contextAside(width, height)
  yield* paintParts(aside, drawn, {
    pixels: { scale: pixels.scale, x: pixels.x - left, y: pixels.y - top },
    area: { left: 0, top: 0, right: width, bottom: height },
    dashes,
    isDark,
    strokes,
    textWaits,
  })
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.globalAlpha = drawn.opacity
  context.drawImage(aside.canvas, 0, 0, width, height, left, top, width, height)
}

/**
 * In device pixels: the side of the smallest canvas for translucent shapes. Each larger size is √2 times as wide: 64,
 * 91, 128, 182 …
 */
const asideSideMin = 64
/**
 * The upper bound on the sum of the device pixels of all canvases for translucent shapes. A single larger canvas is
 * still allowed.
 */
const asidePixelsMax = 16_000_000

const asides = new Map<string, OffscreenCanvasRenderingContext2D>()
let aside: OffscreenCanvasRenderingContext2D | undefined

/**
 * A canvas for a translucent shape, cleared where it will be used. A small shape gets a small canvas, because a browser
 * can copy the whole canvas each time it is used.
 */
function contextAside(width: number, height: number) {
  const [across, down] = [asideSide(width), asideSide(height)]
  const name = `${across} ${down}`
  const kept = asides.get(name)
  if (kept) {
    kept.setTransform(1, 0, 0, 1, 0, 0)
    kept.clearRect(0, 0, width, height)
    return aside = kept
  }
  const pixels = [...asides.values()].reduce((sum, { canvas }) => sum + canvas.width * canvas.height, across * down)
  if (pixels > asidePixelsMax) asides.clear()
  aside = offscreenContextOf(new OffscreenCanvas(across, down))
  asides.set(name, aside)
  return aside
}

/** @param side device pixels */
const asideSide = (side: number) =>
  Math.ceil(asideSideMin * 2 ** (Math.ceil(2 * Math.max(0, Math.log2(side / asideSideMin))) / 2))

/** Makes the browser carry out all painting that was requested on these canvases so far. */
export function catchUpAside() {
  if (aside) catchUp(aside)
}
