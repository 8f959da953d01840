/** What a hand does to a phone when it shakes it, and a pocket doesn't: m/s², turns, milliseconds. */
const strengthMin = 14
const turnsMin = 4
const turnsWithin = 900
const pauseAfter = 1500

/** Tells shaking from being carried: strong movements that turn back and forth. Without a clock or a sensor. */
export class ShakeDetector {
  #turns = []
  #direction = null
  #restUntil = -Infinity

  /** @param {{x: number, y: number, z: number}} acceleration m/s², without gravity @param {number} time milliseconds */
  moved({ x, y, z }, time) {
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

/** How fast gravity, as it is told mixed in, is unlearned. */
const gravityShare = 0.8

/** Listens to the phone's sensor, and calls `shaken` when the phone is. */
export class Shaking {
  #detector = new ShakeDetector()
  #gravity = null
  #hasMoved = false
  #shaken
  #listener = (event) => this.#take(event)

  /** @param {() => void} shaken */
  constructor(shaken) {
    this.#shaken = shaken
    this.#listen()
  }

  /** The sensor is kept from pages that haven't asked, and this one has heard nothing of it yet. */
  get isToBeAsked() {
    return typeof globalThis.DeviceMotionEvent?.requestPermission === 'function' && !this.#hasMoved
  }

  /** Asks for the sensor. Only what a hand does may. @returns {Promise<boolean>} */
  async ask() {
    const isGranted = await DeviceMotionEvent.requestPermission().catch(() => '') === 'granted'
    if (isGranted) this.#listen()
    return isGranted
  }

  #listen() {
    removeEventListener('devicemotion', this.#listener)
    addEventListener('devicemotion', this.#listener)
  }

  #take({ acceleration, accelerationIncludingGravity, timeStamp }) {
    const motion = acceleration?.x != null ? acceleration : this.#withoutGravity(accelerationIncludingGravity)
    if (!motion) return
    this.#hasMoved = true
    if (this.#detector.moved(motion, timeStamp)) this.#shaken()
  }

  #withoutGravity(mixed) {
    if (mixed?.x == null) return null
    const { x, y, z } = mixed
    this.#gravity ??= { x, y, z }
    const gravity = this.#gravity
    for (const axis of ['x', 'y', 'z']) gravity[axis] = gravityShare * gravity[axis] + (1 - gravityShare) * mixed[axis]
    return { x: x - gravity.x, y: y - gravity.y, z: z - gravity.z }
  }
}
