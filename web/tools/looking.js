// Gestures that change what is seen or selected, and nothing of the drawing.

/** The paper follows the hand. */
export class Panning {
  #tools
  #view
  #last

  constructor(tools, gesture) {
    this.#tools = tools
    this.#view = tools.app.view
    this.#last = { x: gesture.x - gesture.dx, y: gesture.y - gesture.dy }
  }

  cursor = 'grabbing'

  move({ x, y }) {
    if (x === this.#last.x && y === this.#last.y) return
    this.#view.panBy(x - this.#last.x, y - this.#last.y)
    this.#last = { x, y }
  }

  end(gesture) {
    this.move(gesture)
    if (gesture.pointer === 'touch') this.#tools.coast(gesture.velocity)
  }

  cancel() {}
}

/** Two fingers move and scale the paper. */
export class Zooming {
  #view
  #last

  constructor(tools, gesture) {
    this.#view = tools.app.view
    this.#last = { x: gesture.x - gesture.dx, y: gesture.y - gesture.dy, scale: 1 }
  }

  move({ x, y, scale }) {
    this.#view.panBy(x - this.#last.x, y - this.#last.y)
    if (scale !== this.#last.scale) this.#view.zoomAt({ x, y }, scale / this.#last.scale)
    this.#last = { x, y, scale }
  }

  end(gesture) { this.move(gesture) }
  cancel() {}
}

/** A box is drawn around what is to be selected; with shift it adds to what is. */
export class Marquee {
  #app
  #corner
  #before

  constructor(tools, gesture) {
    this.#app = tools.app
    this.#corner = this.#app.view.toCanvas(gesture.start)
    this.#before = gesture.shift ? this.#app.selection.ids() : []
  }

  cursor = 'crosshair'

  move(gesture) {
    const hand = this.#app.view.toCanvas(gesture)
    const box = {
      x: Math.min(hand.x, this.#corner.x),
      y: Math.min(hand.y, this.#corner.y),
      width: Math.abs(hand.x - this.#corner.x),
      height: Math.abs(hand.y - this.#corner.y),
    }
    this.#app.overlay.setMarquee(box)
    this.#app.selection.set([...this.#before, ...this.#app.session.shapesInBox(box)])
  }

  end(gesture) {
    this.move(gesture)
    this.#app.overlay.setMarquee(null)
  }

  cancel({ reason }) {
    if (reason === 'escape') this.#app.selection.set(this.#before)
    this.#app.overlay.setMarquee(null)
  }
}
