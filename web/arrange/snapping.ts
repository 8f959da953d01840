import { boundsOf } from '../canvas/frames.js'
import type { Guide } from '../canvas/guides.js'
import type { Side } from '../canvas/handles.js'
import type { Box, Frame } from '../core/types.js'
import type { Reach } from './reach.js'

type Axis = 'x' | 'y'

/** In CSS pixels: an edge or a centre snaps to another one that is at most this far away. */
const nearMax = 6
/** In CSS pixels: shapes that are further away than this are ignored. */
const reachMax = 600
/**
 * At most this many of the nearest shapes are used. With all shapes, there would be something to snap to everywhere.
 */
const othersMax = 24

const extents = { x: 'width', y: 'height' } as const
const otherAxis: Record<Axis, Axis> = { x: 'y', y: 'x' }

const end = (box: Box, axis: Axis) => box[axis] + box[extents[axis]]
const center = (box: Box, axis: Axis) => box[axis] + box[extents[axis]] / 2
/** The gap between two boxes along an axis; 0 or less if they touch or overlap on that axis. */
const gap = (one: Box, other: Box, axis: Axis): number =>
  Math.max(one[axis] - end(other, axis), other[axis] - end(one, axis))

/**
 * Snaps shapes to other shapes while a person moves or resizes them: edges to edges, and centres to centres. What is
 * moved also snaps to where the gaps in a row are equal. Guides show the other shapes, and the distances to them.
 */
export class Snapping {
  #overlay
  #scene
  #view
  #held
  #all: Box[] | null = null

  /** @param held the shapes that the gesture changes; nothing snaps to them */
  constructor({ overlay, scene, view }: Pick<Reach, 'overlay' | 'scene' | 'view'>, held: number[]) {
    this.#overlay = overlay
    this.#scene = scene
    this.#view = view
    this.#held = new Set(held)
  }

  /** The movement without snapping. Hides the guides. */
  none(dx: number, dy: number): [number, number] {
    this.rest()
    return [dx, dy]
  }

  /** Hides the guides, because the gesture has ended. */
  rest() { this.#overlay.setGuides([]) }

  /**
   * The movement of a whole frame, adjusted so that it snaps.
   *
   * @param axes along which it may move
   */
  move(frame: Frame, dx: number, dy: number, axes: Axis[] = ['x', 'y']): [number, number] {
    const { x, y, width, height } = boundsOf(frame)
    const box = { x: x + dx, y: y + dy, width, height }
    const others = this.#near(box)
    for (const axis of axes) {
      box[axis] += this.#step(others, axis, [[box[axis], false], [center(box, axis), true], [end(box, axis), false]],
        evenPlaces(box, others, axis).map(({ place }) => place - box[axis]))
    }
    this.#show(box, others, (axis) => [[box[axis], false], [center(box, axis), true], [end(box, axis), false]], axes,
      (axis) => evenGuides(box, others, axis))
    return [box.x - x, box.y - y]
  }

  /** The movement of a corner or a side of an unrotated frame, adjusted so that it snaps. */
  pull(frame: Box, { across, down }: Side, dx: number, dy: number): [number, number] {
    const way = { x: dx, y: dy }
    const sign = { x: across, y: down }
    const axes = (['x', 'y'] as Axis[]).filter((axis) => sign[axis] !== 0)
    const edge = (axis: Axis) => (sign[axis] > 0 ? end(frame, axis) : frame[axis]) + way[axis]
    const box = () => pulledBox(frame, sign, way)
    const others = this.#near(box())
    for (const axis of axes) way[axis] += this.#step(others, axis, [[edge(axis), false]])
    this.#show(box(), others, (axis) => [[edge(axis), false]], axes)
    return [way.x, way.y]
  }

  /** All other visible shapes, as they were at the gesture's beginning. */
  #others() {
    if (this.#all) return this.#all
    const seen = this.#view.visibleBox()
    this.#all = this.#scene.order
      .filter(({ id, leaving, shape }) => !leaving && shape.visible && !this.#held.has(id))
      .map(({ shape }) => boundsOf(shape))
      .filter((box) => gap(box, seen, 'x') < 0 && gap(box, seen, 'y') < 0)
    return this.#all
  }

  /** @returns sorted by distance */
  #near(box: Box): Box[] {
    const reach = reachMax / this.#view.scale
    return this.#others().map((other) => ({ other, distance: Math.max(gap(box, other, 'x'), gap(box, other, 'y')) }))
      .filter(({ distance }) => distance <= reach).sort((one, two) => one.distance - two.distance)
      .slice(0, othersMax).map(({ other }) => other)
  }

  /**
   * The smallest movement that brings one of these coordinates onto an edge or a centre of another shape.
   *
   * @param places coordinates, each with whether it is a centre
   * @param more other movements to choose from
   */
  #step(others: Box[], axis: Axis, places: [number, boolean][], more: number[] = []) {
    let least = nearMax / this.#view.scale
    let step = 0
    for (const other of others) {
      for (const [place, isCenter] of places) {
        for (const line of linesOf(other, axis, isCenter)) {
          if (Math.abs(line - place) >= least) continue
          least = Math.abs(line - place)
          step = line - place
        }
      }
    }
    return more.reduce((best, each) => {
      if (Math.abs(each) >= least) return best
      least = Math.abs(each)
      return each
    }, step)
  }

  #show(
    box: Box, others: Box[], placesOf: (axis: Axis) => [number, boolean][], axes: Axis[],
    more: (axis: Axis) => Guide[] = () => [],
  ) {
    this.#overlay.setGuides(axes.flatMap((axis) => {
      const even = more(axis)
      for (const other of others) {
        for (const [place, isCenter] of placesOf(axis)) {
          if (linesOf(other, axis, isCenter).some((line) => Math.abs(line - place) < same)) return [guide(box, other, axis, place), ...even]
        }
      }
      return even
    }))
  }
}

/** Coordinates that differ by less than this are equal. */
const same = 1e-6

/** A place where gaps in a row are equal. `gaps`: the pairs of boxes between which they are. */
type EvenPlace = { place: number, gaps: [Box, Box][] }

/** The places along an axis where a box has equal gaps: between its two neighbours, or as its neighbours have. */
function evenPlaces(box: Box, others: Box[], axis: Axis): EvenPlace[] {
  const size = box[extents[axis]]
  const row = others.filter((other) => gap(box, other, otherAxis[axis]) < 0)
  const isBefore = (other: Box) => center(other, axis) < center(box, axis)
  const [before, beyond] = row.filter(isBefore).sort((one, other) => end(other, axis) - end(one, axis))
  const [after, further] = row.filter((other) => !isBefore(other)).sort((one, other) => one[axis] - other[axis])
  const places: EvenPlace[] = []
  const space = (one: Box, other: Box) => other[axis] - end(one, axis)
  if (before && after && space(before, after) > size) {
    places.push({ place: end(before, axis) + (space(before, after) - size) / 2, gaps: [[before, box], [box, after]] })
  }
  if (before && beyond && space(beyond, before) > 0) {
    places.push({ place: end(before, axis) + space(beyond, before), gaps: [[beyond, before], [before, box]] })
  }
  if (after && further && space(after, further) > 0) {
    places.push({ place: after[axis] - space(after, further) - size, gaps: [[box, after], [after, further]] })
  }
  return places
}

/** The guides for the equal gaps that a box has where it is. */
function evenGuides(box: Box, others: Box[], axis: Axis): Guide[] {
  const across = otherAxis[axis]
  return evenPlaces(box, others, axis).filter(({ place }) => Math.abs(place - box[axis]) < same).flatMap(({ gaps }) => gaps.map(([one, other]) => {
    const between: [number, number] = [end(one, axis), other[axis]]
    const at = (Math.max(one[across], other[across]) + Math.min(end(one, across), end(other, across))) / 2
    return { axis: across, at, from: between[0], to: between[1], between, isGap: true }
  }))
}

const linesOf = (box: Box, axis: Axis, isCenter: boolean) =>
  (isCenter ? [center(box, axis)] : [box[axis], end(box, axis)])

/**
 * The guide along which two boxes are aligned: a line across both boxes, and the gap between them.
 *
 * @param axis the axis that the line crosses
 */
function guide(box: Box, other: Box, axis: Axis, at: number): Guide {
  const along = otherAxis[axis]
  const space = gap(box, other, along)
  const between = (box[along] < other[along]
    ? [end(box, along), other[along]] : [end(other, along), box[along]]) as [number, number]
  return {
    axis, at, from: Math.min(box[along], other[along]), to: Math.max(end(box, along), end(other, along)),
    between: space > 0 ? between : null,
  }
}

/**
 * A frame after one of its corners or sides was dragged, possibly beyond the opposite one.
 *
 * @param sign which side is dragged along each axis: −1, 0 or 1
 */
function pulledBox(frame: Box, sign: { x: number, y: number }, way: { x: number, y: number }): Box {
  const box = { ...frame }
  for (const axis of ['x', 'y'] as Axis[]) {
    const [begin, last] = [frame[axis] + (sign[axis] < 0 ? way[axis] : 0), end(frame, axis) + (sign[axis] > 0 ? way[axis] : 0)]
    box[axis] = Math.min(begin, last)
    box[extents[axis]] = Math.abs(last - begin)
  }
  return box
}
