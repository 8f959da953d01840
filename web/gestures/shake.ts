import { Source } from '../basics/source.js'

/** M/s². */
type Acceleration = { x: number, y: number, z: number }

/**
 * The limits that distinguish shaking by hand from movement in a pocket: strength in m/s², a number of reversals, and a
 * time in milliseconds.
 */
const strengthMin = 14
const turnsMin = 4
const turnsWithin = 900
const pauseAfter = 1500

/**
 * Distinguishes shaking from being carried: shaking is a series of strong movements that reverse direction several
 * times. This class has no clock and no sensor.
 */
export class ShakeDetector {
  #turns: number[] = []
  #direction: Acceleration | null = null
  #restUntil = -Infinity

  /**
   * @param acceleration m/s², without gravity
   * @param time milliseconds
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

/** The weight of the gravity measured so far when the next measurement is averaged in. */
const gravityShare = 0.8

/** The sensor's class, which on some phones has a function by which pages have to ask for it. */
const sensor: DeviceMotionEventConstructor | undefined = globalThis.DeviceMotionEvent

/** Listens to the phone's sensor of motion. `shaken`: the phone was shaken. */
export class Shaking extends Source<{ shaken: null }> {
  #detector = new ShakeDetector()
  #gravity: Acceleration | null = null
  #hasMoved = false
  #listener: (event: DeviceMotionEvent) => void = (event) => this.#take(event)

  /** Begins to listen, if this device is one that people can shake. */
  constructor() {
    super()
    if (navigator.maxTouchPoints > 0) this.#listen()
  }

  /** Whether the page has to ask for the sensor, and the sensor hasn't reported anything yet. */
  get isToBeAsked() {
    return navigator.maxTouchPoints > 0 && typeof sensor?.requestPermission === 'function' && !this.#hasMoved
  }

  /** Asks for the sensor. The browser allows that only while it handles a click or a tap. */
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

/** The motion on all three axes. Some sensors leave out an axis. */
function complete(told: DeviceMotionEventAcceleration | null): Acceleration | null {
  if (told?.x == null) return null
  return { x: told.x, y: told.y ?? 0, z: told.z ?? 0 }
}
