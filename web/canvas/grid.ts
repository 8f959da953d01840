import type { Context2D } from './context.js'
import type { Pixels } from './view.js'

/** The distance between two dots at a scale of 1, in units of the canvas. */
const spacing = 24
/**
 * In CSS pixels: the lower bound on the distance between visible dots. Before dots come closer than this, every second
 * dot fades out.
 */
const nearest = 14

/**
 * Paints the dots of the paper. As the person zooms out, every second dot fades out.
 *
 * @param context not rotated
 * @param ratio device pixels for a CSS pixel
 * @param area in device pixels
 */
export function paintGrid(
  context: Context2D, pixels: Pixels, ratio: number,
  { left, top, right, bottom }: { left: number, top: number, right: number, bottom: number }, color: string,
) {
  const doublings = Math.max(0, Math.ceil(Math.log2(nearest * ratio / (spacing * pixels.scale))))
  const step = spacing * 2 ** doublings
  // 0 if the dots are as near to each other as `nearest` allows, 1 if they are twice as far apart.
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
          // A dot is two crossed rectangles, because they look round enough and are painted much faster than a circle.
          context.rect(x + 1, y, size - 2, size)
          context.rect(x, y + 1, size, size - 2)
        }
      }
    }
    context.fill()
  }
}
