import type { Context2D } from './context.js'
import type { Pixels } from './view.js'

/** The distance between two dots at actual size, in units of the canvas. */
const spacing = 24
/**
 * In CSS pixels: the lower bound on the distance between two dots. When dots would come closer, every second one has
 * faded.
 */
const nearest = 14

/**
 * Paints the dots of the paper. Zooming in moves the dots apart. When zooming out, every second dot fades until half of
 * them are left.
 *
 * @param context not turned
 * @param ratio device pixels for a CSS pixel
 * @param area device pixels
 */
export function paintGrid(
  context: Context2D, pixels: Pixels, ratio: number,
  { left, top, right, bottom }: { left: number, top: number, right: number, bottom: number }, color: string,
) {
  const doublings = Math.max(0, Math.ceil(Math.log2(nearest * ratio / (spacing * pixels.scale))))
  const step = spacing * 2 ** doublings
  // 0 when the dots are about to be too close, 1 when they are twice as far apart.
  const strength = step * pixels.scale / ratio / nearest - 1
  const size = Math.max(2, Math.round(1.7 * ratio))
  const first = (from: number, origin: number) => Math.floor((from - origin) / pixels.scale / step)
  const columns = [first(left, pixels.x), first(right, pixels.x) + 1]
  const rows = [first(top, pixels.y), first(bottom, pixels.y) + 1]
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.fillStyle = color
  for (const isFading of [false, true]) {
    if (isFading && strength < 0.05) continue
    context.globalAlpha = isFading ? Math.min(1, strength) : 1
    context.beginPath()
    for (let row = rows[0]; row <= rows[1]; row++) {
      const y = Math.round(row * step * pixels.scale + pixels.y - size / 2)
      for (let column = columns[0]; column <= columns[1]; column++) {
        if (((row | column) & 1) !== 0 !== isFading) continue
        const x = Math.round(column * step * pixels.scale + pixels.x - size / 2)
        if (size === 2) {
          context.rect(x, y, 2, 2)
        } else {
          // A dot is two crossed bars: they look round enough, and are far quicker to paint than a circle.
          context.rect(x + 1, y, size - 2, size)
          context.rect(x, y + 1, size, size - 2)
        }
      }
    }
    context.fill()
  }
}
