import { type Context2D, offscreenContextOf } from './context.js'
import type { Pixels } from './view.js'

// The mark of a common region: stripes that look the same on any fill, and between which the fill can be seen.

/** In CSS pixels: the distance from one stripe to the next along both axes. */
const pitch = 8
/** Parts of that: how wide a stripe is, and the white edge that sets it off where the fill is orange itself. */
const stripe = 0.4
const edge = 0.1
/** The opacity of the orange between the stripes. */
const washAlpha = 0.2

/** By colour, and device pixels for a CSS pixel. */
const tiles = new Map<string, OffscreenCanvas>()

/**
 * A pattern of stripes that is fixed to the paper: when the paper moves, the stripes move with it, and parts that are
 * painted at different times fit together.
 *
 * @param context already turned to what is to be filled
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

/** @param side device pixels */
function striped(color: string, side: number) {
  const canvas = new OffscreenCanvas(side, side)
  // If the browser loses the canvas's content, the tiles are made again.
  canvas.addEventListener('contextrestored', () => tiles.clear())
  const context = offscreenContextOf(canvas)
  context.fillStyle = color
  context.globalAlpha = washAlpha
  context.fillRect(0, 0, side, side)
  context.globalAlpha = 1
  // Along the diagonal, so that a stripe's width is measured across it.
  const across = side / Math.SQRT2
  for (const [width, strokeStyle] of [[stripe + 2 * edge, '#FFFFFF'], [stripe, color]] as [number, string][]) {
    context.strokeStyle = strokeStyle
    context.lineWidth = width * across
    context.beginPath()
    // The middle stripe, and the corners of its neighbours.
    for (const at of [-side, 0, side]) {
      context.moveTo(at - side / 4, side + side / 4)
      context.lineTo(at + side + side / 4, -side / 4)
    }
    context.stroke()
  }
  return canvas
}
