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

/** Recognises shaking by what a phone's motion sensor measures. */
export class MotionReader {
  #detector = new ShakeDetector()
  #gravity: Acceleration | null = null

  /** @returns whether the phone was shaken */
  takes({ acceleration, accelerationIncludingGravity, timeStamp }: DeviceMotionEvent): boolean {
    const motion = complete(acceleration) ?? this.#withoutGravity(complete(accelerationIncludingGravity))
    return motion !== null && this.#detector.moved(motion, timeStamp)
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
