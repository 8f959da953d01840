// Reduces a stroke that was drawn by hand to few points. The smooth curve of the contract (S15) through these points
// comes close enough to the hand's path, with about the same width. This is pure arithmetic.

/** `width`: hundredths of the stroke's. */
export type InkPoint = { x: number, y: number, width: number }

/** The upper bound on a path's points in the protocol. */
const pointsMax = 1024
/** How many rounds there are in which points are added where the curve is still too far from the hand's path. */
const roundsMax = 6
/** In hundredths of the stroke's width: how far the width at a point may be off. */
const widthTolerance = 15
/** A turn that is sharper than this is a corner, and isn't smoothed. */
const cornerCosine = 0.5

/**
 * @param drawn at least one
 * @param tolerance how far the curve may be off, in the points' own units
 * @returns two or more
 */
export function simplified(drawn: InkPoint[], tolerance: number): InkPoint[] {
  const points = spaced(drawn, tolerance / 2)
  if (points.length === 1) return [points[0], points[0]]
  for (let allowed = tolerance; ; allowed *= 2) {
    const kept = fitted(points, allowed)
    if (kept.length <= pointsMax) return kept
  }
}

/** Drops points that are closer to the point before than a hand can intend. */
function spaced(points: InkPoint[], apart: number) {
  const kept = [points[0]]
  for (const point of points) if (distance(point, kept[kept.length - 1]) > apart) kept.push(point)
  const last = points[points.length - 1]
  if (kept.length > 1 && kept[kept.length - 1] !== last) kept[kept.length - 1] = last
  return kept
}

function fitted(points: InkPoint[], tolerance: number): InkPoint[] {
  const kept = new Set(cornersOf(points, tolerance))
  for (let round = 0; round < roundsMax; round++) {
    const order = inOrder(kept)
    const added = [...missing(points, order, tolerance), ...misjudged(points, order)]
    if (added.length === 0) break
    for (const index of added) kept.add(index)
  }
  const order = inOrder(kept)
  return order.flatMap((index, place) => {
    const point = points[index]
    if (place === 0 || place === order.length - 1) return [point]
    const [before, after] = [points[order[place - 1]], points[order[place + 1]]]
    // A corner's point occurs twice, because the curve goes through such a point and turns there.
    const isCorner = isSharp(before, point, after) && cut(before, point, after) > tolerance
    return isCorner ? [point, point] : [pushedOut(before, point, after)]
  })
}

/**
 * Moves a point outwards by as much as the curve runs inside its bend. So the curve goes through the place where the
 * hand was.
 */
function pushedOut(before: InkPoint, point: InkPoint, after: InkPoint): InkPoint {
  const bend = bendAcross(before, point, after)
  return { x: point.x - bend.x, y: point.y - bend.y, width: point.width }
}

const inOrder = (kept: Set<number>) => [...kept].sort((one, other) => one - other)

/**
 * The points to keep: both ends, and between two kept points the one that is furthest from the straight line, as long
 * as its distance is too large.
 */
function cornersOf(points: InkPoint[], tolerance: number): number[] {
  const kept = [0, points.length - 1]
  const open = [[0, points.length - 1]]
  while (open.length > 0) {
    const [first, last] = open.pop() as number[]
    let [farthest, most] = [-1, tolerance]
    for (let index = first + 1; index < last; index++) {
      const off = distanceToSegment(points[index], points[first], points[last])
      if (off > most) [farthest, most] = [index, off]
    }
    if (farthest < 0) continue
    kept.push(farthest)
    open.push([first, farthest], [farthest, last])
  }
  return kept
}

/** Further points that the curve needs: where it cuts a bend too far inside, one point on either side of the bend. */
function missing(points: InkPoint[], kept: number[], tolerance: number): number[] {
  const added: number[] = []
  for (let place = 1; place < kept.length - 1; place++) {
    const [before, here, after] = [kept[place - 1], kept[place], kept[place + 1]]
    if (cut(points[before], points[here], points[after]) <= tolerance) continue
    if (isSharp(points[before], points[here], points[after])) continue
    for (const index of [Math.ceil((before + here) / 2), Math.floor((here + after) / 2)]) {
      if (index !== before && index !== here && index !== after) added.push(index)
    }
  }
  return added
}

/** Further points where the stroke was much wider or narrower than at the nearer kept point. */
function misjudged(points: InkPoint[], kept: number[]): number[] {
  const added: number[] = []
  for (let place = 1; place < kept.length; place++) {
    const [first, last] = [kept[place - 1], kept[place]]
    let [farthest, most] = [-1, widthTolerance]
    for (let index = first + 1; index < last; index++) {
      const point = points[index]
      const nearer = distance(point, points[first]) < distance(point, points[last]) ? points[first] : points[last]
      const off = Math.abs(point.width - nearer.width)
      if (off > most) [farthest, most] = [index, off]
    }
    if (farthest >= 0) added.push(farthest)
  }
  return added
}

/**
 * The vector from a point to the curve inside the point's bend, perpendicular to the curve's direction there. It
 * doesn't depend on how unevenly the points are spaced.
 */
function bendAcross(before: InkPoint, point: InkPoint, after: InkPoint) {
  const [dx, dy] = [after.x - before.x, after.y - before.y]
  const bend = { x: (before.x - 2 * point.x + after.x) / 8, y: (before.y - 2 * point.y + after.y) / 8 }
  const square = dx * dx + dy * dy
  if (square === 0) return bend
  const across = (bend.x * dy - bend.y * dx) / square
  return { x: across * dy, y: -across * dx }
}

/** How far inside a bend the curve runs from the bend's point. */
function cut(before: InkPoint, point: InkPoint, after: InkPoint) {
  const { x, y } = bendAcross(before, point, after)
  return Math.hypot(x, y)
}

function isSharp(before: InkPoint, point: InkPoint, after: InkPoint) {
  const [one, other] = [{ x: point.x - before.x, y: point.y - before.y }, { x: after.x - point.x, y: after.y - point.y }]
  return one.x * other.x + one.y * other.y < cornerCosine * Math.hypot(one.x, one.y) * Math.hypot(other.x, other.y)
}

const distance = (one: InkPoint, other: InkPoint) => Math.hypot(one.x - other.x, one.y - other.y)

function distanceToSegment(point: InkPoint, from: InkPoint, to: InkPoint) {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const square = dx * dx + dy * dy
  const along = square === 0 ? 0 : Math.max(0, Math.min(1, ((point.x - from.x) * dx + (point.y - from.y) * dy) / square))
  return Math.hypot(point.x - from.x - dx * along, point.y - from.y - dy * along)
}
