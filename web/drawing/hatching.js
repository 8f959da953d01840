import { offscreenContextOf } from './context.js'

// The mark of a common region: stripes that look the same on any fill, and between which the fill can be seen.

/** In CSS pixels: the distance from one stripe to the next along both axes. */
const pitch = 8
/** Parts of that: how wide a stripe is, and the white edge that sets it off where the fill is orange itself. */
const stripe = 0.4
const edge = 0.1
/** The opacity of the orange between the stripes. */
const washAlpha = 0.2

/** @type {Map<string, OffscreenCanvas>} By colour, and device pixels for a CSS pixel. */
const tiles = new Map()

/**
 * A pattern of stripes that is fixed to the paper: when the paper moves, the stripes move with it, and parts that are
 * painted at different times fit together.
 *
 * @param {import('./context.js').Context2D} context already turned to what is to be filled
 * @param {string} color @param {import('./view.js').Pixels} pixels @param {number} ratio device pixels for a CSS pixel
 */
export function stripes(context, color, { x, y }, ratio) {
  const key = `${ratio} ${color}`
  let tile = tiles.get(key)
  if (!tile) tiles.set(key, tile = striped(color, Math.max(2, Math.round(pitch * ratio))))
  const pattern = context.createPattern(tile, 'repeat')
  pattern?.setTransform(context.getTransform().inverse().translateSelf(x % tile.width, y % tile.height))
  return pattern ?? color
}

/** @param {string} color @param {number} side device pixels */
function striped(color, side) {
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
  for (const [width, strokeStyle] of /** @type {[number, string][]} */ ([[stripe + 2 * edge, '#FFFFFF'], [stripe, color]])) {
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
