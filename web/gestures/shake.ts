import { Source } from '../basics/source.js'
import type { MotionReader } from './shake-detector.js'

/** On some phones, this class has a function by which pages ask the person for permission. */
const sensor: DeviceMotionEventConstructor | undefined = globalThis.DeviceMotionEvent
const hasSensor = navigator.maxTouchPoints > 0

/** Uses the phone's motion sensor. `moved`: there is a first measurement. `shaken`: the phone was shaken. */
export class Shaking extends Source<{ moved: null, shaken: null }> {
  #reader: MotionReader | null = null
  #hasMoved = false
  #listener: (event: DeviceMotionEvent) => void = (event) => this.#take(event)

  /** Begins to listen if the device has a touch screen. */
  constructor() {
    super()
    if (hasSensor) this.#listen()
  }

  /**
   * Whether the page must ask for permission to use the sensor: it is required on this phone, and no measurement has
   * come yet.
   */
  get isToBeAsked() { return hasSensor && typeof sensor?.requestPermission === 'function' && !this.#hasMoved }

  /** Asks for permission to use the sensor. Browsers allow this only while they handle a click or a tap. */
  async ask(): Promise<boolean> {
    const answer = await sensor?.requestPermission?.().catch(() => 'denied')
    if (answer === 'granted') this.#listen()
    return answer === 'granted'
  }

  /** Begins to recognise shaking. */
  read(reader: MotionReader) { this.#reader = reader }

  #listen() {
    removeEventListener('devicemotion', this.#listener)
    addEventListener('devicemotion', this.#listener)
  }

  #take(event: DeviceMotionEvent) {
    // Without a sensor, some browsers send one event without measurements.
    if ((event.acceleration?.x ?? event.accelerationIncludingGravity?.x) == null) return
    if (!this.#hasMoved) this.tell('moved', null)
    this.#hasMoved = true
    if (this.#reader?.takes(event)) this.tell('shaken', null)
  }
}
