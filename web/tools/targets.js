import { handleAt } from '../drawing/handles.js'

/** @typedef {import('../gestures/recogniser.js').Target} Target */
/** @typedef {import('../gestures/recogniser.js').PointerType} PointerType */

/** How far from a fingertip, in CSS pixels, a small shape is still found. */
const fingerReach = 14

/** @type {Target} */
const empty = Object.freeze({ kind: 'empty', key: 'empty' })
/**
 * A finger pans where a mouse selects. A finger that is held first selects too.
 *
 * @type {Target}
 */
const emptyToSelect = Object.freeze({ ...empty, holds: true, joins: true })
/** @type {Target} */
const paper = Object.freeze({ kind: 'view', key: 'view', joins: true })

/** What lies under a pointer: a handle of what is selected, a shape, or nothing but the paper. */
export class Targets {
  #tool
  #shown
  #selection
  #view
  #handles

  /** @param {Pick<import('./reach.js').Reach, 'tool' | 'shown' | 'selection' | 'view' | 'handles'>} reach */
  constructor({ tool, shown, selection, view, handles }) {
    this.#tool = tool
    this.#shown = shown
    this.#selection = selection
    this.#view = view
    this.#handles = handles
  }

  /**
   * @param {import('../core/types.js').Point} point of the stage @param {PointerType} pointer
   * @returns {Target}
   */
  at(point, pointer) {
    if (this.#tool.name === 'hand') return paper
    const shape = this.#shapeAt(point, pointer)
    const nothing = pointer === 'touch' && this.#tool.name === 'select' ? emptyToSelect : empty
    /** @type {Target} */
    const under = shape === null ? nothing : { kind: 'shape', key: `shape:${shape}`, id: shape }
    const found = handleAt(this.#handles.all(), point, pointer)
    if (!found) return under
    const { kind: handle, across, down } = found
    const selected = this.#selection.ids()
    // The handle that moves one shape is that shape: held there it is lifted, too.
    if (handle === 'move' && selected.length === 1) {
      return { kind: 'shape', key: `shape:${selected[0]}`, id: selected[0], handle }
    }
    return { kind: 'handle', key: `handle:${handle} ${across} ${down}`, handle, side: { across, down }, under }
  }

  /** @param {import('../core/types.js').Point} point @param {PointerType} pointer @returns {number | null} */
  #shapeAt(point, pointer) {
    const { replica } = this.#shown
    const view = this.#view
    const { x, y } = view.toCanvas(point)
    const [topmost] = replica.shapesAt(x, y)
    if (topmost !== undefined || pointer !== 'touch') return topmost ?? null
    const reach = fingerReach / view.scale
    const near = replica.shapesInBox({ x: x - reach, y: y - reach, width: 2 * reach, height: 2 * reach })
    return near[near.length - 1] ?? null
  }
}
