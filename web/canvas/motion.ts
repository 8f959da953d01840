/**
 * In milliseconds: how long transitions take, for this person's changes, for other people's changes, and for shapes
 * that the black hole swallows.
 */
export const ownMilliseconds = 120
export const othersMilliseconds = 200
export const departureMilliseconds = 350

const reduced = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)')

/** Whether the system is set to reduced motion. Then there are no transitions. */
export const isMotionReduced = () => reduced?.matches ?? false

export const motionMilliseconds = (milliseconds: number) => (isMotionReduced() ? 0 : milliseconds)

const paces: Record<'even' | 'slowing' | 'accelerating', (part: number) => number> = {
  even: (part) => part,
  slowing: (part) => 1 - (1 - part) ** 3,
  accelerating: (part) => part * part,
}

/** The transition of one number from a value to another. */
export class Way {
  readonly from
  readonly to
  readonly start
  readonly milliseconds
  readonly pace

  /** @param start in milliseconds */
  constructor(
    from: number, to: number, start: number, milliseconds: number,
    pace: 'even' | 'slowing' | 'accelerating' = 'slowing',
  ) {
    this.from = from
    this.to = to
    this.start = start
    this.milliseconds = milliseconds
    this.pace = paces[pace]
  }

  at(now: number): number {
    if (this.isOver(now)) return this.to
    const part = Math.max(0, (now - this.start) / this.milliseconds)
    return this.from + (this.to - this.from) * this.pace(part)
  }

  isOver(now: number) { return now - this.start >= this.milliseconds }
}

/** If more time than this passes between two changes, the second one doesn't belong to the movement of the first. */
const stepMillisecondsMax = 1000
/**
 * Two changes within this time count as a movement. If the time between changes is longer, only three changes count as
 * a movement.
 */
const quickStepMilliseconds = 250

/**
 * Measures how quickly the updates of a movement arrive, for a dragged shape or for a cursor. The transition to a new
 * position should take about as long as the next update takes to arrive, so that the movement looks even.
 */
export class Steps {
  #toldAt = -Infinity
  /** The average interval between recent updates. */
  #interval: number | null = null
  #isQuick = false

  /** Whether the last two updates arrived within `quickStepMilliseconds`. */
  get isQuick() { return this.#isQuick }

  /**
   * Records that an update has arrived.
   *
   * @returns how long the transition to it should take; null if the update is not a part of a movement
   */
  take(now: number): number | null {
    const interval = now - this.#toldAt
    this.#toldAt = now
    this.#isQuick = interval < quickStepMilliseconds
    if (interval >= stepMillisecondsMax) {
      this.#interval = null
      return null
    }
    // After a long interval, two changes may be separate actions. A third change shows that they are a movement over a
    // slow connection.
    const isMovement = this.#isQuick || this.#interval !== null
    // An average is used, because a late update arrives together with the next one.
    this.#interval = this.#interval === null ? interval : (this.#interval + interval) / 2
    return isMovement ? Math.max(20, 1.25 * this.#interval) : null
  }
}

/** @param text `#RRGGBB` */
export const packedColor = (text: string): number => parseInt(text.slice(1), 16)

/** A cache of colours as text, the form that a canvas takes. */
const texts = new Map<number, string>()

/** @param packed 0xRRGGBB */
export function colorOf(packed: number): string {
  let text = texts.get(packed)
  if (text === undefined) {
    // The cache is emptied now and then, because transitions pass through many colours that are not needed again.
    if (texts.size > 4096) texts.clear()
    text = '#' + packed.toString(16).padStart(6, '0')
    texts.set(packed, text)
  }
  return text
}

/** @param from 0xRRGGBB */
export function blendColors(from: number, to: number, part: number) {
  if (from === to) return to
  let color = 0
  for (const shift of [16, 8, 0]) {
    const start = from >> shift & 255
    color |= Math.round(start + ((to >> shift & 255) - start) * part) << shift
  }
  return color
}

/**
 * Interpolates between two angles, in the shorter direction.
 *
 * @param from degrees
 */
export function blendDegrees(from: number, to: number, part: number) {
  let way = (to - from) % 360
  if (way > 180) way -= 360
  if (way < -180) way += 360
  return to - way * (1 - part)
}
