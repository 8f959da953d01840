import type { Reach } from '../arrange/reach.js'
import { strokesAt } from '../canvas/hits.js'
import { GrowingInk } from '../canvas/inks.js'
import { leading } from '../canvas/lines.js'
import type { Point } from '../core/types.js'
import type { Drag } from '../gestures/recogniser.js'
import type { TrailPoint } from '../gestures/surface.js'
import { inkLook } from './look.js'
import { type InkPoint, simplified } from './simplify.js'

// Draws ink, and erases it. Each stroke, and each movement of the eraser, is one step of undo.

/** In CSS pixels: how far a stroke may deviate from the pointer's path. */
const tolerance = 0.5
/**
 * In hundredths of the stroke's width: widths from a pen's pressure are rounded to multiples of this, because
 * consecutive points of the same width are painted together.
 */
const widthStep = 10
/** In CSS pixels: how close the eraser must come to a stroke. */
const eraserReach = 6

/**
 * The stroke's width at a point, from a pen's pressure. A mouse and most fingers report no pressure, so the width is
 * constant. A pen reports none while it is lifted, so the last width is kept.
 *
 * @param before the last width in hundredths
 * @returns hundredths
 */
function widthOf({ pressure, pointer }: TrailPoint, before: number): number {
  if (pointer !== 'pen' || pressure === 0) return before
  return Math.round((40 + 120 * pressure) / widthStep) * widthStep
}

/**
 * A stroke that is being drawn. This page shows it at once, other people get it in pieces, and it is added to the
 * drawing when it is finished: as one shape, or as several if it has too many points for one.
 */
export class Inking {
  #reach
  #look
  #shape
  #points: InkPoint[] = []
  #ink

  /** @param trail the points of the path up to now */
  constructor(
    reach: Pick<Reach, 'editing' | 'overlay' | 'paint' | 'presence' | 'selection' | 'shown' | 'view'>,
    trail: TrailPoint[],
  ) {
    this.#reach = reach
    this.#look = inkLook(reach.paint)
    this.#ink = new GrowingInk(this.#look.stroke, this.#look.strokeWidth)
    this.#shape = reach.shown.replica.newIdentifier()
    reach.selection.clear()
    this.trail(trail, [])
  }

  get cursor() { return 'crosshair' }
  move() {}

  /**
   * Adds the newest points of the path.
   *
   * @param points relative to the stage
   * @param predicted where the pointer will probably be in the next frame
   */
  trail(points: TrailPoint[], predicted: TrailPoint[]) {
    const { overlay, presence, view } = this.#reach
    const onCanvas = (point: TrailPoint) =>
      ({ ...view.toCanvas(point), width: widthOf(point, this.#points.at(-1)?.width ?? 100) })
    for (const each of points) {
      const point = onCanvas(each)
      const last = this.#points.at(-1)
      // A repeated point is skipped, because it would make a corner.
      if (last && point.x === last.x && point.y === last.y) continue
      this.#points.push(point)
      this.#ink.add(point)
    }
    const { stroke, strokeWidth } = this.#look
    overlay.setInk(this.#ink, predicted.map(onCanvas))
    presence.setInk({ shape: this.#shape, color: stroke, width: strokeWidth, points: this.#points })
  }

  end() {
    const { editing, view } = this.#reach
    if (this.#points.length > 0) {
      const parts = simplified(this.#points, tolerance / view.scale)
      editing.edit((replica) => replica.edit(parts.map((points, index) => {
        const widths = points.some(({ width }) => width !== 100) ? points.map(({ width }) => width) : undefined
        const shape = index === 0 ? this.#shape : replica.newIdentifier()
        return { shape, set: { kind: 'ink', ...leading(points, widths), ...this.#look } }
      })))
    }
    this.#rest()
  }

  cancel({ reason }: Drag) {
    // If the browser interrupts the gesture, the stroke up to now is kept.
    if (reason === 'interrupted') this.end()
    else this.#rest()
  }

  #rest() {
    this.#reach.overlay.setInk(null)
    this.#reach.presence.setInk(null)
  }
}

/** Removes strokes of ink that the eraser touches. Lines, arrows, other shapes and locked ink remain. */
export class Erasing {
  #reach
  #last: Point | null = null
  #step

  constructor(
    reach: Pick<Reach, 'editing' | 'locks' | 'scene' | 'selection' | 'shown' | 'view'>, trail: TrailPoint[],
  ) {
    this.#reach = reach
    this.#step = reach.editing.openStep()
    reach.selection.clear()
    this.trail(trail)
  }

  get cursor() { return eraserCursor }
  move() {}

  /** @param points relative to the stage */
  trail(points: TrailPoint[]) {
    for (const point of points) this.#pass(point)
  }

  /** @param point relative to the stage */
  #pass(point: Point) {
    const from = this.#last ?? point
    this.#last = { x: point.x, y: point.y }
    // Points of a fast movement are far apart, so the places between them are checked too.
    const steps = Math.max(1, Math.ceil(Math.hypot(point.x - from.x, point.y - from.y) / eraserReach))
    for (let step = 1; step <= steps; step++) {
      const part = step / steps
      this.#erase({ x: from.x + (point.x - from.x) * part, y: from.y + (point.y - from.y) * part })
    }
  }

  /** @param point relative to the stage */
  #erase(point: Point) {
    const { editing, locks, scene, view } = this.#reach
    const met = strokesAt(this.#reach, view.toCanvas(point), eraserReach / view.scale)
      .filter((id) => scene.drawn(id)?.shape.kind === 'ink' && !locks.has(id))
    if (met.length === 0) return
    editing.edit((replica) => replica.delete(met))
  }

  end() { this.#step.end() }

  cancel({ reason }: Drag) {
    if (reason === 'interrupted') this.#step.end()
    else this.#step.abandon()
  }
}

export const eraserCursor = 'url("/draw/eraser.svg") 9 9, cell'
