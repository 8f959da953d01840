/** How long transitions take: for this person's changes, for other people's, and for the way into the black hole. */
export const ownMilliseconds = 120
export const othersMilliseconds = 200
export const departureMilliseconds = 350

/** People can ask the system for less motion. If they do, transitions take no time. */
const reduced = matchMedia('(prefers-reduced-motion: reduce)')

/** @param {number} milliseconds @returns {number} 0 for those who asked for less motion */
export function motionMilliseconds(milliseconds) {
  return reduced.matches ? 0 : milliseconds
}

/** @type {Record<'even' | 'slowing' | 'accelerating', (part: number) => number>} */
const paces = {
  even: (part) => part,
  slowing: (part) => 1 - (1 - part) ** 3,
  accelerating: (part) => part * part,
}

/** A number in transition from one value to another. */
export class Way {
  /**
   * @param {number} from @param {number} to @param {number} start milliseconds @param {number} milliseconds
   * @param {'even' | 'slowing' | 'accelerating'} [pace]
   */
  constructor(from, to, start, milliseconds, pace = 'slowing') {
    this.from = from
    this.to = to
    this.start = start
    this.milliseconds = milliseconds
    this.pace = paces[pace]
  }

  /** @param {number} now @returns {number} */
  at(now) {
    if (this.isOver(now)) return this.to
    const part = Math.max(0, (now - this.start) / this.milliseconds)
    return this.from + (this.to - this.from) * this.pace(part)
  }

  /** @param {number} now */
  isOver(now) { return now - this.start >= this.milliseconds }
}

/** A change that comes later than this after the change before it is not the next step of the same movement. */
const stepMillisecondsMax = 1000
/** Two steps that follow each other within this time already count as one movement. */
const quickStepMilliseconds = 250

/**
 * How quickly the steps of a movement follow each other, for a dragged shape or for a cursor. The transition to a step
 * should take about as long as the next step takes to come, so that the movement is even. That interval depends on the
 * writer's line, on this page's line, and on how many people are in the room.
 */
export class Steps {
  #toldAt = -Infinity
  /**
   * The average interval between the newest steps.
   *
   * @type {number | null}
   */
  #interval = null
  #isQuick = false

  /** Whether the newest step came soon after the step before it. */
  get isQuick() { return this.#isQuick }

  /**
   * Notes that a step has arrived, and returns how long the transition to it takes.
   *
   * @param {number} now
   * @returns {number | null} how long the transition should take; null if this is not a step of a movement
   */
  take(now) {
    const interval = now - this.#toldAt
    this.#toldAt = now
    this.#isQuick = interval < quickStepMilliseconds
    if (interval >= stepMillisecondsMax) {
      this.#interval = null
      return null
    }
    // Two changes this far apart may be two separate acts. A third one shows that they are a movement over a slow line.
    const isMovement = this.#isQuick || this.#interval !== null
    // The mean is used, because some steps come late, together with the next ones.
    this.#interval = this.#interval === null ? interval : (this.#interval + interval) / 2
    return isMovement ? Math.max(20, 1.25 * this.#interval) : null
  }
}

/** @param {string} text `#RRGGBB` @returns {number} */
export const packedColor = (text) => parseInt(text.slice(1), 16)

/**
 * The texts of colours, because a canvas takes colours only as texts.
 *
 * @type {Map<number, string>}
 */
const texts = new Map()

/** @param {number} packed 0xRRGGBB @returns {string} */
export function colorOf(packed) {
  let text = texts.get(packed)
  if (text === undefined) {
    // The stored texts are dropped now and then, because a blend passes through many colours that are never needed
    // again.
    if (texts.size > 4096) texts.clear()
    text = '#' + packed.toString(16).padStart(6, '0')
    texts.set(packed, text)
  }
  return text
}

/** @param {number} from 0xRRGGBB @param {number} to @param {number} part */
export function blendColors(from, to, part) {
  if (from === to) return to
  let color = 0
  for (const shift of [16, 8, 0]) {
    const start = from >> shift & 255
    color |= Math.round(start + ((to >> shift & 255) - start) * part) << shift
  }
  return color
}

/**
 * Blends two angles along the shorter way around.
 *
 * @param {number} from degrees @param {number} to @param {number} part
 */
export function blendDegrees(from, to, part) {
  let way = (to - from) % 360
  if (way > 180) way -= 360
  if (way < -180) way += 360
  return to - way * (1 - part)
}
