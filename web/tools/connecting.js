import { boxEnd, leading, pointIn } from '../drawing/lines.js'
import { lineLook } from './making.js'

/** Units of the canvas between a shape and its copy: an arrow can be seen there. */
const gap = 80

/**
 * Adds a copy of a shape below it, and an arrow from one to the other: the next step of a flow chart. One step to undo.
 *
 * @param {import('./reach.js').ActReach} reach @param {number} id
 */
export async function addConnectedCopy({ clipboard, documents, editing, momentum, paint, selection, shown }, id) {
  if (!await documents.load()) return
  momentum.settle()
  const shape = shown.replica.shape(id)
  if (!shape) return
  const { x, y, width, height } = shape
  const wanted = { x, y: y + height + gap }
  const place = shown.replica.freePlace({ width, height }, wanted) ?? wanted
  const step = editing.openStep()
  const [copy] = clipboard.duplicateNow(0, [id])
  if (copy !== undefined) {
    editing.edit((replica) => replica.place([{ id: copy, ...place }]))
    const middle = Math.round(boxEnd / 2)
    const [from, to] = [{ shape: id, x: middle, y: boxEnd }, { shape: copy, x: middle, y: 0 }]
    editing.edit((replica) => replica.add({
      kind: 'line', ...leading([pointIn(shape, from.x, from.y), pointIn({ ...shape, ...place }, to.x, to.y)]),
      ...lineLook(paint, 'arrow'), from, to,
    }))
    selection.set([copy])
  }
  step.end()
}
