/** @typedef {import('../gestures/recogniser.js').Drag} Drag */
/** @typedef {import('../gestures/recogniser.js').TwoFingers} TwoFingers */

// Gestures that change the view or the selection, but not the drawing.

/** Moves the paper with the hand. */
export class Panning {
  #momentum
  #view
  #last

  /** @param {Pick<import('./reach.js').ActReach, 'momentum' | 'view'>} reach @param {Drag} gesture */
  constructor({ momentum, view }, gesture) {
    this.#momentum = momentum
    this.#view = view
    this.#last = { x: gesture.x - gesture.dx, y: gesture.y - gesture.dy }
  }

  cursor = 'grabbing'

  /** @param {Drag} gesture */
  move({ x, y }) {
    if (x === this.#last.x && y === this.#last.y) return
    this.#view.panBy(x - this.#last.x, y - this.#last.y)
    this.#last = { x, y }
  }

  /** @param {Drag} gesture */
  end(gesture) {
    this.move(gesture)
    if (gesture.pointer === 'touch' && gesture.velocity) this.#momentum.coast(gesture.velocity)
  }

  cancel() {}
}

/** Moves and scales the paper with two fingers. */
export class Zooming {
  #view
  #last

  /** @param {Pick<import('./reach.js').Reach, 'view'>} reach @param {TwoFingers} gesture */
  constructor({ view }, gesture) {
    this.#view = view
    this.#last = { x: gesture.x - gesture.dx, y: gesture.y - gesture.dy, scale: 1 }
  }

  /** @param {TwoFingers} gesture */
  move({ x, y, scale }) {
    this.#view.panBy(x - this.#last.x, y - this.#last.y)
    if (scale !== this.#last.scale) this.#view.zoomAt({ x, y }, scale / this.#last.scale)
    this.#last = { x, y, scale }
  }

  /** @param {TwoFingers} gesture */
  end(gesture) { this.move(gesture) }
  cancel() {}
}

/** Selects shapes by a box that the hand draws. With shift the shapes are added to the selection. */
export class Marquee {
  #view
  #selection
  #overlay
  #shown
  #groups
  #locks
  #corner
  /** @type {number[]} */
  #before

  /**
   * @param {Pick<import('./reach.js').Reach, 'view' | 'selection' | 'overlay' | 'shown' | 'groups' | 'locks'>} reach
   * @param {Drag} gesture
   */
  constructor({ view, selection, overlay, shown, groups, locks }, gesture) {
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

  /** @param {Drag} gesture */
  move(gesture) {
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

  /** @param {Drag} gesture */
  end(gesture) {
    this.move(gesture)
    this.#overlay.setMarquee(null)
  }

  /** @param {Drag} gesture */
  cancel({ reason }) {
    if (reason === 'escape') this.#selection.set(this.#before)
    this.#overlay.setMarquee(null)
  }
}
