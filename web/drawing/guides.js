// The guides that show with which other shapes the dragged shape is aligned.

/**
 * A line across an axis, from the outer end of one shape to the outer end of the other, and the space between the two.
 *
 * @typedef {{axis: 'x' | 'y', at: number, from: number, to: number, between: [number, number] | null}} Guide in units of the canvas
 */

/**
 * How far a line extends beyond the shapes; half the length of the stroke at the end of a space; and the height of the
 * number in the space.
 */
const overhang = 8
const tick = 4
const pillHeight = 18

/**
 * @param {CanvasRenderingContext2D} context in CSS pixels @param {Guide[]} guides @param {import('./view.js').View} view
 * @param {import('./palette.js').Colors} colors
 */
export function paintGuides(context, guides, view, { accent, onAccent, face }) {
  context.globalAlpha = 1
  context.lineWidth = 1
  context.strokeStyle = accent
  for (const { axis, at, from, to, between } of guides) {
    /** @param {number} across @param {number} along */
    const point = (across, along) => view.toScreen(axis === 'x' ? { x: across, y: along } : { x: along, y: across })
    /** @param {{x: number, y: number}} start @param {{x: number, y: number}} stop */
    const line = (start, stop) => {
      context.beginPath()
      context.moveTo(Math.round(start.x) + 0.5, Math.round(start.y) + 0.5)
      context.lineTo(Math.round(stop.x) + 0.5, Math.round(stop.y) + 0.5)
      context.stroke()
    }
    const out = overhang / view.scale
    line(point(at, from - out), point(at, to + out))
    if (!between) continue
    for (const edge of between) {
      const away = tick / view.scale
      line(point(at - away, edge), point(at + away, edge))
    }
    paintNumber(context, between[1] - between[0], point(at, (between[0] + between[1]) / 2), { accent, onAccent, face })
  }
}

/**
 * @param {CanvasRenderingContext2D} context @param {number} distance @param {{x: number, y: number}} middle
 * @param {{accent: string, onAccent: string, face: string}} colors
 */
function paintNumber(context, distance, { x, y }, { accent, onAccent, face }) {
  const words = String(Math.round(distance * 10) / 10)
  context.font = `500 12px ${face}`
  const width = Math.ceil(context.measureText(words).width) + 10
  context.fillStyle = accent
  context.beginPath()
  context.roundRect(x - width / 2, y - pillHeight / 2, width, pillHeight, 4)
  context.fill()
  context.fillStyle = onAccent
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(words, x, y + 0.5)
  context.textAlign = 'start'
}
