import type { ActReach, Reach } from '../arrange/reach.js'
import type { Drag, TwoFingers } from '../gestures/recogniser.js'

// Gestures that change the view or the selection, but not the drawing.

/** Moves the view by dragging the canvas. */
export class Panning {
  #momentum
  #view
  #last

  constructor({ momentum, view }: Pick<ActReach, 'momentum' | 'view'>, gesture: Drag) {
    this.#momentum = momentum
    this.#view = view
    this.#last = { x: gesture.x - gesture.dx, y: gesture.y - gesture.dy }
  }

  cursor = 'grabbing'

  move({ x, y }: Drag) {
    if (x === this.#last.x && y === this.#last.y) return
    this.#view.panBy(x - this.#last.x, y - this.#last.y)
    this.#last = { x, y }
  }

  end(gesture: Drag) {
    this.move(gesture)
    if (gesture.pointer === 'touch' && gesture.velocity) this.#momentum.coast(gesture.velocity)
  }

  cancel() {}
}

/** Moves and zooms the view with two fingers. */
export class Zooming {
  #view
  #last

  constructor({ view }: Pick<Reach, 'view'>, gesture: TwoFingers) {
    this.#view = view
    this.#last = { x: gesture.x - gesture.dx, y: gesture.y - gesture.dy, scale: 1 }
  }

  move({ x, y, scale }: TwoFingers) {
    this.#view.panBy(x - this.#last.x, y - this.#last.y)
    if (scale !== this.#last.scale) this.#view.zoomAt({ x, y }, scale / this.#last.scale)
    this.#last = { x, y, scale }
  }

  end(gesture: TwoFingers) { this.move(gesture) }
  cancel() {}
}

/** Selects the shapes in a rectangle that the person draws. With Shift, the shapes are added to the selection. */
export class Marquee {
  #view
  #selection
  #overlay
  #shown
  #groups
  #locks
  #corner
  #before: number[]

  constructor(
    { view, selection, overlay, shown, groups, locks }: Pick<Reach,
      'view' | 'selection' | 'overlay' | 'shown' | 'groups' | 'locks'>,
    gesture: Drag,
  ) {
    this.#groups = groups
    this.#locks = locks
    this.#view = view
    this.#selection = selection
    this.#overlay = overlay
    this.#shown = shown
    this.#corner = view.toCanvas(gesture.start)
    this.#before = gesture.shift ? selection.ids() : []
  }

  cursor = 'crosshair'

  move(gesture: Drag) {
    const hand = this.#view.toCanvas(gesture)
    const box = {
      x: Math.min(hand.x, this.#corner.x),
      y: Math.min(hand.y, this.#corner.y),
      width: Math.abs(hand.x - this.#corner.x),
      height: Math.abs(hand.y - this.#corner.y),
    }
    this.#overlay.setMarquee(box)
    const within = this.#shown.replica.shapesInBox(box).filter((id) => !this.#locks.has(id))
    this.#selection.set([...this.#before, ...this.#groups.withAll(within)])
  }

  end(gesture: Drag) {
    this.move(gesture)
    this.#overlay.setMarquee(null)
  }

  cancel({ reason }: Drag) {
    if (reason === 'escape') this.#selection.set(this.#before)
    this.#overlay.setMarquee(null)
  }
}
