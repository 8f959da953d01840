import { drawnBox, onGrid } from './transform.js'

/** @typedef {import('../core/types.js').Box} Box */
/** @typedef {import('../gestures/recogniser.js').Drag} Drag */

/** The colours of a room's first and second shape. Later shapes get random ones. */
const firstFills = ['#FFFF00', '#FF0000']

/** @param {import('../core/replica.js').Replica} replica @returns {string} */
export function nextFill(replica) {
  return firstFills[replica.shapeCount] ?? replica.brightColor()
}

/** A new shape grows from where the hand came down. One step to undo. */
export class Making {
  #editing
  #selection
  #shown
  #view
  #corner
  /** @type {number | null} */
  #shape = null
  /** @type {Box | null} */
  #last = null

  /**
   * @param {Pick<import('./reach.js').Reach, 'editing' | 'selection' | 'shown' | 'tool' | 'view'>} reach @param {Drag} gesture
   */
  constructor({ editing, selection, shown, tool, view }, gesture) {
    this.#editing = editing
    this.#selection = selection
    this.#shown = shown
    this.#view = view
    this.#corner = view.toCanvas(gesture.start)
    editing.beginGroup()
    const { x, y, width, height } = this.#box(gesture)
    const fill = nextFill(shown.replica)
    const added = editing.edit((replica) => replica.add({ kind: tool.name, position: [x, y], size: [width, height], fill }))
    this.#shape = added?.shape ?? null
    selection.clear()
  }

  get cursor() { return 'crosshair' }

  /** @param {import('../core/types.js').Changes} changes */
  follow({ reset, shapes }) {
    if (this.#shape === null) return
    const isGone = reset ? !this.#shown.replica.shape(this.#shape)
      : shapes.some(({ id, shape }) => id === this.#shape && !shape)
    if (isGone) this.#shape = null
  }

  /** @param {Drag} gesture */
  move(gesture) {
    const id = this.#shape
    if (id === null) return
    const box = this.#box(gesture)
    const { x, y, width, height } = box
    const last = this.#last
    if (last && x === last.x && y === last.y && width === last.width && height === last.height) return
    this.#last = box
    this.#editing.edit((replica) => replica.place([{ id, x, y, width, height }]))
  }

  /** @param {Drag} gesture */
  end(gesture) {
    this.move(gesture)
    this.#editing.endGroup()
    if (this.#shape !== null) this.#selection.set([this.#shape])
  }

  /**
   * What was drawn stays if the hand was only interrupted.
   *
   * @param {Drag} gesture
   */
  cancel({ reason }) {
    const id = this.#shape
    if (id !== null && reason !== 'interrupted') this.#editing.edit((replica) => replica.delete([id]))
    this.#editing.endGroup()
  }

  /** @param {Drag} gesture @returns {Box} */
  #box({ x, y, shift, alt, ctrl, meta }) {
    /** @type {(point: import('../core/types.js').Point) => import('../core/types.js').Point} */
    const snap = ctrl || meta ? onGrid : (point) => point
    return drawnBox(snap(this.#corner), snap(this.#view.toCanvas({ x, y })), { even: shift, around: alt })
  }
}
