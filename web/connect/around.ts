import type { Reach } from '../arrange/reach.js'
import { ledAnew, placeIn, pointsOn } from '../canvas/lines.js'
import type { Replica } from '../core/replica.js'
import type { Shape, Tie } from '../core/table.js'
import type { Frame, Point } from '../core/types.js'

/**
 * Leads a curved line around the shapes that it is tied to, if it would cross one of them: as an elbow line with the
 * same ends goes, but with round corners. A line that a person has given more than one bend stays as it is.
 */
export function leadAround({ editing, shown }: Pick<Reach, 'editing' | 'shown'>, id: number) {
  const line = shown.replica.shape(id)
  if (line?.route !== 'curved' || line.path.length > 3 || !crossesOwn(shown.replica, line)) return
  editing.group(() => {
    editing.edit((replica) => replica.edit([{ shape: id, set: { route: 'elbow' } }]))
    const way = shown.replica.shape(id)
    if (way) editing.edit((replica) => replica.edit([{ shape: id, set: { route: 'curved', ...ledAnew(way, rounded(pointsOn(way))) } }]))
  })
}

/** Whether an end that is tied to a shape's edge is led into that shape. */
function crossesOwn(replica: Replica, line: Shape) {
  const points = pointsOn(line)
  const leadsInto = (tie: Tie | null, [end, next]: Point[]) => {
    const shape = tie && replica.shape(tie.shape)
    const length = Math.hypot(next.x - end.x, next.y - end.y)
    const part = step / length
    const ahead = { x: end.x + (next.x - end.x) * part, y: end.y + (next.y - end.y) * part }
    return shape !== null && !isInside(shape, end) && isInside(shape, ahead)
  }
  return leadsInto(line.from, points) || leadsInto(line.to, [...points].reverse())
}

/** Has two points in place of each corner, between which a curve is round. Short sides have one in their middle. */
const rounded = (corners: Point[]) => corners.flatMap((corner, index) => {
  if (index === 0 || index === corners.length - 1) return [corner]
  return [corners[index - 1], corners[index + 1]].map(({ x, y }) => {
    const part = Math.min(roundness / Math.hypot(x - corner.x, y - corner.y), 0.5)
    return { x: corner.x + (x - corner.x) * part, y: corner.y + (y - corner.y) * part }
  })
}).filter(({ x, y }, index, points) => index === 0 || Math.hypot(x - points[index - 1].x, y - points[index - 1].y) > edge)

/** Whether a point is clearly inside of a box. */
function isInside(box: Frame, point: Point) {
  const { x, y } = placeIn(box, point)
  return Math.min(x, 1 - x) * box.width > edge && Math.min(y, 1 - y) * box.height > edge
}

/** In units of the canvas: how far along its way a line is looked at, and how far inside a box counts. */
const step = 4
const edge = 0.5
/** In units of the canvas. An elbow line goes by a shape at a distance of at least 16, so this clears its corners. */
const roundness = 48
