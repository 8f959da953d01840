// Reduces a stroke to few points. The protocol's curve through these points (S15) stays close to the pointer's path,
// with about the same width.

/** `width` is in hundredths of the stroke's width. */
export type InkPoint = { x: number, y: number, width: number }

/** The upper bound on a path's points in the protocol. */
const pointsMax = 1024
/** The upper bound on rounds. Each round adds points where the curve is still too far from the path. */
const roundsMax = 6
/** In hundredths of the stroke's width: the greatest deviation of the width at a point. */
const widthTolerance = 15
/** The cosine of the angle above which a bend is a corner, which isn't smoothed. */
const cornerCosine = 0.5

/**
 * @param drawn at least one point
 * @param tolerance the greatest distance between curve and path, in the points' units
 * @returns the stroke in parts of 2 to 1024 points. Each part begins where the one before ends.
 */
export function simplified(drawn: InkPoint[], tolerance: number): InkPoint[][] {
  const points = spaced(drawn, tolerance / 2)
  return points.length === 1 ? [[points[0], points[0]]] : inParts(points, tolerance)
}

/** Cuts a stroke that needs too many points. With a larger tolerance, the turns of shading would vanish. */
function inParts(points: InkPoint[], tolerance: number): InkPoint[][] {
  const kept = fitted(points, tolerance)
  if (kept.length <= pointsMax) return [kept]
  const half = points.length >> 1
  return [points.slice(0, half + 1), points.slice(half)].flatMap((part) => inParts(part, tolerance))
}

/** Drops points that are at most `apart` from the last kept point. */
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
    // A corner's point is repeated, because the curve goes through a repeated point and turns there.
    const isCorner = isSharp(before, point, after) && cut(before, point, after) > tolerance
    return isCorner ? [point, point] : [pushedOut(before, point, after)]
  })
}

/**
 * Moves a point outwards by the distance by which the curve would cut its bend. So the curve goes through the point's
 * former place.
 */
function pushedOut(before: InkPoint, point: InkPoint, after: InkPoint): InkPoint {
  const bend = bendAcross(before, point, after)
  return { x: point.x - bend.x, y: point.y - bend.y, width: point.width }
}

const inOrder = (kept: Set<number>) => [...kept].sort((one, other) => one - other)

/**
 * The points to keep: both ends, and between two kept points the point that is furthest from the straight line, if its
 * distance exceeds `tolerance`.
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

/** The points to add where the curve cuts a bend by too much: one on each side of the bend. */
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

/** The points to add where the stroke's width differs too much from the width at the nearer kept point. */
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
 * The vector from a point to the curve that replaces the bend there, perpendicular to the line from `before` to
 * `after`. So uneven distances between points make no difference.
 */
function bendAcross(before: InkPoint, point: InkPoint, after: InkPoint) {
  const [dx, dy] = [after.x - before.x, after.y - before.y]
  const bend = { x: (before.x - 2 * point.x + after.x) / 8, y: (before.y - 2 * point.y + after.y) / 8 }
  const square = dx * dx + dy * dy
  if (square === 0) return bend
  const across = (bend.x * dy - bend.y * dx) / square
  return { x: across * dy, y: -across * dx }
}

/** The distance by which the curve cuts a bend. */
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
