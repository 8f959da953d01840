// Moves, scales and rotates boxes, in canvas coordinates. The input is the shapes at a gesture's beginning, and the
// output is their new places for `Replica.place`. Each step starts from the same input, so errors don't add up.

import { boundsOf, middle } from '../canvas/frames.js'
import { sideMax } from '../canvas/lines.js'
import type { Frame, Place, Point } from '../core/types.js'
import { rowOf } from '../core/values.js'

/**
 * The smallest side of a shape that is drawn or resized by hand. It is larger for a finger, because a finger covers
 * small shapes. A shape that is already smaller keeps its size.
 */
export const sideMin = { mouse: 20, pen: 20, touch: 100 }

const coordinateMax = rowOf('position')?.max ?? 0

/** In degrees: while Shift is held, a rotation is a multiple of this. */
const turnStep = 15

const radians = (degrees: number) => degrees * Math.PI / 180
/** Rounds to a hundredth of a unit, which is too small to see at any scale. */
const rounded = (value: number) => Math.round(value * 100) / 100
const limited = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value))

/**
 * A point after it was rotated around another.
 *
 * @param degrees clockwise
 */
export function turned({ x, y }: Point, around: Point, degrees: number): Point {
  const sine = Math.sin(radians(degrees))
  const cosine = Math.cos(radians(degrees))
  const dx = x - around.x
  const dy = y - around.y
  return { x: around.x + dx * cosine - dy * sine, y: around.y + dx * sine + dy * cosine }
}

/** Rounds a coordinate, within the protocol's limits. */
export const coordinate = (value: number) => rounded(limited(value, -coordinateMax, coordinateMax))
const side = (value: number) => rounded(limited(value, 1, sideMax))

/** @returns from −180 to 180 */
export function normalDegrees(degrees: number): number {
  const turn = ((degrees + 180) % 360 + 360) % 360 - 180
  return rounded(turn === -180 ? 180 : turn)
}

export function moved(shapes: (Frame & { id: number })[], dx: number, dy: number): Place[] {
  return shapes.map(({ id, x, y }) => ({ id, x: coordinate(x + dx), y: coordinate(y + dy) }))
}

/**
 * In units of the canvas: the distance between two dots of the paper at a scale of 1. With Control or Command, moves
 * and new shapes snap to these dots.
 */
const gridStep = 24

/** The nearest dot. */
export function onGrid({ x, y }: Point): Point {
  // Adding 0 turns −0 into 0.
  return { x: Math.round(x / gridStep) * gridStep + 0, y: Math.round(y / gridStep) * gridStep + 0 }
}

/** A movement, adjusted so that the box's upper left corner ends on the nearest dot. */
export function wayOnGrid(frame: Frame, dx: number, dy: number): [number, number] {
  const { x, y } = boundsOf(frame)
  const end = onGrid({ x: x + dx, y: y + dy })
  return [end.x - x, end.y - y]
}

/** A movement along one axis only: the axis on which it is longer. */
export function straightened(dx: number, dy: number): [number, number] {
  return Math.abs(dx) >= Math.abs(dy) ? [dx, 0] : [0, dy]
}

/**
 * The box of a new shape, from the pressed point to the pointer. It has at least the smallest size.
 *
 * @param how `even`: a square; `around`: the pressed point is the centre; `least`: the smallest side
 */
export function drawnBox(
  corner: Point, hand: Point,
  { even = false, around = false, least = sideMin.touch }: { even?: boolean, around?: boolean, least?: number } = {},
) {
  const reach = around ? 2 : 1
  let width = Math.max(least, Math.abs(hand.x - corner.x) * reach)
  let height = Math.max(least, Math.abs(hand.y - corner.y) * reach)
  if (even) width = height = Math.max(width, height)
  width = side(width)
  height = side(height)
  if (around) return { x: coordinate(corner.x - width / 2), y: coordinate(corner.y - height / 2), width, height }
  return {
    x: coordinate(hand.x < corner.x ? corner.x - width : corner.x),
    y: coordinate(hand.y < corner.y ? corner.y - height : corner.y),
    width,
    height,
  }
}

/**
 * A rotated shape after one of its corners or sides was dragged. The opposite corner or side keeps its place.
 *
 * @param how `across`, `down`: the corner or side, by default the lower right corner; `even`: keeps the proportions;
 *   `around`: the centre keeps its place instead
 */
export function pulled(
  shape: Frame & { id: number }, dx: number, dy: number,
  { across = 1, down = 1, even = false, around = false, sideLeast = sideMin.touch }: {
    across?: number, down?: number, even?: boolean, around?: boolean, sideLeast?: number,
  } = {},
): Place {
  const { width, height, rotation } = shape
  const pull = turned({ x: dx, y: dy }, { x: 0, y: 0 }, -rotation)
  const reach = around ? 2 : 1
  let newWidth = width + across * pull.x * reach
  let newHeight = height + down * pull.y * reach
  const least = { width: Math.min(sideLeast, width), height: Math.min(sideLeast, height) }
  if (even) {
    const factor = Math.max(across === 0 ? 0 : newWidth / width, down === 0 ? 0 : newHeight / height,
      least.width / width, least.height / height)
    newWidth = width * factor
    newHeight = height * factor
  }
  newWidth = side(Math.max(least.width, newWidth))
  newHeight = side(Math.max(least.height, newHeight))
  const center = middle(shape)
  if (!around) {
    const grown = turned(
      { x: across * (newWidth - width) / 2, y: down * (newHeight - height) / 2 }, { x: 0, y: 0 }, rotation)
    center.x += grown.x
    center.y += grown.y
  }
  return {
    id: shape.id, x: coordinate(center.x - newWidth / 2), y: coordinate(center.y - newHeight / 2),
    width: newWidth, height: newHeight,
  }
}

/**
 * The smallest factor by which a length may be scaled together with others. A length below the bound for this pointer,
 * such as a text's height, has the bound for a mouse. A length below that too, such as a level line's, has none.
 */
const factorMin = (length: number, sideLeast: number) =>
  length >= sideLeast ? sideLeast / length : length >= sideMin.mouse ? sideMin.mouse / length : 0

/**
 * The smallest factor by which shapes can be scaled together without any of them becoming too small. A single shape that
 * is too small already keeps its size.
 */
export function scaleMin(shapes: Frame[], sideLeast: number = sideMin.touch) {
  if (shapes.length === 1) return Math.min(1, sideLeast / Math.min(shapes[0].width, shapes[0].height))
  let least = 0
  for (const { width, height } of shapes) least = Math.max(least, factorMin(Math.min(width, height), sideLeast))
  return least
}

/**
 * Scales several unrotated shapes, after a side of the frame around them was dragged. The opposite side or the centre
 * keeps its place.
 *
 * @param frame around the shapes
 * @param how which side is dragged
 */
export function stretched(
  shapes: (Frame & { id: number })[], frame: Frame, dx: number, dy: number,
  { across, down, around = false, sideLeast = sideMin.touch }: {
    across: number, down: number, around?: boolean, sideLeast?: number,
  },
): Place[] {
  const reach = around ? 2 : 1
  /**
   * Returns a function that computes a shape's new begin and length along one axis.
   *
   * @param pulledSide −1, 0 or 1
   * @param begin of the frame
   * @param length of the frame
   * @param lengths of the shapes
   */
  const along = (pulledSide: number, pull: number, begin: number, length: number, lengths: number[]) => {
    const least = Math.max(...lengths.map((each) => factorMin(each, sideLeast)))
    const factor = pulledSide === 0 ? 1 : Math.max(least, (length + pulledSide * pull * reach) / length)
    const fixed = around ? begin + length / 2 : pulledSide === -1 ? begin + length : begin
    return (at: number, extent: number) =>
      ({ at: coordinate(fixed + (at - fixed) * factor), extent: side(extent * factor) })
  }
  const acrossAll = along(across, dx, frame.x, frame.width, shapes.map(({ width }) => width))
  const downAll = along(down, dy, frame.y, frame.height, shapes.map(({ height }) => height))
  return shapes.map(({ id, x, y, width, height }) => {
    const [one, other] = [acrossAll(x, width), downAll(y, height)]
    return { id, x: one.at, y: other.at, width: one.extent, height: other.extent }
  })
}

/** Several shapes after they were scaled, rotated and moved together, by two fingers or by a handle of the frame. */
export function pinched(
  shapes: (Frame & { id: number })[],
  { around, scale = 1, rotation = 0, dx = 0, dy = 0, sideLeast = sideMin.touch }: {
    around: Point, scale?: number, rotation?: number, dx?: number, dy?: number, sideLeast?: number,
  },
): (Frame & { id: number })[] {
  const factor = Math.max(scale, scaleMin(shapes, sideLeast))
  return shapes.map((shape) => {
    const center = middle(shape)
    const spread = { x: around.x + (center.x - around.x) * factor, y: around.y + (center.y - around.y) * factor }
    const { x, y } = turned(spread, around, rotation)
    const width = side(shape.width * factor)
    const height = side(shape.height * factor)
    return {
      id: shape.id, x: coordinate(x + dx - width / 2), y: coordinate(y + dy - height / 2), width, height,
      rotation: rotation === 0 ? shape.rotation : normalDegrees(shape.rotation + rotation),
    }
  })
}

/** The angle by which a pointer has moved around a point, in degrees clockwise. */
export function angleBetween(around: Point, from: Point, to: Point) {
  const angle = (point: Point) => Math.atan2(point.y - around.y, point.x - around.x)
  return normalDegrees((angle(to) - angle(from)) * 180 / Math.PI)
}

/**
 * The change of rotation that is nearest to `turn` and makes the rotation a multiple of `turnStep`.
 *
 * @param rotation the rotation before the change
 */
export function steppedTurn(rotation: number, turn: number) {
  return Math.round((rotation + turn) / turnStep) * turnStep - rotation
}
