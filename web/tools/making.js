import { drawnBox, onGrid } from './transform.js'

/** The first shape of a room, and the second; then chance chooses. */
const firstFills = ['#FFFF00', '#FF0000']

/** @param {import('../core/replica.js').Replica} session @returns {string} */
export function nextFill(session) {
  return firstFills[session.shapeCount] ?? session.brightColor()
}

/** A new shape grows from where the hand came down. One step to undo. */
export class Making {
  #app
  #corner
  #shape = null
  #last = null

  constructor(tools, gesture) {
    const { app } = tools
    this.#app = app
    this.#corner = app.view.toCanvas(gesture.start)
    app.beginGroup()
    const { x, y, width, height } = this.#box(gesture)
    const fill = nextFill(app.session)
    const added = app.edit((session) => session.add({ kind: app.tool, position: [x, y], size: [width, height], fill }))
    this.#shape = added?.shape ?? null
    app.selection.clear()
  }

  get cursor() { return 'crosshair' }

  follow({ reset, shapes }) {
    const isGone = reset ? !this.#app.session.shape(this.#shape)
      : shapes.some(({ id, shape }) => id === this.#shape && !shape)
    if (isGone) this.#shape = null
  }

  move(gesture) {
    if (this.#shape === null) return
    const box = this.#box(gesture)
    const { x, y, width, height } = box
    if (this.#last && ['x', 'y', 'width', 'height'].every((side) => box[side] === this.#last[side])) return
    this.#last = box
    this.#app.edit((session) => session.place([{ id: this.#shape, x, y, width, height }]))
  }

  end(gesture) {
    this.move(gesture)
    this.#app.endGroup()
    if (this.#shape !== null) this.#app.selection.set([this.#shape])
  }

  /** What was drawn stays where the hand was only interrupted. */
  cancel({ reason }) {
    if (this.#shape !== null && reason !== 'interrupted') this.#app.edit((session) => session.delete([this.#shape]))
    this.#app.endGroup()
  }

  #box({ x, y, shift, alt, ctrl, meta }) {
    const snap = ctrl || meta ? onGrid : (point) => point
    return drawnBox(snap(this.#corner), snap(this.#app.view.toCanvas({ x, y })), { even: shift, around: alt })
  }
}
