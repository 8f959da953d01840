import type { Frame, Point } from '../core/types.js'
import type { PointerType } from '../gestures/recogniser.js'
import type { Locks } from '../state/locks.js'
import type { Permission } from '../state/permission.js'
import type { Selection } from '../state/selection.js'
import { captionBox, isWithin } from './captions.js'
import type { Drawn } from './drawn.js'
import { frameOf } from './frames.js'
import { boxEnd, isCurve, pointIn, setPointsOf } from './lines.js'
import type { Scene } from './scene.js'
import type { View } from './view.js'

// The frame around the selection, and its handles. If only one shape is selected, the frame is rotated like the shape.
// Gestures ask here where the handles are, and the overlay draws them there.

/**
 * In CSS pixels: the distance of the rotation handle from the top edge, and of the move handle from the bottom edge.
 */
const stem = 26
/** If a box on the screen is smaller than this, its handles are beside it instead of on it. */
const smallest = 36
/**
 * If a side on the screen is shorter than this, only its handle at the lower right is shown, because there is no space
 * for more.
 */
const sideMin = 80

/** `point`: a point of a line. `bend`: the middle between two points, where a new point can be added. */
export type HandleKind = 'move' | 'rotate' | 'scale' | 'point' | 'bend'
/** A place on the frame. −1 stands for the left or top edge, 1 for the right or bottom edge, 0 for the middle. */
export type Side = { across: number, down: number }
/** The position is in CSS pixels, relative to the stage. */
type Handle = { kind: HandleKind, index?: number } & Side & Point

/** The places of the handles, clockwise from the lower right. Even the smallest shape has the lower right handle. */
const sides = [[1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]]

/** The frame around the selection, and the handles on it. */
export class Handles {
  #selection
  #scene
  #view
  #permission
  #locks
  #led: Frame | null = null
  #isHidden = false

  constructor({ selection, scene, view, permission, locks }: {
    selection: Selection, scene: Scene, view: View, permission: Permission, locks: Locks,
  }) {
    this.#locks = locks
    this.#selection = selection
    this.#scene = scene
    this.#view = view
    this.#permission = permission
  }

  /**
   * Sets the frame that is shown during a gesture, for example one that rotates with several shapes. With null the
   * frame follows the shapes again.
   *
   * @param isHidden whether the handles are hidden
   */
  lead(frame: Frame | null, isHidden = false) {
    this.#led = frame
    this.#isHidden = isHidden
  }

  /**
   * The frame as it is drawn now, in canvas coordinates. For one shape it is the shape's own rotated box, for several
   * shapes their bounding box.
   */
  frame(): Frame | null {
    if (this.#led) return this.#led
    return frameOf(this.#selection.ids().flatMap((id) => this.#scene.drawn(id) ?? []))
  }

  /**
   * The handles: 'rotate' above the top edge, 'move' below the bottom edge, and 'scale' at each corner and in the
   * middle of each side. If one of several selected shapes is rotated, the sides have no handles. There are none at all
   * while shapes are moved, if a shape is locked, or if this person may not edit.
   *
   * A single line has a handle at each of its points, and one in the middle between each two points. An elbow line has
   * handles at its ends only, because it finds its own way.
   */
  all(): Handle[] {
    const isFree = this.#permission.mayEdit && !this.#isHidden && !this.#locks.hasAny(this.#selection.ids())
    const frame = isFree ? this.frame() : null
    if (!frame) return []
    const line = this.line()
    if (line) return this.#onLine(line)
    const view = this.#view
    const away = (length: number) => Math.max(0, (smallest - length * view.scale) / 2)
    const outX = away(frame.width)
    const outY = away(frame.height)
    const room = { x: frame.width * view.scale >= sideMin, y: frame.height * view.scale >= sideMin }
    const canStretch = this.#canStretch()
    const fits = (across: number, down: number) => {
      if (across !== 0 && down !== 0) return (across === 1 && down === 1) || (room.x && room.y)
      return canStretch && (across === 0 ? room.x : room.y)
    }
    return [
      ...sides.filter(([across, down]) => fits(across, down)).map(([across, down]) => ({
        kind: 'scale', across, down, ...pointOnFrame(view, frame, across, down, { outX: across * outX, outY: down * outY }),
      } as Handle)),
      { kind: 'move', across: 0, down: 1, ...pointOnFrame(view, frame, 0, 1, { outY: stem + outY }) },
      { kind: 'rotate', across: 0, down: -1, ...pointOnFrame(view, frame, 0, -1, { outY: -stem - outY }) },
    ]
  }

  /** The selected line, if nothing else is selected. */
  line(): Drawn | null {
    const [id, ...others] = this.#selection.ids()
    const drawn = id === undefined || others.length > 0 ? null : this.#scene.drawn(id)
    return drawn?.shape.kind === 'line' ? drawn : null
  }

  #onLine(drawn: Drawn): Handle[] {
    const { shape, x, y, width, height, rotation } = drawn
    const view = this.#view
    const gap = captionBox(drawn)
    const frame = { x, y, width, height, rotation }
    const points = setPointsOf({ path: shape.path, route: shape.route, ...frame }).map((point) => view.toScreen(point))
    const bends = shape.route === 'elbow' ? [] : points.slice(1).flatMap((point, index) => {
      const before = points[index]
      if (Math.hypot(point.x - before.x, point.y - before.y) < sideMin) return []
      if (isCurve(shape)) {
        const { x, y } = drawn.line.pieces[2 * index].to
        return [{ kind: 'bend', index, across: 0, down: 0, ...view.toScreen(pointIn(frame, (x / width + 0.5) * boxEnd, (y / height + 0.5) * boxEnd)) } as Handle]
      }
      // If a caption is in the middle of the part, the handle is beside it.
      const [place] = [1 / 2, 1 / 4, 1 / 8]
        .map((share) => ({ x: before.x + (point.x - before.x) * share, y: before.y + (point.y - before.y) * share }))
        .filter((each) => !isWithin(gap, view.toCanvas(each)))
      return place ? [{ kind: 'bend', index, across: 0, down: 0, ...place } as Handle] : []
    })
    return [...bends, ...points.map((point, index) => ({ kind: 'point', index, across: 0, down: 0, ...point } as Handle))]
  }

  #canStretch() {
    const ids = this.#selection.ids()
    return ids.length === 1 || ids.every((id) => (this.#scene.drawn(id)?.rotation ?? 0) === 0)
  }
}

/**
 * In CSS pixels: how close a pointer must be to a handle to hit it. It is more for a finger, because a finger covers
 * what it aims at.
 */
const handleReach = { mouse: 10, pen: 12, touch: 22 }

/**
 * The nearest handle within reach. If two handles are equally near, the later one in the list wins, because it is
 * harder to hit elsewhere.
 */
export function handleAt(handles: Handle[], point: Point, pointer: PointerType): Handle | null {
  let nearest: Handle | null = null
  let least = handleReach[pointer]
  for (const handle of handles) {
    const distance = Math.hypot(handle.x - point.x, handle.y - point.y)
    if (distance <= least) [nearest, least] = [handle, distance]
  }
  return nearest
}

/**
 * A point relative to a rotated box. `across` and `down` go from −1 to 1 between the box's edges.
 *
 * @param out how far the point lies beyond the edge, in CSS pixels
 * @returns CSS pixels
 */
export function pointOnFrame(
  view: View, frame: Frame, across: number, down: number, { outX = 0, outY = 0 }: { outX?: number, outY?: number } = {},
): { x: number, y: number } {
  const turn = frame.rotation * Math.PI / 180
  const cosine = Math.cos(turn)
  const sine = Math.sin(turn)
  const center = view.toScreen({ x: frame.x + frame.width / 2, y: frame.y + frame.height / 2 })
  const x = across * frame.width / 2 * view.scale + outX
  const y = down * frame.height / 2 * view.scale + outY
  return { x: center.x + x * cosine - y * sine, y: center.y + x * sine + y * cosine }
}
