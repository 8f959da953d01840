import { kinds } from '../core/values.js'
import { Surface } from '../gestures/surface.js'
import { clear } from './catalogue.js'
import { Clipboard } from './clipboard.js'
import { Coasting } from './coasting.js'
import { Making } from './making.js'
import { frameOf, shapesOf } from './grasp.js'
import { Gliding } from './gliding.js'
import { Held } from './held.js'
import { Hole } from './hole.js'
import { Marquee, Panning, Zooming } from './looking.js'
import { Moving } from './moving.js'
import { Nudging } from './nudging.js'
import { Pinching, resizeCursor, Scaling, Turning } from './reshaping.js'
import { Shortcuts } from './shortcuts.js'
import { Targets } from './targets.js'

const taps = ['tap', 'doubleTap', 'tripleTap']

/**
 * What gestures on the stage do.
 *
 *     tools.hole         the black hole
 *     tools.settle()     before anything else is edited: what goes on by itself comes to its end
 *     tools.frame        what the overlay draws as the frame of the selection instead of the box around it; or null
 *
 * One gesture at a time is at work, an *act*: an object that is told of its gesture's moves and its end. Each act is one
 * step to undo.
 */
export class Tools {
  /** Where there is something to shake. @type {import('../gestures/shake.js').Shaking | null} */
  shaking = null
  #stage
  #surface
  #targets
  #act = null
  #glide = null
  #coast = null
  #isSpaceHeld = false

  /** @param {import('../state/app.js').App} app @param {HTMLElement} stage @param {HTMLElement} hole */
  constructor(app, stage, hole) {
    this.app = app
    this.hole = new Hole(app, hole, stage)
    this.nudging = new Nudging(app)
    this.clipboard = new Clipboard(this)
    this.#stage = stage
    this.#targets = new Targets(app)
    this.#surface = new Surface(stage, {
      targetAt: (point, pointer) => this.#targets.at(point, pointer),
      take: (gesture) => this.#take(gesture),
    })
    app.addEventListener('changes', ({ detail }) => {
      this.#act?.follow?.(detail)
      this.#glide?.follow(detail)
    })
    app.addEventListener('tool', () => {
      this.cancel('escape')
      this.#showCursor(null)
    })
    new Shortcuts(app)
    // A desk isn't shaken.
    if (navigator.maxTouchPoints > 0) import('../gestures/shake.js').then(({ Shaking }) => this.#listenForShakes(Shaking), () => {})
    for (const type of ['mode', 'past']) {
      app.addEventListener(type, () => {
        this.cancel('interrupted')
        this.settle()
      })
    }
    // A panel's edit is a step of its own, and not part of a glide's.
    addEventListener('pointerdown', ({ target }) => { if (!stage.contains(target)) this.settle() }, { capture: true })
    addEventListener('pagehide', () => this.settle())
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.settle() })
  }

  /** Whether a hand is at work. */
  get isBusy() { return this.#act !== null }

  /** @returns {import('./transform.js').Frame | null} */
  get frame() { return this.#act?.frame ?? null }

  /** Nothing can be edited now. */
  get looksOn() { return this.app.viewOnly || this.app.isPast }

  /** The space bar turns a drag into one of the paper. */
  set isSpaceHeld(held) {
    if (held === this.#isSpaceHeld) return
    this.#isSpaceHeld = held
    this.#surface.isSpaceHeld = held
    this.#showCursor(null)
  }

  /** Ends the gesture that is at work. @param {string} reason with `escape` all is as it was before */
  cancel(reason) { this.#surface.cancel(reason) }

  /** What goes on by itself comes to its end at once, and with it its step to undo. */
  settle() {
    this.settleGlide()
    this.nudging.end()
    this.#coast?.stop()
  }

  /** The same for what was thrown alone. */
  settleGlide() { this.#glide?.land() }

  #listenForShakes(Shaking) {
    this.shaking = new Shaking(() => {
      if (this.isBusy || this.looksOn) return
      this.settle()
      clear(this.app)
    })
  }

  // For acts.

  lift(ids) {
    for (const id of ids) this.app.scene.lift(id)
    this.app.presence.setLifted(ids)
    this.#lifted = ids
  }

  lower() {
    for (const id of this.#lifted) this.app.scene.lower(id)
    this.app.presence.setLifted([])
    this.#lifted = []
  }

  #lifted = []

  /** Takes over the step to undo that is open. */
  glide(ids, velocity) {
    this.#glide = new Gliding(this.app, new Held(this.app, ids), velocity, () => { this.#glide = null })
    this.#glide.start()
  }

  /** The paper goes on. @param {{x: number, y: number}} velocity CSS pixels a second */
  coast(velocity) { this.#coast = new Coasting(this.app.view, velocity) }

  // Gestures.

  #take(gesture) {
    if (gesture.type === 'press' || gesture.type === 'wheel') this.#coast?.stop()
    this.#tellCursor(gesture)
    switch (gesture.type) {
      case 'press': return this.#pressed(gesture)
      case 'hover': return this.#hovered(gesture.target)
      case 'leave': return this.#hovered(null)
      case 'wheel': return this.#wheeled(gesture)
      case 'tap': return this.#tapped(gesture)
      case 'doubleTap': return this.#doubleTapped(gesture)
      case 'tripleTap': return this.#tripleTapped(gesture)
      default: return this.#goOn(gesture)
    }
  }

  /** A finger that is gone points at nothing any more. */
  #tellCursor({ type, phase, pointer, x, y }) {
    const isGone = type === 'leave'
      || (pointer === 'touch' && (taps.includes(type) || phase === 'ended' || phase === 'cancelled'))
    this.app.presence.setCursor(isGone ? null : this.app.view.toCanvas({ x, y }))
  }

  #pressed({ target }) {
    // What glides is caught where it is; anything else that glides is out of the way.
    if (target.kind === 'shape' && this.#glide?.has(target.id)) this.#glide.stop()
    this.settle()
  }

  #wheeled({ x, y, dx, dy, factor }) {
    if (factor !== 1) this.app.view.zoomAt({ x, y }, factor)
    else this.app.view.panBy(dx, dy)
  }

  #tapped({ target, shift, ctrl, meta }) {
    const { selection } = this.app
    const adds = shift || ctrl || meta
    if (target.kind !== 'shape') {
      if (!adds) selection.clear()
    } else if (adds) {
      selection.toggle(target.id)
    } else {
      selection.set([target.id])
    }
  }

  #doubleTapped({ target, x, y }) {
    const { app } = this
    if (this.looksOn) return
    if (target.kind === 'shape') {
      if (!app.session.shape(target.id)) return
      app.edit((session) => session.edit([{ shape: target.id, set: { fill: session.brightColor() } }]))
    } else {
      const { x: centerX, y: centerY } = app.view.toCanvas({ x, y })
      app.edit((session) => session.addCircle(centerX, centerY))
    }
  }

  #tripleTapped({ target }) {
    if (!this.looksOn) this.app.edit((session) => session.delete([target.id]))
  }

  #goOn(gesture) {
    switch (gesture.phase) {
      case 'began':
        this.settle()
        this.app.overlay.setHover(null)
        this.#act = this.#begin(gesture)
        if (this.#act.cursor) this.#stage.style.cursor = this.#act.cursor
        break
      case 'moved':
        this.#act?.move(gesture)
        break
      case 'ended':
      case 'cancelled': {
        const act = this.#act
        this.#act = null
        this.#continues = gesture.followedBy ? act : null
        if (gesture.phase === 'ended') act?.end(gesture)
        else act?.cancel(gesture)
        this.#showCursor(null)
        this.app.invalidate()
      }
    }
  }

  /** The drag whose step a pinch goes on with. */
  #continues = null

  #begin(gesture) {
    const { app } = this
    const { type, target, pointer } = gesture
    const continues = this.#continues instanceof Moving
    this.#continues = null
    if (type === 'pinch') {
      if (target.kind !== 'shape' || this.looksOn) return new Zooming(this, gesture)
      return new Pinching(this, gesture, this.#grasp(target.id, false), { continues })
    }
    if (type === 'pan' || target.kind === 'view' || this.looksOn) return new Panning(this, gesture)
    switch (target.kind) {
      case 'shape': return new Moving(this, gesture, this.#grasp(target.id, gesture.shift))
      case 'handle': return this.#beginHandle(gesture)
      default:
        if (kinds.includes(app.tool)) return new Making(this, gesture)
        return pointer === 'touch' && !gesture.lifted ? new Panning(this, gesture) : new Marquee(this, gesture)
    }
  }

  #beginHandle(gesture) {
    const ids = this.app.selection.ids()
    switch (gesture.target.handle) {
      case 'scale': return new Scaling(this, gesture, ids)
      case 'rotate': return new Turning(this, gesture, ids)
      default: return new Moving(this, gesture, ids)
    }
  }

  /** What a hand takes hold of: all that is selected where the shape is among them, and else the shape alone. */
  #grasp(id, adds) {
    const { selection } = this.app
    if (!selection.has(id)) {
      if (adds) selection.add(id)
      else selection.set([id])
    }
    return selection.ids()
  }

  // The mouse's cursor.

  #hovered(target) {
    this.app.overlay.setHover(target?.kind === 'shape' && !this.looksOn ? target.id : null)
    this.#showCursor(target)
  }

  #showCursor(target) {
    if (this.#act?.cursor) return
    this.#stage.style.cursor = this.#cursorFor(target)
  }

  #resizeCursor() {
    const frame = frameOf(shapesOf(this.app.session, this.app.selection.ids()))
    return resizeCursor(frame?.rotation ?? 0)
  }

  #cursorFor(target) {
    const { app } = this
    if (this.#isSpaceHeld || app.tool === 'hand') return 'grab'
    if (target?.handle === 'rotate') return 'url("/tools/turn.svg") 12 12, grab'
    if (target?.handle === 'scale') return this.#resizeCursor()
    if (target?.handle === 'move' || (target?.kind === 'shape' && !this.looksOn)) return 'move'
    return kinds.includes(app.tool) ? 'crosshair' : 'default'
  }
}
