import { type Context2D, offscreenContextOf } from './context.js'
import type { Pixels } from './view.js'

// The mark of an overlap: stripes that are visible on any fill, and let the fill show between them.

/** In CSS pixels: the horizontal and vertical distance from one stripe to the next. */
const pitch = 8
/** As fractions of `pitch`: the width of a stripe, and of the white edge that makes it visible on an orange fill. */
const stripe = 0.4
const edge = 0.1
/** The opacity of the orange between the stripes. */
const washAlpha = 0.2

/** The cached patterns, by colour and pixel ratio. */
const tiles = new Map<string, OffscreenCanvas>()

/**
 * A pattern of stripes that is fixed to the canvas: it moves when the view moves, and parts that are painted at
 * different times fit together.
 *
 * @param context already transformed for the shape that is filled
 * @param ratio device pixels for a CSS pixel
 */
export function stripes(context: Context2D, color: string, { x, y }: Pixels, ratio: number) {
  const key = `${ratio} ${color}`
  let tile = tiles.get(key)
  if (!tile) tiles.set(key, tile = striped(color, Math.max(2, Math.round(pitch * ratio))))
  const pattern = context.createPattern(tile, 'repeat')
  pattern?.setTransform(context.getTransform().inverse().translateSelf(x % tile.width, y % tile.height))
  return pattern ?? color
}

/** @param side in device pixels */
function striped(color: string, side: number) {
  const canvas = new OffscreenCanvas(side, side)
  // If the browser loses the canvas's content, the cached patterns are made again.
  canvas.addEventListener('contextrestored', () => tiles.clear())
  const context = offscreenContextOf(canvas)
  context.fillStyle = color
  context.globalAlpha = washAlpha
  context.fillRect(0, 0, side, side)
  context.globalAlpha = 1
  // The distance between two stripes, measured at right angles to them.
  const across = side / Math.SQRT2
  for (const [width, strokeStyle] of [[stripe + 2 * edge, '#FFFFFF'], [stripe, color]] as [number, string][]) {
    context.strokeStyle = strokeStyle
    context.lineWidth = width * across
    context.beginPath()
    // The stripe in the middle, and the two stripes that touch the tile's other corners.
    for (const at of [-side, 0, side]) {
      context.moveTo(at - side / 4, side + side / 4)
      context.lineTo(at + side + side / 4, -side / 4)
    }
    context.stroke()
  }
  return canvas
}
