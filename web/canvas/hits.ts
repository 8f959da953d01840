// Which shapes are at a point of the canvas.

import type { Point } from '../core/types.js'
import type { Shown } from '../state/shown.js'
import { isStroke } from './lines.js'
import { isOnOutline } from './outline.js'
import type { Scene } from './scene.js'

type Seen = { scene: Scene, shown: Shown }

/**
 * The lines and ink within `reach` of a point of the canvas. Their boxes are not enough for this, because most of such
 * a box is empty.
 *
 * @param reach in units of the canvas
 */
export function strokesAt({ scene, shown }: Seen, point: Point, reach: number): number[] {
  return shown.replica.shapesNear(point.x, point.y, reach).filter((id) => {
    const drawn = scene.drawn(id)
    return drawn && isStroke(drawn.shape.kind) && isOnOutline(drawn, point, reach)
  })
}

/**
 * The shapes at a point of the canvas, the topmost first. Lines and ink count where they are drawn.
 *
 * @param reach in units of the canvas: how far from a line the point may be
 */
export function shapesAt({ scene, shown }: Seen, point: Point, reach: number): number[] {
  const areas = shown.replica.shapesAt(point.x, point.y).filter((id) => !isStroke(scene.drawn(id)?.shape.kind ?? ''))
  const place = (id: number) => scene.drawn(id)?.place ?? Infinity
  return [...strokesAt({ scene, shown }, point, reach), ...areas].sort((one, other) => place(other) - place(one))
}
