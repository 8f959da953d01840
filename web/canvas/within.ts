import type { Point } from '../core/types.js'
import type { Drawn } from './drawn.js'
import { contextForHits, cornersOf, outlinePath } from './outline.js'

/**
 * A shape counts as within another if at most this fraction of its size sticks out. So rounding makes no difference for
 * shapes whose edges coincide.
 */
const spared = 0.002
/** How many points of a curved outline are tested. */
const pointsOfCurve = 24

/** Whether a shape lies completely within another, as both are drawn. */
export function liesWithin(inner: Drawn, outer: Drawn) {
  if (Math.min(inner.width, inner.height) * inner.growth > Math.hypot(outer.width, outer.height) * outer.growth) return false
  if (!rimOf(inner).every((point) => isIn(point, inner, outer))) return false
  // A star has gaps between its tips. If a point of the star lies inside `inner`, then `inner` fills a gap and isn't
  // completely inside the star.
  return outer.shape.kind !== 'star' || !rimOf(outer).some((point) => isIn(point, outer, inner))
}

/** @param point relative to the centre of `from`, before rotation */
function isIn({ x, y }: Point, from: Drawn, to: Drawn) {
  const out = turnedBy(x * from.growth * (1 - spared), y * from.growth * (1 - spared), from.rotation)
  const there = turnedBy(out.x + from.centerX - to.centerX, out.y + from.centerY - to.centerY, -to.rotation)
  return contextForHits().isPointInPath(to.path ??= outlinePath(to), there.x / to.growth, there.y / to.growth)
}

function turnedBy(x: number, y: number, degrees: number): Point {
  const turn = degrees * Math.PI / 180
  return { x: x * Math.cos(turn) - y * Math.sin(turn), y: x * Math.sin(turn) + y * Math.cos(turn) }
}

/**
 * Points on a shape's outline: its corners, or points of its curve.
 *
 * @returns points relative to the shape's centre, before rotation
 */
function rimOf({ shape, width, height, cornerRadius, innerRatio }: Drawn): Point[] {
  const [right, bottom] = [width / 2, height / 2]
  if (shape.kind === 'polygon' || shape.kind === 'star') return cornersOf(shape, right, bottom, innerRatio)
  const radius = shape.kind === 'roundedRectangle' ? Math.min(cornerRadius, right, bottom) : 0
  const [curveX, curveY] = shape.kind === 'ellipse' ? [right, bottom] : [radius, radius]
  return Array.from({ length: pointsOfCurve }, (_, at) => {
    const turn = 2 * Math.PI * (at + 0.5) / pointsOfCurve
    const [cosine, sine] = [Math.cos(turn), Math.sin(turn)]
    return { x: Math.sign(cosine) * (right - curveX) + curveX * cosine, y: Math.sign(sine) * (bottom - curveY) + curveY * sine }
  })
}
