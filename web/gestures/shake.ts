import { Source } from '../basics/source.js'

/** In m/s². */
type Acceleration = { x: number, y: number, z: number }

/**
 * The limits that distinguish shaking from being carried: the least acceleration in m/s², and the number of changes of
 * direction. In milliseconds: the time within which these changes occur, and the pause after a shake.
 */
const strengthMin = 14
const turnsMin = 4
const turnsWithin = 900
const pauseAfter = 1500

/**
 * Recognises shaking: several strong movements in alternating directions. This class uses neither a clock nor a sensor.
 */
export class ShakeDetector {
  #turns: number[] = []
  #direction: Acceleration | null = null
  #restUntil = -Infinity

  /**
   * @param acceleration in m/s², without gravity
   * @param time in milliseconds
   */
  moved({ x, y, z }: { x: number, y: number, z: number }, time: number) {
    const strength = Math.hypot(x, y, z)
    if (!(strength >= strengthMin) || time < this.#restUntil) return false
    const before = this.#direction
    const isTurn = before === null || x * before.x + y * before.y + z * before.z < 0
    if (!isTurn) return false
    this.#direction = { x, y, z }
    this.#turns = [...this.#turns.filter((turn) => time - turn <= turnsWithin), time]
    if (this.#turns.length < turnsMin) return false
    this.#turns = []
    this.#direction = null
    this.#restUntil = time + pauseAfter
    return true
  }
}

/** Gravity is a moving average of measurements. This is the weight of the old value. */
const gravityShare = 0.8

/** On some phones, this class has a function by which pages ask the person for permission. */
const sensor: DeviceMotionEventConstructor | undefined = globalThis.DeviceMotionEvent

/** Uses the phone's motion sensor. `shaken`: the phone was shaken. */
export class Shaking extends Source<{ shaken: null }> {
  #detector = new ShakeDetector()
  #gravity: Acceleration | null = null
  #hasMoved = false
  #listener: (event: DeviceMotionEvent) => void = (event) => this.#take(event)

  /** Begins to listen if the device has a touch screen. */
  constructor() {
    super()
    if (navigator.maxTouchPoints > 0) this.#listen()
  }

  /**
   * Whether the page must ask for permission to use the sensor: it is required on this phone, and no measurement has
   * come yet.
   */
  get isToBeAsked() {
    return navigator.maxTouchPoints > 0 && typeof sensor?.requestPermission === 'function' && !this.#hasMoved
  }

  /** Asks for permission to use the sensor. Browsers allow this only while they handle a click or a tap. */
  async ask(): Promise<boolean> {
    const answer = await sensor?.requestPermission?.().catch(() => 'denied')
    if (answer === 'granted') this.#listen()
    return answer === 'granted'
  }

  #listen() {
    removeEventListener('devicemotion', this.#listener)
    addEventListener('devicemotion', this.#listener)
  }

  #take({ acceleration, accelerationIncludingGravity, timeStamp }: DeviceMotionEvent) {
    const motion = complete(acceleration) ?? this.#withoutGravity(complete(accelerationIncludingGravity))
    if (!motion) return
    this.#hasMoved = true
    if (this.#detector.moved(motion, timeStamp)) this.tell('shaken', null)
  }

  #withoutGravity(mixed: Acceleration | null) {
    if (!mixed) return null
    const before = this.#gravity ?? mixed
    const blended = (axis: 'x' | 'y' | 'z') => gravityShare * before[axis] + (1 - gravityShare) * mixed[axis]
    const gravity = { x: blended('x'), y: blended('y'), z: blended('z') }
    this.#gravity = gravity
    return { x: mixed.x - gravity.x, y: mixed.y - gravity.y, z: mixed.z - gravity.z }
  }
}

/** The acceleration, or null without a measurement. An axis that the sensor doesn't measure counts as 0. */
function complete(told: DeviceMotionEventAcceleration | null): Acceleration | null {
  if (told?.x == null) return null
  return { x: told.x, y: told.y ?? 0, z: told.z ?? 0 }
}
