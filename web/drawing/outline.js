// A shape on a canvas: the same outlines as the core's, as paths that stay crisp at any scale.

import { offscreenContextOf } from './context.js'
import { isStroke, lineOf } from './lines.js'
import { colorOf } from './motion.js'
import { paintText } from './text.js'

/** Device pixels. A shape that is smaller on the screen is painted as a box: no eye can tell it from a star. */
const speck = 2.5

/**
 * A shape's outline around its centre, not turned.
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
    default: {
      // Inscribed in the ellipse of the box, the first corner up; a star's inner corners halfway between its tips.
      const isStar = shape.kind === 'star'
      const corners = isStar ? 2 * shape.points : shape.points
      for (let corner = 0; corner < corners; corner++) {
        const turn = 2 * Math.PI * corner / corners
        const reach = isStar && corner % 2 === 1 ? innerRatio : 1
        path.lineTo(halfWidth * reach * Math.sin(turn), -halfHeight * reach * Math.cos(turn))
      }
      path.closePath()
    }
  }
  return path
}

/**
 * Turns a context to a shape's centre, scale and rotation.
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
 * Paints a shape, and leaves the context turned to it.
 *
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn
 * @param {import('./view.js').Pixels} pixels
 */
export function paintShape(context, drawn, pixels) {
  if (drawn.opacity <= 0) return
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
  if ((drawn.strokeWidth * pixels.scale > 0.05 || drawn.shape.written) && drawn.opacity < 1) {
    paintAsOne(context, drawn, pixels)
    return
  }
  context.globalAlpha = drawn.opacity
  paintParts(context, drawn, pixels)
}

/**
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn
 * @param {import('./view.js').Pixels} pixels
 */
function paintParts(context, drawn, pixels) {
  turnTo(context, drawn, pixels)
  if (isStroke(drawn.shape.kind)) {
    paintLine(context, drawn)
    return
  }
  if (drawn.shape.kind !== 'text') {
    const path = drawn.path ??= outlinePath(drawn)
    if (drawn.shape.filled) {
      context.fillStyle = colorOf(drawn.fill)
      context.fill(path)
    }
    if (drawn.strokeWidth > 0) stroke(context, drawn, path)
  }
  if (drawn.shape.written && !drawn.isWritten) paintText(context, drawn, pixels.scale * drawn.growth)
}

/** @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn */
function paintLine(context, drawn) {
  if (drawn.strokeWidth === 0) return
  const { runs, heads } = drawn.line ??= lineOf(drawn)
  const { shape, stroke: color } = drawn
  for (const { path, width } of runs) stroke(context, { shape, stroke: color, strokeWidth: width }, path, 'round')
  if (!heads) return
  context.fillStyle = colorOf(drawn.stroke)
  context.fill(heads)
}

/**
 * Dashes are three times as long as the stroke is wide, with gaps of two; dots are round, and as far apart as they are wide (S11).
 *
 * @param {import('./context.js').Context2D} context
 * @param {Pick<import('./drawn.js').Drawn, 'shape' | 'stroke' | 'strokeWidth'>} drawn @param {Path2D} path
 * @param {CanvasLineCap} [cap] how the line ends where it isn't broken
 */
function stroke(context, { shape: { dash }, stroke, strokeWidth }, path, cap = 'butt') {
  context.lineJoin = 'round'
  context.lineWidth = strokeWidth
  context.strokeStyle = colorOf(stroke)
  context.lineCap = dash === 'solid' ? cap : dash === 'dotted' ? 'round' : 'butt'
  if (dash !== 'solid') context.setLineDash(dash === 'dashed' ? [3 * strokeWidth, 2 * strokeWidth] : [0, 2 * strokeWidth])
  context.stroke(path)
  if (dash !== 'solid') context.setLineDash([])
  context.lineCap = 'butt'
}

/**
 * Whether a point of the canvas is on a shape's outline, or within `reach` of it.
 *
 * @param {import('./drawn.js').Drawn} drawn @param {import('../core/types.js').Point} point @param {number} reach
 */
export function isOnOutline(drawn, point, reach) {
  const context = contextAside(1, 1)
  const turn = -drawn.rotation * Math.PI / 180
  const [across, down] = [point.x - drawn.centerX, point.y - drawn.centerY]
  const [x, y] = [across * Math.cos(turn) - down * Math.sin(turn), across * Math.sin(turn) + down * Math.cos(turn)]
  context.setTransform(1, 0, 0, 1, 0, 0)
  if (!isStroke(drawn.shape.kind)) {
    context.lineWidth = drawn.strokeWidth + 2 * reach
    return context.isPointInStroke(drawn.path ??= outlinePath(drawn), x, y)
  }
  const { whole, heads, widest } = drawn.line ??= lineOf(drawn)
  context.lineWidth = widest + 2 * reach
  context.lineCap = 'round'
  const isOn = context.isPointInStroke(whole, x, y) || (heads !== null && context.isPointInPath(heads, x, y))
  context.lineCap = 'butt'
  return isOn
}

/**
 * Fill and stroke overlap by half the stroke. So a translucent shape is first painted opaque, on another canvas.
 *
 * @param {import('./context.js').Context2D} context @param {import('./drawn.js').Drawn} drawn
 * @param {import('./view.js').Pixels} pixels
 */
function paintAsOne(context, drawn, pixels) {
  const left = Math.max(0, Math.floor(drawn.left * pixels.scale + pixels.x) - 1)
  const top = Math.max(0, Math.floor(drawn.top * pixels.scale + pixels.y) - 1)
  const right = Math.min(context.canvas.width, Math.ceil(drawn.right * pixels.scale + pixels.x) + 1)
  const bottom = Math.min(context.canvas.height, Math.ceil(drawn.bottom * pixels.scale + pixels.y) + 1)
  if (right <= left || bottom <= top) return
  const aside = contextAside(right - left, bottom - top)
  paintParts(aside, drawn, { scale: pixels.scale, x: pixels.x - left, y: pixels.y - top })
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.globalAlpha = drawn.opacity
  context.drawImage(aside.canvas, 0, 0, right - left, bottom - top, left, top, right - left, bottom - top)
}

/** @type {OffscreenCanvasRenderingContext2D | undefined} */
let aside

/**
 * One canvas for all translucent shapes. It is as large as the largest so far, and cleared where it is going to be used.
 *
 * @param {number} width @param {number} height
 */
function contextAside(width, height) {
  aside ??= offscreenContextOf(new OffscreenCanvas(width, height))
  const { canvas } = aside
  if (canvas.width < width || canvas.height < height) {
    canvas.width = Math.max(canvas.width, width)
    canvas.height = Math.max(canvas.height, height)
  } else {
    aside.setTransform(1, 0, 0, 1, 0, 0)
    aside.clearRect(0, 0, width, height)
  }
  return aside
}
