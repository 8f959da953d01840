import { luminance } from '../basics/ink.js'
import { offscreenContextOf } from './context.js'
import { blendColors, colorOf, packedColor } from './motion.js'

// White stripes over a common region whose shapes have nearly the same orange as the mark of overlaps.

/** In CSS pixels: the distance from one stripe to the next along both axes. */
const pitch = 8
/**
 * A fill is too similar to the mark if the mark changes the fill's brightness by no more than this factor, and its
 * colour by no more than this distance.
 */
const contrastMin = 1.25
const distanceMin = 90

/** @type {Map<string, boolean>} By fill and mark. */
const known = new Map()

/**
 * Whether a mark of overlaps would be hard to see on this fill.
 *
 * @param {number} fill 0xRRGGBB @param {string} mark as style sheets tell it @param {number} alpha how much of the mark is seen
 */
export function isLost(fill, mark, alpha) {
  const key = `${fill} ${mark}`
  let answer = known.get(key)
  if (answer === undefined) {
    if (known.size > 1024) known.clear()
    answer = isNear(fill, blendColors(fill, packed(mark), alpha))
    known.set(key, answer)
  }
  return answer
}

/**
 * A colour as a number. Browsers report a colour of a style sheet as `rgb(255, 140, 26)`, or as it was written.
 *
 * @param {string} color
 */
function packed(color) {
  const [red, green, blue] = color.match(/\d+/g) ?? []
  return color.startsWith('#') ? packedColor(color) : Number(red) << 16 | Number(green) << 8 | Number(blue)
}

/** @param {number} one 0xRRGGBB @param {number} other */
function isNear(one, other) {
  const distance = Math.hypot(...[16, 8, 0].map((shift) => (one >> shift & 255) - (other >> shift & 255)))
  const [light, dark] = [luminance(colorOf(one)), luminance(colorOf(other))].sort((a, b) => b - a)
  return distance < distanceMin && (light + 0.05) / (dark + 0.05) < contrastMin
}

/** @type {Map<number, OffscreenCanvas>} By device pixels for a CSS pixel. */
const tiles = new Map()

/**
 * A pattern of stripes that is fixed to the paper: when the paper moves, the stripes move with it, and parts that are
 * painted at different times fit together.
 *
 * @param {import('./context.js').Context2D} context already turned to what is to be filled
 * @param {import('./view.js').Pixels} pixels @param {number} ratio device pixels for a CSS pixel
 */
export function stripes(context, { x, y }, ratio) {
  let tile = tiles.get(ratio)
  if (!tile) tiles.set(ratio, tile = striped(Math.max(2, Math.round(pitch * ratio))))
  const pattern = context.createPattern(tile, 'repeat')
  pattern?.setTransform(context.getTransform().inverse().translateSelf(x % tile.width, y % tile.height))
  return pattern ?? '#FFFFFF'
}

/** @param {number} side device pixels */
function striped(side) {
  const canvas = new OffscreenCanvas(side, side)
  // If the browser loses the canvas's content, the tiles are made again.
  canvas.addEventListener('contextrestored', () => tiles.clear())
  const context = offscreenContextOf(canvas)
  context.strokeStyle = '#FFFFFF'
  context.lineWidth = side / 4
  context.beginPath()
  // Each tile has the middle stripe, and the corners of the two stripes beside it.
  for (const at of [-side, 0, side]) {
    context.moveTo(at - side / 4, side + side / 4)
    context.lineTo(at + side + side / 4, -side / 4)
  }
  context.stroke()
  return canvas
}
