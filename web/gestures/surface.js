import { Recogniser } from './recogniser.js'

/** How far a wheel's line, and a page of them, goes. */
const linePixels = 16
const pagePixels = 400

/** A wheel's notch, with the zoom key held, changes the scale by a quarter at most; a trackpad tells many small ones. */
const zoomShare = 0.01
const zoomStepMax = 24

/**
 * What happens to an element, as gestures. It listens, captures, keeps the time, and leaves the telling apart to the
 * recogniser; what it hands on is what that returns, and `wheel` and `leave`, which need no telling apart.
 */
export class Surface {
  #element
  #recogniser = new Recogniser()
  #targetAt
  #take
  #timer = 0
  #isSpaceHeld = false

  /**
   * @param {HTMLElement} element with `touch-action: none`
   * @param {object} parts
   * @param {(point: {x: number, y: number}, pointer: string) => import('./recogniser.js').Target} parts.targetAt
   * @param {(gesture: import('./recogniser.js').Gesture) => void} parts.take
   */
  constructor(element, { targetAt, take }) {
    this.#element = element
    this.#targetAt = targetAt
    this.#take = take
    element.addEventListener('pointerdown', (event) => this.#pointer(event, 'down'))
    element.addEventListener('pointermove', (event) => this.#pointer(event, 'move'))
    element.addEventListener('pointerup', (event) => this.#pointer(event, 'up'))
    element.addEventListener('pointercancel', (event) => this.#pointer(event, 'cancel'))
    // Comes after each up too, when the pointer is known no more.
    element.addEventListener('lostpointercapture', (event) => this.#pointer(event, 'cancel'))
    element.addEventListener('pointerleave', ({ pointerType }) => {
      if (pointerType !== 'touch' && this.#recogniser.isIdle) this.#take({ type: 'leave' })
    })
    element.addEventListener('wheel', (event) => this.#wheel(event), { passive: false })
    // A middle button would scroll by itself, a long press would open a menu.
    element.addEventListener('mousedown', (event) => { if (event.button === 1) event.preventDefault() })
    element.addEventListener('contextmenu', (event) => event.preventDefault())
    addEventListener('blur', () => this.cancel())
    addEventListener('pagehide', () => this.cancel())
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.cancel() })
  }

  /** The space bar is held: what is dragged is the paper. */
  set isSpaceHeld(held) { this.#isSpaceHeld = held }

  /** Nothing is pressed, dragged or pinched. */
  get isIdle() { return this.#recogniser.isIdle }

  /** Ends what is going on. */
  cancel(reason = 'interrupted') { this.#tell(this.#recogniser.cancel(performance.now(), reason)) }

  #pointer(event, phase) {
    const input = this.#input(event, phase)
    if (phase === 'down') {
      try {
        this.#element.setPointerCapture(event.pointerId)
      } catch {
        // It has gone already; its end will be told.
      }
    }
    if (phase === 'down' || (phase === 'move' && this.#recogniser.isIdle)) {
      input.target = this.#targetAt({ x: input.x, y: input.y }, input.type)
    }
    this.#tell(this.#recogniser.handle(input))
  }

  #input(event, phase) {
    const { left, top } = this.#element.getBoundingClientRect()
    return {
      id: event.pointerId,
      type: event.pointerType === 'touch' || event.pointerType === 'pen' ? event.pointerType : 'mouse',
      phase,
      x: event.clientX - left,
      y: event.clientY - top,
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

  #wheel(event) {
    event.preventDefault()
    const { left, top } = this.#element.getBoundingClientRect()
    const unit = [1, linePixels, pagePixels][event.deltaMode] ?? 1
    let dx = event.deltaX * unit
    let dy = event.deltaY * unit
    if (event.shiftKey && dx === 0) [dx, dy] = [dy, 0]
    const place = { x: event.clientX - left, y: event.clientY - top }
    if (event.ctrlKey || event.metaKey) {
      const step = Math.max(-zoomStepMax, Math.min(zoomStepMax, dy))
      this.#take({ type: 'wheel', ...place, dx: 0, dy: 0, factor: Math.exp(-step * zoomShare) })
    } else {
      this.#take({ type: 'wheel', ...place, dx: -dx, dy: -dy, factor: 1 })
    }
  }

  #tell(gestures) {
    for (const gesture of gestures) this.#take(gesture)
    clearTimeout(this.#timer)
    const { wakeAt } = this.#recogniser
    if (wakeAt < Infinity) this.#timer = setTimeout(() => this.#wake(), Math.max(0, wakeAt - performance.now()))
  }

  #wake() {
    // A pointer that waits to be heard may say that this was no hold, and no double tap, after all.
    if (navigator.scheduling?.isInputPending?.()) this.#timer = setTimeout(() => this.#wake(), 0)
    else this.#tell(this.#recogniser.wake(performance.now()))
  }
}
