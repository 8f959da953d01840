// The outlines of shapes on a canvas: the same outlines as in the core, as paths that stay sharp at any scale.

import { catchUp, offscreenContextOf } from './context.js'
import { addQuarters, addStraight, piecesLength, strokesOf } from './dashes.js'
import { isStroke, lineOf, roughPath } from './lines.js'
import { colorOf } from './motion.js'
import { paintText } from './text.js'

/** In device pixels: a shape that is smaller than this on the screen is painted as a box, which looks the same. */
const speck = 2.5

/**
 * A shape's outline around its centre, before it is turned.
 *
 * @param {import('./drawn.js').Drawn} drawn
 * @returns {Path2D}
 */
export function outlinePath({ shape, width, height, cornerRadius, innerRatio }) {
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
 * The corners of a polygon or a star, on the ellipse of the box, with the first corner at the top. A star's inner
 * corners are halfway between two tips.
 *
 * @param {import('../core/types.js').Shape} shape @param {number} halfWidth @param {number} halfHeight @param {number} innerRatio
 * @returns {import('../core/types.js').Point[]}
 */
export function cornersOf({ kind, points }, halfWidth, halfHeight, innerRatio) {
  const isStar = kind === 'star'
  return Array.from({ length: isStar ? 2 * points : points }, (_, corner) => {
    const turn = (isStar ? 1 : 2) * Math.PI * corner / points
    const reach = isStar && corner % 2 === 1 ? innerRatio : 1
    return { x: halfWidth * reach * Math.sin(turn), y: -halfHeight * reach * Math.cos(turn) }
  })
}

/**
 * The same outline in pieces, in the order of `outlinePath`.
 *
 * @param {import('./drawn.js').Drawn} drawn @returns {import('./dashes.js').Piece[]}
 */
function outlinePieces({ shape, width, height, cornerRadius, innerRatio }) {
  const pieces = /** @type {import('./dashes.js').Piece[]} */ ([])
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
  const sides = /** @type {const} */ ([[1, -1, 3], [1, 1, 0], [-1, 1, 1], [-1, -1, 2]])
  let from = { x: -innerX, y: -bottom }
  for (const [x, y, quarter] of sides) {
    // The side that ends at the corner, up to the point where the corner begins. The side is horizontal if the
    // quarter's number is odd.
    const to = quarter % 2 === 1 ? { x: x * innerX, y: y * bottom } : { x: x * right, y: y * innerY }
    addStraight(pieces, [from, to])
    if (radius > 0) addQuarters(pieces, { x: x * innerX, y: y * innerY }, radius, radius, quarter)
    from = quarter % 2 === 1 ? { x: x * right, y: y * innerY } : { x: x * innerX, y: y * bottom }
  }
  return pieces
}

/**
 * An upper bound of the length of a shape's outline.
 *
 * @param {import('./drawn.js').Drawn} drawn
 */
function outlineLength(drawn) {
  const { shape: { kind }, width, height } = drawn
  return kind === 'polygon' || kind === 'star' ? piecesLength(outlinePieces(drawn)) : 2 * (width + height)
}

/**
 * Moves, scales and turns a context to a shape's centre, scale and rotation.
 *
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn
 * @param {import('./view.js').Pixels} pixels
 */
export function turnTo(context, drawn, { scale, x, y }) {
  const size = scale * drawn.growth
  const turn = drawn.rotation * Math.PI / 180
  const cosine = drawn.rotation === 0 ? size : size * Math.cos(turn)
  const sine = drawn.rotation === 0 ? 0 : size * Math.sin(turn)
  context.setTransform(
    cosine, sine, -sine, cosine, (drawn.x + drawn.width / 2) * scale + x, (drawn.y + drawn.height / 2) * scale + y)
}

/**
 * The state of a painting: the scale, the painted part of the picture in device pixels, and how many more parts its
 * broken lines may have.
 *
 * @typedef {object} Sight
 * @property {import('./view.js').Pixels} pixels
 * @property {import('./tiles.js').Area} area
 * @property {import('./dashes.js').DashBudget} dashes
 * @property {boolean} [isPlain] whether a shape is painted by one fill or one line
 * @property {boolean} [textWaits] whether its text is painted later, by `paintTextOver`
 * @property {import('./coverage.js').InkStroke[] | null} [strokes] what is seen of a stroke of ink, where that isn't all of it
 */

/**
 * Paints a shape, and leaves the context turned to the shape. Each step of the generator paints a part of it. All steps
 * must be made before another shape is painted.
 *
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn @param {Sight} sight
 * @returns {Generator<number, void>} tells how much of the shape a step has painted
 */
export function* paintShape(context, drawn, sight) {
  if (drawn.opacity <= 0) return
  const { pixels } = sight
  const largest = Math.max(drawn.width, drawn.height) * pixels.scale
  if (largest < speck) {
    const hasFill = drawn.shape.filled && !isStroke(drawn.shape.kind)
    if (drawn.shape.kind === 'text' || (!hasFill && drawn.strokeWidth === 0)) return
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalAlpha = drawn.opacity
    context.fillStyle = colorOf(hasFill ? drawn.fill : drawn.stroke)
    const size = pixels.scale
    context.fillRect(
      drawn.x * size + pixels.x, drawn.y * size + pixels.y, Math.max(drawn.width * size, 0.5),
      Math.max(drawn.height * size, 0.5))
    return
  }
  if (sight.isPlain) {
    paintPlain(context, drawn, pixels)
    return
  }
  if (isPaintedAside(drawn, pixels)) {
    yield* paintAsOne(context, drawn, sight)
    return
  }
  context.globalAlpha = drawn.opacity
  yield* paintParts(context, drawn, sight)
}

/**
 * Paints the text of a shape over what was painted on the shape meanwhile, set off from it.
 *
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn @param {Sight} sight
 */
export function paintTextOver(context, drawn, { pixels, isPlain }) {
  const { shape, opacity, width, height } = drawn
  if (opacity <= 0 || isPlain || !shape.written || drawn.isWritten || Math.max(width, height) * pixels.scale < speck) return
  turnTo(context, drawn, pixels)
  context.globalAlpha = opacity
  paintText(context, drawn, pixels.scale * drawn.growth, true)
}

/**
 * Paints a shape by a single fill, or by a single line if it has no fill.
 *
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn
 * @param {import('./view.js').Pixels} pixels
 */
function paintPlain(context, drawn, pixels) {
  const { shape, strokeWidth } = drawn
  if (shape.kind === 'text') return
  turnTo(context, drawn, pixels)
  context.globalAlpha = drawn.opacity
  if (shape.filled && !isStroke(shape.kind)) {
    context.fillStyle = colorOf(drawn.fill)
    context.fill(drawn.path ??= outlinePath(drawn))
  } else if (strokeWidth > 0) {
    context.lineWidth = strokeWidth
    context.strokeStyle = colorOf(drawn.stroke)
    context.stroke(isStroke(shape.kind) ? roughPath(drawn) : drawn.path ??= outlinePath(drawn))
  }
}

/**
 * Whether a shape is translucent and has parts that overlap each other, so that the overlap would show.
 *
 * @param {import('./drawn.js').Drawn} drawn @param {import('./view.js').Pixels} pixels
 */
export function isPaintedAside(drawn, { scale }) {
  const { shape, opacity, strokeWidth } = drawn
  if (opacity >= 1) return false
  if (shape.written) return true
  if (strokeWidth * scale <= 0.05) return false
  if (!isStroke(shape.kind)) return shape.filled
  const { isOne, heads } = drawn.line ??= lineOf(drawn)
  return !isOne || heads !== null
}

/**
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn @param {Sight} sight
 */
function* paintParts(context, drawn, sight) {
  turnTo(context, drawn, sight.pixels)
  if (isStroke(drawn.shape.kind)) {
    yield* paintLine(context, drawn, sight)
    return
  }
  if (drawn.shape.kind !== 'text') {
    const path = drawn.path ??= outlinePath(drawn)
    if (drawn.shape.filled) {
      context.fillStyle = colorOf(drawn.fill)
      context.fill(path)
    }
    const isBroken = drawn.shape.dash !== 'solid'
    const line = { path, length: isBroken ? outlineLength(drawn) : 0, pieces: () => outlinePieces(drawn) }
    if (drawn.strokeWidth > 0) yield* stroke(context, drawn, line, drawn.strokeWidth, sight, 'butt', drawn.shape.written ? 0.5 : 1)
  }
  if (drawn.shape.written && !drawn.isWritten && !sight.textWaits) paintText(context, drawn, sight.pixels.scale * drawn.growth)
}

/**
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn @param {Sight} sight
 */
function* paintLine(context, drawn, sight) {
  if (drawn.strokeWidth === 0) return
  if (sight.strokes) {
    yield* paintStrokes(context, drawn, sight.strokes)
    return
  }
  const { runs, heads } = drawn.line ??= lineOf(drawn)
  for (const run of runs) yield* stroke(context, drawn, run, run.width, sight, 'round', 1 / runs.length)
  if (!heads) return
  context.fillStyle = colorOf(drawn.stroke)
  context.fill(heads)
}

/**
 * @param {import('./context.js').Context2D} context turned to the shape @param {import('./drawn.js').Drawn} drawn
 * @param {import('./coverage.js').InkStroke[]} strokes
 */
function* paintStrokes(context, drawn, strokes) {
  context.lineJoin = 'round'
  context.lineCap = 'round'
  context.strokeStyle = colorOf(drawn.stroke)
  for (const { path, width } of strokes) {
    context.lineWidth = width
    context.stroke(path)
    yield 1 / strokes.length
  }
  context.lineCap = 'butt'
}

/**
 * @param {import('./context.js').Context2D} context turned to the shape @param {import('./drawn.js').Drawn} drawn
 * @param {import('./dashes.js').Line} line @param {number} width @param {Sight} sight
 * @param {CanvasLineCap} cap how the line ends where it isn't broken @param {number} share of the shape that this is
 */
function* stroke(context, drawn, line, width, { pixels, area, dashes }, cap, share) {
  const { dash } = drawn.shape
  const { paths, pattern } = strokesOf(dash, width, line, {
    box: () => seenOf(drawn, pixels, area), scale: pixels.scale * drawn.growth, budget: dashes,
  })
  const isBroken = pattern.length > 0
  context.lineJoin = 'round'
  context.lineWidth = width
  context.strokeStyle = colorOf(drawn.stroke)
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

/**
 * The box around the visible part of an area, in the coordinates of the shape's outline: around the shape's middle,
 * before it is turned.
 *
 * @param {import('./drawn.js').Drawn} drawn @param {import('./view.js').Pixels} pixels @param {import('./tiles.js').Area} area
 * @returns {import('../core/types.js').Box}
 */
function seenOf(drawn, { scale, x, y }, { left, top, right, bottom }) {
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

/** @type {OffscreenCanvasRenderingContext2D | undefined} */
let hitContext

/** A context for hit tests, on which nothing is painted. */
export const contextForHits = () => (hitContext ??= offscreenContextOf(new OffscreenCanvas(1, 1)))

/**
 * Whether a point of the canvas is on a shape's outline, or within `reach` of it.
 *
 * @param {import('./drawn.js').Drawn} drawn @param {import('../core/types.js').Point} point @param {number} reach
 */
export function isOnOutline(drawn, point, reach) {
  const context = contextForHits()
  context.lineCap = isStroke(drawn.shape.kind) ? 'round' : 'butt'
  const turn = -drawn.rotation * Math.PI / 180
  const [across, down] = [point.x - drawn.centerX, point.y - drawn.centerY]
  const [x, y] = [across * Math.cos(turn) - down * Math.sin(turn), across * Math.sin(turn) + down * Math.cos(turn)]
  if (!isStroke(drawn.shape.kind)) {
    context.lineWidth = drawn.strokeWidth + 2 * reach
    return context.isPointInStroke(drawn.path ??= outlinePath(drawn), x, y)
  }
  const { whole, heads, widest } = drawn.line ??= lineOf(drawn)
  context.lineWidth = widest + 2 * reach
  return context.isPointInStroke(whole, x, y) || (heads !== null && context.isPointInPath(heads, x, y))
}

/**
 * Paints a translucent shape whose fill and stroke overlap by half the stroke's width. The shape is first painted
 * opaque on another canvas, so that the overlap doesn't show.
 *
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn @param {Sight} sight
 */
function* paintAsOne(context, drawn, { pixels, area, dashes, strokes, textWaits }) {
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
    strokes,
    textWaits,
  })
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.globalAlpha = drawn.opacity
  context.drawImage(aside.canvas, 0, 0, width, height, left, top, width, height)
}

/**
 * In device pixels: the side of the smallest canvas for translucent shapes. Each larger size has a side that is longer
 * by a factor of √2: 64, 91, 128, 182 …
 */
const asideSideMin = 64
/** The upper bound on the device pixels of all these canvases together, unless a single one needs more. */
const asidePixelsMax = 16_000_000

/** @type {Map<string, OffscreenCanvasRenderingContext2D>} */
const asides = new Map()
/** @type {OffscreenCanvasRenderingContext2D | undefined} */
let aside

/**
 * A canvas for a translucent shape, cleared in the area that is going to be used. A browser copies a whole canvas if it
 * is painted on again after it was laid over another one. So a small shape gets a small canvas.
 *
 * @param {number} width @param {number} height
 */
function contextAside(width, height) {
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

/** @param {number} side device pixels */
const asideSide = (side) => Math.ceil(asideSideMin * 2 ** (Math.ceil(2 * Math.max(0, Math.log2(side / asideSideMin))) / 2))

/** Makes the browser paint everything that was requested on these canvases so far. */
export function catchUpAside() {
  if (aside) catchUp(aside)
}
