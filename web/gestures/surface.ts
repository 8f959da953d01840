import { Source } from '../basics/source.js'
import type { Point } from '../core/types.js'
import { type Gesture, type PointerInput, type PointerType, Recogniser, type Target } from './recogniser.js'

/** `factor`: the change of the scale. */
export type Wheel = { type: 'wheel', dx: number, dy: number, factor: number } & Point
export type Leave = { type: 'leave' }
export type TrailPoint = { pressure: number, pointer: PointerType } & Point
/**
 * The positions of the pressed pointer since the last event, as densely as the browser reports them. `predicted`: where
 * the pointer will probably be in the next frame.
 */
export type Trail = { type: 'trail', points: TrailPoint[], predicted: TrailPoint[] }

/** In pixels: how far the wheel scrolls, if the browser reports lines or pages. */
const linePixels = 16
const pagePixels = 400

/**
 * The scale changes by about this share for each pixel that the wheel turns while the zoom key is held. One turn counts
 * as at most `zoomStepMax` pixels, so it changes the scale by about a quarter at most.
 */
const zoomShare = 0.01
const zoomStepMax = 24

/** A paste event this soon after the middle button was released comes from that button and not from the keyboard. */
const middlePasteMilliseconds = 50

/**
 * Turns the pointer events of an element into `gesture` events. This class handles the browser's events and the timer,
 * while the recogniser decides which gesture they are. `wheel`, `leave` and `trail` don't need the recogniser.
 */
export class Surface extends Source<{ gesture: Gesture | Wheel | Leave | Trail }> {
  #element
  #recogniser = new Recogniser()
  #targets
  #timer = 0
  #isSpaceHeld = false
  #tellsTrails = false
  /**
   * The element's position in the window. It is cached until the window changes, because reading it forces a layout.
   */
  #corner: Point | null = null

  /**
   * @param element has the style `touch-action: none`
   * @param targets returns what is under a pointer
   */
  constructor(element: HTMLElement, targets: { at: (point: Point, pointer: PointerType) => Target }) {
    super()
    this.#element = element
    this.#targets = targets
    element.addEventListener('pointerdown', (event) => this.#pointer(event, 'down'))
    element.addEventListener('pointermove', (event) => this.#pointer(event, 'move'))
    element.addEventListener('pointerup', (event) => this.#pointer(event, 'up'))
    element.addEventListener('pointercancel', (event) => this.#pointer(event, 'cancel'))
    // The browser also sends this event after each up event, and then the recogniser ignores it.
    element.addEventListener('lostpointercapture', (event) => this.#pointer(event, 'cancel'))
    element.addEventListener('pointerleave', ({ pointerType }) => {
      if (pointerType !== 'touch' && this.#recogniser.isIdle) this.tell('gesture', { type: 'leave' })
    })
    element.addEventListener('wheel', (event) => this.#wheel(event), { passive: false })
    this.#hearSafari()
    // Without `preventDefault`, the middle button would scroll the page, and a long press would open the browser's
    // menu.
    element.addEventListener('mousedown', (event) => { if (event.button === 1) event.preventDefault() })
    element.addEventListener('mouseup', (event) => { if (event.button === 1) swallowPaste(event) })
    element.addEventListener('contextmenu', (event) => event.preventDefault())
    addEventListener('resize', () => { this.#corner = null })
    addEventListener('blur', () => this.cancel())
    addEventListener('pagehide', () => this.cancel())
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.cancel() })
  }

  /** Whether the space bar is held, so that a drag moves the canvas. */
  set isSpaceHeld(held: boolean) { this.#isSpaceHeld = held }

  /** Whether `trail` is sent. Only tools for freehand drawing need it. */
  set tellsTrails(tells: boolean) { this.#tellsTrails = tells }

  /** Whether no pointer is pressed, dragged or pinching. */
  get isIdle() { return this.#recogniser.isIdle }

  /** Ends the wait for a third tap, because a key was pressed. */
  endTaps() { this.#tellAll(this.#recogniser.endTaps(performance.now())) }

  /** Ends the gesture in progress. */
  cancel(reason = 'interrupted') { this.#tellAll(this.#recogniser.cancel(performance.now(), reason)) }

  #pointer(event: PointerEvent, phase: PointerInput['phase']) {
    const input = this.#input(event, phase)
    if (phase === 'down') {
      try {
        this.#element.setPointerCapture(event.pointerId)
      } catch {
        // The pointer no longer exists. An event will report its end.
      }
    }
    if (phase === 'down' || (phase === 'move' && this.#recogniser.isIdle)) {
      input.target = this.#targets.at({ x: input.x, y: input.y }, input.type)
    }
    // The trail is sent for up events too, because the pointer can have moved before it was lifted.
    if ((phase === 'move' || phase === 'up') && this.#isTrailing(event)) this.#tellTrail(event)
    this.#tellAll(this.#recogniser.handle(input))
    // Only now it is known whether this pointer's press has ended another pointer's gesture.
    if (phase === 'down' && this.#isTrailing(event)) this.#tellTrail(event)
  }

  /** Whether `trail` reports the path of this pointer. */
  #isTrailing({ pointerId }: PointerEvent) { return this.#tellsTrails && pointerId === this.#recogniser.pointer }

  #tellTrail(event: PointerEvent) {
    const points = event.getCoalescedEvents?.() ?? []
    this.tell('gesture', {
      type: 'trail',
      points: (points.length > 0 ? points : [event]).map((each) => this.#trailPoint(each)),
      predicted: (event.getPredictedEvents?.() ?? []).map((each) => this.#trailPoint(each)),
    })
  }

  #trailPoint({ clientX, clientY, pressure, pointerType }: PointerEvent): TrailPoint {
    const corner = this.#measured()
    return { x: clientX - corner.x, y: clientY - corner.y, pressure, pointer: pointerKind(pointerType) }
  }

  #input(event: PointerEvent, phase: PointerInput['phase']): PointerInput {
    const corner = this.#measured()
    return {
      id: event.pointerId,
      type: pointerKind(event.pointerType),
      phase,
      x: event.clientX - corner.x,
      y: event.clientY - corner.y,
      time: event.timeStamp,
      button: event.button,
      buttons: event.buttons,
      primary: event.isPrimary,
      contact: Math.max(event.width, event.height),
      space: this.#isSpaceHeld,
      shift: event.shiftKey,
      alt: event.altKey,
      ctrl: event.ctrlKey,
      meta: event.metaKey,
    }
  }

  #wheel(event: WheelEvent) {
    event.preventDefault()
    const corner = this.#measured()
    const unit = [1, linePixels, pagePixels][event.deltaMode] ?? 1
    let dx = event.deltaX * unit
    let dy = event.deltaY * unit
    if (event.shiftKey && dx === 0) [dx, dy] = [dy, 0]
    const place = { x: event.clientX - corner.x, y: event.clientY - corner.y }
    if (event.ctrlKey || event.metaKey) {
      const step = Math.max(-zoomStepMax, Math.min(zoomStepMax, dy))
      this.tell('gesture', { type: 'wheel', ...place, dx: 0, dy: 0, factor: Math.exp(-step * zoomShare) })
    } else {
      this.tell('gesture', { type: 'wheel', ...place, dx: -dx, dy: -dy, factor: 1 })
    }
  }

  /**
   * Handles Safari's events for pinches on a trackpad, and keeps Safari from zooming the page. The recogniser handles
   * pinches on a touch screen.
   */
  #hearSafari() {
    let scale = 1
    for (const type of ['gesturestart', 'gesturechange']) {
      addEventListener(type, (event) => {
        event.preventDefault()
        const now = event as { scale?: number, clientX?: number, clientY?: number }
        const before = type === 'gesturestart' ? now.scale ?? 1 : scale
        scale = now.scale ?? 1
        if (!this.isIdle || !(event.target instanceof Node && this.#element.contains(event.target))) return
        const corner = this.#measured()
        const place = { x: (now.clientX ?? 0) - corner.x, y: (now.clientY ?? 0) - corner.y }
        this.tell('gesture', { type: 'wheel', ...place, dx: 0, dy: 0, factor: scale / before })
      })
    }
  }

  #measured() {
    if (!this.#corner) {
      const { left, top } = this.#element.getBoundingClientRect()
      this.#corner = { x: left, y: top }
    }
    return this.#corner
  }

  #tellAll(gestures: Gesture[]) {
    for (const gesture of gestures) this.tell('gesture', gesture)
    clearTimeout(this.#timer)
    const { wakeAt } = this.#recogniser
    if (wakeAt < Infinity) this.#timer = setTimeout(() => this.#wake(), Math.max(0, wakeAt - performance.now()))
  }

  #wake() {
    // If a pointer event is pending, it is handled first, because it might show that the press was no hold, or that a
    // third tap follows.
    if (navigator.scheduling?.isInputPending?.()) this.#timer = setTimeout(() => this.#wake(), 0)
    else this.#tellAll(this.#recogniser.wake(performance.now()))
  }
}

const pointerKind = (type: string): PointerType => (type === 'touch' || type === 'pen' ? type : 'mouse')

/**
 * Suppresses one paste event. On Linux, releasing the middle button pastes the selected text. Here that button has
 * moved the canvas.
 */
function swallowPaste(released: MouseEvent) {
  released.preventDefault()
  const swallow = (event: Event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  addEventListener('paste', swallow, { capture: true })
  setTimeout(() => removeEventListener('paste', swallow, { capture: true }), middlePasteMilliseconds)
}
