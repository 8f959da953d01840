// What tells one gesture from another. Distances are CSS pixels, times milliseconds, angles degrees.

/** How far a pointer may stray before a press is a drag. A finger rolls as it settles; a mouse stays where it is put. */
export const slop = { mouse: 3, pen: 5, touch: 10 }

/** How far apart two taps of one double tap may be. */
export const tapDistanceMax = { mouse: 6, pen: 16, touch: 32 }

/** From a tap's end to the next one's begin, for both to belong together. */
export const tapPauseMax = 300

/** So long a press lifts what it holds; what is shorter can be a tap. */
export const holdTime = 400

/** A contact wider than any fingertip is a palm or a cheek. */
export const palmWidthMin = 80

/** Two fingers that stay within this haven't begun to pinch. */
export const pinchSlop = 4

/** A pinch turns a few degrees by itself; only beyond that it is meant. */
export const turnSlop = 6

/** Fingertips closer than this are measured as if they were this far apart, so that no scale explodes. */
export const fingersApartMin = 24

/** A second finger that follows the first so soon, and so near, means both: the drag that had begun was none. */
export const secondFingerTime = 250
export const secondFingerDistance = 48

/** A velocity is taken over the last of the way; after resting so long it is none. */
export const velocitySpan = 100
export const velocityRestMax = 50

/**
 * What is awaited on each kind of target. Where no third tap means anything a double tap acts at once; elsewhere it
 * waits until a third can't come any more.
 */
export const needs = {
  shape: { taps: 3, hold: true, pinch: true },
  empty: { taps: 2, hold: false, pinch: true },
  handle: { taps: 1, hold: false, pinch: false },
  view: { taps: 0, hold: false, pinch: true },
}
