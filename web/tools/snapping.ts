import type { Box, Frame } from '../core/types.js'
import type { Guide } from '../drawing/guides.js'
import type { Side } from '../drawing/handles.js'
import type { Reach } from './reach.js'
import { boundsOf } from './transform.js'

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
 * Snaps shapes to other shapes while a person moves or resizes them: edges to edges, and centres to centres. Guides
 * show the other shape, and the distance to it.
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
      box[axis] += this.#step(others, axis, [[box[axis], false], [center(box, axis), true], [end(box, axis), false]])
    }
    this.#show(box, others, (axis) => [[box[axis], false], [center(box, axis), true], [end(box, axis), false]], axes)
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
   */
  #step(others: Box[], axis: Axis, places: [number, boolean][]) {
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
    return step
  }

  #show(box: Box, others: Box[], placesOf: (axis: Axis) => [number, boolean][], axes: Axis[]) {
    this.#overlay.setGuides(axes.flatMap((axis) => {
      for (const other of others) {
        for (const [place, isCenter] of placesOf(axis)) {
          if (linesOf(other, axis, isCenter).some((line) => Math.abs(line - place) < 1e-6)) return guide(box, other, axis, place)
        }
      }
      return []
    }))
  }
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
