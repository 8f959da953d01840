// The guides that show with which other shapes the dragged shape is aligned.

import type { Colors } from './palette.js'
import type { View } from './view.js'

/**
 * A line at right angles to `axis`, which it crosses at `at`. It goes from `from` to `to`, across both shapes that are
 * aligned. `between` is the gap between these shapes. `isGap`: only the gap is shown, because it is as wide as another.
 *
 * All numbers are in units of the canvas.
 */
export type Guide = { axis: 'x' | 'y', at: number, from: number, to: number, between: [number, number] | null, isGap?: boolean }

/**
 * In CSS pixels: how far a line extends beyond the shapes; half the length of the ticks at both ends of a gap; and the
 * height of the label with the gap's size.
 */
const overhang = 8
const tick = 4
const pillHeight = 18

/** @param context in which a unit is a CSS pixel */
export function paintGuides(
  context: CanvasRenderingContext2D, guides: Guide[], view: View, { accent, onAccent, face }: Colors,
) {
  context.globalAlpha = 1
  context.lineWidth = 1
  context.strokeStyle = accent
  for (const { axis, at, from, to, between, isGap } of guides) {
    const point = (across: number, along: number) =>
      view.toScreen(axis === 'x' ? { x: across, y: along } : { x: along, y: across })
    const line = (start: { x: number, y: number }, stop: { x: number, y: number }) => {
      context.beginPath()
      context.moveTo(Math.round(start.x) + 0.5, Math.round(start.y) + 0.5)
      context.lineTo(Math.round(stop.x) + 0.5, Math.round(stop.y) + 0.5)
      context.stroke()
    }
    const out = isGap ? 0 : overhang / view.scale
    line(point(at, from - out), point(at, to + out))
    if (!between) continue
    for (const edge of between) {
      const away = tick / view.scale
      line(point(at - away, edge), point(at + away, edge))
    }
    paintNumber(context, between[1] - between[0], point(at, (between[0] + between[1]) / 2), { accent, onAccent, face })
  }
}

function paintNumber(
  context: CanvasRenderingContext2D, distance: number, { x, y }: { x: number, y: number },
  { accent, onAccent, face }: { accent: string, onAccent: string, face: string },
) {
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
