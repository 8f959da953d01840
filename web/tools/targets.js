import { handles } from '../drawing/handles.js'
import { handleAt } from './grasp.js'

/** Around a fingertip, in CSS pixels, something small is found too. */
const fingerReach = 14

const empty = Object.freeze({ kind: 'empty', key: 'empty' })
/** A finger pans where a mouse selects; held first, it selects too. */
const emptyToSelect = Object.freeze({ ...empty, holds: true, joins: true })
const paper = Object.freeze({ kind: 'view', key: 'view', joins: true })

/** What lies under a pointer: a handle of what is selected, a shape, or nothing but the paper. */
export class Targets {
  #app

  /** @param {import('../state/app.js').App} app */
  constructor(app) { this.#app = app }

  /**
   * @param {{x: number, y: number}} point of the stage @param {string} pointer
   * @returns {import('../gestures/recogniser.js').Target}
   */
  at(point, pointer) {
    if (this.#app.tool === 'hand') return paper
    const shape = this.#shapeAt(point, pointer)
    const nothing = pointer === 'touch' && this.#app.tool === 'select' ? emptyToSelect : empty
    const under = shape === null ? nothing : { kind: 'shape', key: `shape:${shape}`, id: shape }
    const handle = this.#app.isPast ? null : handleAt(handles(this.#app), point, pointer)
    if (!handle) return under
    const selected = this.#app.selection.ids()
    // The handle in the middle of one shape is that shape: held there it is lifted, too.
    if (handle === 'move' && selected.length === 1) {
      return { kind: 'shape', key: `shape:${selected[0]}`, id: selected[0], handle }
    }
    return { kind: 'handle', key: `handle:${handle}`, handle, under }
  }

  #shapeAt(point, pointer) {
    const { session, view } = this.#app
    const { x, y } = view.toCanvas(point)
    const [topmost] = session.shapesAt(x, y)
    if (topmost !== undefined || pointer !== 'touch') return topmost ?? null
    const reach = fingerReach / view.scale
    return session.shapesInBox({ x: x - reach, y: y - reach, width: 2 * reach, height: 2 * reach }).at(-1) ?? null
  }
}
