/** How long transitions take: for this person's changes, for other people's, and for the way into the black hole. */
export const ownMilliseconds = 120
export const othersMilliseconds = 200
export const departureMilliseconds = 350

const reduced = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)')

/** Whether people have asked the system for less motion. If they have, nothing glides, and transitions take no time. */
export const isMotionReduced = () => reduced?.matches ?? false

export const motionMilliseconds = (milliseconds: number) => (isMotionReduced() ? 0 : milliseconds)

const paces: Record<'even' | 'slowing' | 'accelerating', (part: number) => number> = {
  even: (part) => part,
  slowing: (part) => 1 - (1 - part) ** 3,
  accelerating: (part) => part * part,
}

/** A number in transition from one value to another. */
export class Way {
  readonly from
  readonly to
  readonly start
  readonly milliseconds
  readonly pace

  /** @param start milliseconds */
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
  /** The average interval between the newest steps. */
  #interval: number | null = null
  #isQuick = false

  /** Whether the newest step came soon after the step before it. */
  get isQuick() { return this.#isQuick }

  /**
   * Notes that a step has arrived, and returns how long the transition to it takes.
   *
   * @returns how long the transition should take; null if this is not a step of a movement
   */
  take(now: number): number | null {
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

/** @param text `#RRGGBB` */
export const packedColor = (text: string): number => parseInt(text.slice(1), 16)

/** The texts of colours, because a canvas takes colours only as texts. */
const texts = new Map<number, string>()

/** @param packed 0xRRGGBB */
export function colorOf(packed: number): string {
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
 * Blends two angles along the shorter way around.
 *
 * @param from degrees
 */
export function blendDegrees(from: number, to: number, part: number) {
  let way = (to - from) % 360
  if (way > 180) way -= 360
  if (way < -180) way += 360
  return to - way * (1 - part)
}
