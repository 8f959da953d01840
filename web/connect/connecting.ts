import type { ActReach } from '../arrange/reach.js'
import { boundsOf } from '../canvas/frames.js'
import { boxEnd, leading, placeIn, pointIn } from '../canvas/lines.js'
import { arrowLook } from '../draw/look.js'

/** The gap between a shape and its copy, in units of the canvas. It leaves space for the arrow. */
const gap = 80

/** Copies a shape, and connects both by an arrow, as the next step of a flow chart. All of this is one step of undo. */
export async function addConnectedCopy(
  { documents, duplicating, editing, momentum, paint, selection, shown }: Pick<ActReach,
    'documents' | 'duplicating' | 'editing' | 'momentum' | 'paint' | 'selection' | 'shown'>,
  id: number,
) {
  if (!await documents.load()) return
  // If the person ran the action twice quickly, the first run has already selected its copy, and the original is no
  // longer selected.
  if (!selection.has(id)) return
  momentum.settle()
  const shape = shown.replica.shape(id)
  if (!shape) return
  // The copy is placed by the shape's bounding box, because the shape can be rotated.
  const { x, y, width, height } = boundsOf(shape)
  const wanted = { x, y: y + height + gap }
  const free = shown.replica.freePlace({ width, height }, wanted) ?? wanted
  const place = { x: shape.x + free.x - x, y: shape.y + free.y - y }
  editing.group(() => {
    const [copy] = duplicating.duplicateNow(0, [id])
    if (copy === undefined) return
    editing.edit((replica) => replica.place([{ id: copy, ...place }]))
    const tie = (of: number, side: number) => {
      const at = placeIn(shape, { x: x + width / 2, y: side })
      return { shape: of, x: Math.round(at.x * boxEnd), y: Math.round(at.y * boxEnd) }
    }
    const [from, to] = [tie(id, y + height), tie(copy, y)]
    editing.edit((replica) => replica.add({
      kind: 'line', ...leading([pointIn(shape, from.x, from.y), pointIn({ ...shape, ...place }, to.x, to.y)]),
      ...arrowLook(paint), from, to,
    }))
    selection.set([copy])
  })
}
