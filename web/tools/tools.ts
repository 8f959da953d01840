import { Moving } from '../arrange/moving.js'
import type { Act, ActReach } from '../arrange/reach.js'
import { Pinching, resizeCursor, Scaling, Turning } from '../arrange/reshaping.js'
import { counted } from '../basics/words.js'
import { frameOf } from '../canvas/frames.js'
import { addConnectedCopy } from '../connect/connecting.js'
import { Leading } from '../connect/leading.js'
import { recolored } from '../draw/look.js'
import type { Drag, Gesture, Lasting, Moment, Target } from '../gestures/recogniser.js'
import type { Shaking } from '../gestures/shake.js'
import { type Leave, Surface, type Trail, type TrailPoint, type Wheel } from '../gestures/surface.js'
import { mentionOf } from '../state/labels.js'
import { clear } from './catalogue.js'
import { addressAt, openAddress } from './links.js'
import { Panning, Zooming } from './looking.js'
import { Targets } from './targets.js'
import { toolbox } from './toolbox.js'

const taps = ['tap', 'doubleTap', 'tripleTap']

/**
 * Carries out the gestures on the stage. Each drag or pinch is carried out by an `Act`, and only one can be in
 * progress.
 */
export class Tools {
  #stage
  #reach
  #surface
  #act: Act | null = null
  /** The drag that a second finger has turned into a pinch. The pinch continues this drag's undo step. */
  #continued: Act | null = null
  #isSpaceHeld = false
  /** The pointer's path since it was pressed. It is kept until the gesture has become a drag. */
  #trail: TrailPoint[] = []

  constructor(stage: HTMLElement, reach: ActReach & { shaking: Shaking }) {
    const { shown, tool, permission, momentum, play, shaking } = reach
    this.#stage = stage
    this.#reach = reach
    this.#surface = new Surface(stage, new Targets(reach, () => this.#held))
    this.#surface.on('gesture', (gesture) => reach.editing.guard(() => this.#take(gesture)))
    shown.on('changes', (changes) => {
      this.#act?.follow?.(changes)
      this.#leadFrame()
    })
    tool.on('change', () => {
      // A person who has lost the right to draw gets another tool, and is told what isn't kept.
      this.cancel(permission.mayEdit ? 'escape' : 'interrupted')
      this.#surface.tellsTrails = this.#held.takesTrail ?? false
      this.#showCursor(null)
    })
    const finish = () => {
      this.cancel('interrupted')
      momentum.settle()
    }
    permission.on('change', finish)
    // While the past is shown, edits are refused.
    shown.on('leaving', finish)
    shaking.on('shaken', () => {
      if (this.isBusy || !permission.mayEdit || !play.isOn) return
      momentum.settle()
      clear(reach)
    })
    momentum.on('settling', () => { if (this.isBusy) this.cancel('interrupted') })
    // An edit in a panel is a step of undo of its own, so a press there first ends gestures and glides.
    addEventListener('pointerdown', ({ target }) => {
      if (!(target instanceof Node && stage.contains(target))) momentum.settle()
    }, { capture: true })
    addEventListener('pagehide', () => {
      // This is no press: a page that the browser shows again later must not be scrolled for the keyboard any more.
      reach.writing.close()
      this.#leaveFields()
      momentum.settle()
    })
    document.addEventListener('visibilitychange', () => { if (document.hidden) momentum.settle() })
  }

  /** The current tool. */
  get #held() { return toolbox[this.#reach.tool.name] }

  /** Whether the person may use the current tool. */
  get #mayUse() { return this.#reach.permission.mayEdit || (this.#held.shows && !this.#reach.shown.isPast) }

  /** Whether a gesture is in progress. */
  get isBusy() { return this.#act !== null }
  /** Whether a pointer is down on the canvas, even if no gesture has begun yet. */
  get isPressed() { return !this.#surface.isIdle }

  /** To be called when the space bar is pressed or released. While it is held, a drag moves the canvas. */
  holdSpace(isHeld: boolean) {
    if (isHeld === this.#isSpaceHeld) return
    this.#isSpaceHeld = isHeld
    this.#surface.isSpaceHeld = isHeld
    this.#showCursor(null)
  }

  /**
   * Ends the gesture in progress.
   *
   * @param reason for `escape`, everything is reverted
   */
  cancel(reason: string) { this.#surface.cancel(reason) }

  /** Makes a waiting double tap act now. If the double tap opens a shape, the next keys are typed into that shape. */
  endTaps() { this.#surface.endTaps() }

  // Gestures.

  #take(gesture: Gesture | Wheel | Leave | Trail) {
    if (gesture.type === 'trail') return this.#trailed(gesture)
    if (gesture.type === 'press') this.#leaveFields()
    if (gesture.type === 'press' || gesture.type === 'wheel') this.#reach.momentum.stopCoasting()
    this.#tellCursor(gesture)
    // What has waited for the end of the press goes on with the next frame.
    if (taps.includes(gesture.type)) this.#reach.frames.request()
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

  /**
   * Saves what is being typed. A finger's press doesn't take the focus from a field, and a field that is left later
   * would save its value within the gesture's step of undo.
   */
  #leaveFields() {
    this.#reach.writing.close({ isPressed: true })
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    // Otherwise text that was selected elsewhere would be copied instead of shapes.
    getSelection()?.removeAllRanges()
  }

  /** Sends the pointer's position to others. A lifted finger has no position. */
  #tellCursor(gesture: Gesture | Wheel | Leave) {
    const { presence, view } = this.#reach
    if (gesture.type === 'leave') return presence.setCursor(null)
    const isOver = 'phase' in gesture && (gesture.phase === 'ended' || gesture.phase === 'cancelled')
    const isFinger = 'pointer' in gesture && gesture.pointer === 'touch'
    const isGone = isFinger && (taps.includes(gesture.type) || isOver)
    presence.setCursor(isGone ? null : view.toCanvas(gesture))
  }

  #trailed({ points, predicted }: Trail) {
    if (this.#act?.trail) this.#act.trail(points, predicted)
    else this.#trail.push(...points)
  }

  #pressed({ target }: Moment) {
    this.#trail = []
    // Stops a glide if the pressed shape is gliding, and ends all other movements.
    const { id } = target.under ?? target
    if (id !== undefined) this.#reach.momentum.catch(id)
    this.#reach.momentum.settle()
  }

  #wheeled({ x, y, dx, dy, factor }: Wheel) {
    if (factor !== 1) this.#reach.view.zoomAt({ x, y }, factor)
    else this.#reach.view.panBy(dx, dy)
  }

  #tapped({ target, shift, ctrl, meta, x, y }: Moment) {
    const { permission, selection, view } = this.#reach
    const { tap, tapsShapes } = this.#held
    const adds = shift || ctrl || meta
    const address = ctrl || meta ? addressAt(this.#reach, { x, y }) : null
    if (address) return openAddress(address)
    if (tap && this.#mayUse && (target.id === undefined || (tapsShapes && !adds && !target.handle))) {
      tap(this.#reach, view.toCanvas({ x, y }), this.#takeTrail(), target.id)
      return
    }
    if (target.id !== undefined && target.handle === 'move' && permission.mayEdit) {
      addConnectedCopy(this.#reach, target.id)
      return
    }
    if (target.id === undefined) {
      if (!adds) selection.clear()
    } else if (adds) {
      selection.toggle(this.#handled(target.id))
    } else {
      selection.set(this.#handled(target.id))
    }
  }

  #doubleTapped({ target, x, y, pointer }: Moment) {
    const { editing, groups, permission, play, shown, view, writing } = this.#reach
    if (!permission.mayEdit || writing.isOpen) return
    const { id = target.opens } = target
    if (id !== undefined) {
      const shape = shown.replica.shape(id)
      if (!shape || groups.enter(id)) return
      // While Play is on, a finger's double tap changes a shape's colour. Any other double tap opens the shape's text,
      // and so does a finger's double tap on a text.
      if (pointer !== 'touch' || shape.kind === 'text' || !play.isOn) {
        writing.open(id, { at: { x, y } })
        return
      }
      editing.edit((replica) => replica.edit([{ shape: id, set: recolored(shape, replica) }]))
    } else if (play.isOn) {
      const center = view.toCanvas({ x, y })
      editing.edit((replica) => replica.addCircle(center.x, center.y))
    }
  }

  /**
   * Removes the tapped shape and its group. If any of them has a text, nothing is removed, because one tap too many
   * would lose the text. Instead the tapped shape's text is selected, to be overwritten.
   */
  #tripleTapped({ target: { id }, x, y }: Moment) {
    const { editing, groups, permission, shown, writing } = this.#reach
    if (!permission.mayEdit || id === undefined) return
    // Somebody has deleted or locked the shape since the press. An undo that is offered now would be that of an older step.
    if (shown.replica.shape(id)?.locked !== false) return
    const shapes = shown.replica.shapesOf(groups.with(id)).filter(({ locked }) => !locked)
    const ids = shapes.map((shape) => shape.id)
    if (!shapes.some(({ written }) => written)) {
      // Three clicks are also a habit, so the person is told what they did.
      const words = ids.length > 1 ? counted(ids.length, 'shape') : mentionOf(shown.live, id)
      if (editing.edit((replica) => replica.delete(ids)) !== undefined) editing.sayUndoable(`${words} removed.`, 'removed by taps')
    } else if (shown.replica.shape(id)?.written) writing.open(id, { selectsAll: true, at: { x, y } })
  }

  #goOn(gesture: Lasting) {
    const isFollowed = gesture.type !== 'pinch' && gesture.followedBy !== undefined
    switch (gesture.phase) {
      case 'began': {
        this.#reach.momentum.settle()
        this.#reach.overlay.setHover(null)
        const act = this.#begin(gesture)
        this.#act = act
        if (act.cursor) this.#stage.style.cursor = act.cursor
        this.#hold(act)
        break
      }
      case 'moved': {
        const act = this.#act
        // An act always gets the type of gesture with which it began.
        act?.move(gesture as never)
        // While a line is drawn, its ties can change, and with them the shapes in hand.
        this.#hold(act)
        break
      }
      case 'ended':
      case 'cancelled': {
        const act = this.#act
        this.#act = null
        this.#reach.hand.letGo()
        this.#continued = isFollowed ? act : null
        if (gesture.phase === 'ended') act?.end(gesture as never)
        else act?.cancel(gesture as never)
        this.#showCursor(null)
        this.#reach.frames.request()
      }
    }
    this.#leadFrame()
  }

  #hold(act: Act | null) { if (act?.inHand) this.#reach.hand.hold(act.inHand) }

  /**
   * Sets the frame that is drawn around the selection: the frame that the gesture in progress (`#act`) gives, or null
   * if it gives none.
   */
  #leadFrame() { this.#reach.handles.lead(this.#act?.frame ?? null, this.#act instanceof Moving) }

  #begin(gesture: Lasting): Act {
    const reach = this.#reach
    const { target } = gesture
    if (gesture.type === 'pinch') {
      if (target.id === undefined || !reach.permission.mayEdit) return new Zooming(reach, gesture)
      const step = this.#continued instanceof Moving ? this.#continued.step : null
      return new Pinching(reach, gesture, this.#grasp(target.id, false), step)
    }
    if (gesture.type === 'pan' || target.kind === 'view' || !this.#mayUse) return new Panning(reach, gesture)
    const { id } = (gesture.lifted && target.under) || target
    if (id !== undefined) return new Moving(reach, gesture, this.#grasp(id, gesture.shift))
    if (target.kind === 'handle' || (target.handle && !gesture.shift)) return this.#beginHandle(gesture)
    return this.#held.begin(reach, gesture, this.#takeTrail())
  }

  #takeTrail() {
    const trail = this.#trail
    this.#trail = []
    return trail
  }

  #beginHandle(gesture: Drag): Act {
    const ids = this.#reach.selection.ids()
    switch (gesture.target.handle) {
      case 'scale': return new Scaling(this.#reach, gesture, ids)
      case 'rotate': return new Turning(this.#reach, gesture, ids)
      case 'point':
      case 'bend': return new Leading(this.#reach, gesture, ids[0])
      default: return new Moving(this.#reach, gesture, ids)
    }
  }

  /** A pressed shape and its group. Somebody may have deleted the shape since it was pressed. */
  #handled(id: number) { return this.#reach.shown.replica.shape(id) ? this.#reach.groups.with(id) : [] }

  /**
   * Selects what a drag on a shape moves: the whole selection if it contains the shape, otherwise the shape and its
   * group.
   */
  #grasp(id: number, adds: boolean) {
    const { selection } = this.#reach
    if (!selection.has(id)) {
      if (adds) selection.add(this.#handled(id))
      else selection.set(this.#handled(id))
    }
    return selection.ids()
  }

  // The mouse's cursor.

  #hovered(target: Target | null) {
    const { marks, overlay, permission } = this.#reach
    marks.pointAt(target?.id ?? null)
    overlay.setHover(permission.mayEdit ? target?.id ?? null : null)
    this.#showCursor(target)
  }

  #showCursor(target: Target | null) {
    if (this.#act?.cursor) return
    this.#stage.style.cursor = this.#cursorFor(target)
  }

  #resizeCursor({ side }: Target) {
    const { shown, selection } = this.#reach
    return resizeCursor(frameOf(shown.replica.shapesOf(selection.ids()))?.rotation ?? 0, side)
  }

  #cursorFor(target: Target | null) {
    if (this.#isSpaceHeld) return 'grab'
    if (target?.handle === 'point' || target?.handle === 'bend') return 'crosshair'
    if (target?.handle === 'rotate') return 'url("/arrange/turn.svg") 12 12, grab'
    if (target?.handle === 'scale') return this.#resizeCursor(target)
    if (target?.handle === 'move' || (target?.kind === 'shape' && this.#reach.permission.mayEdit)) return 'move'
    return this.#held.cursor
  }
}
