// The limits that tell one gesture from another. Distances are CSS pixels, times milliseconds, angles degrees.

/** How far a pointer may stray before a press is a drag. A finger rolls as it settles; a mouse stays where it is put. */
export const slop = { mouse: 3, pen: 5, touch: 10 }

/** How far apart two taps of one double tap may be. */
export const tapDistanceMax = { mouse: 6, pen: 16, touch: 32 }

/** From a tap's end to the next one's begin, for both to belong together. */
export const tapPauseMax = 300

/** A press this long lifts what it holds. A shorter one can be a tap. */
export const holdTime = 400

/** A contact that is wider than any fingertip is a palm or a cheek. */
export const palmWidthMin = 80

/** Two fingers begin to pinch once one has moved further than this. */
export const pinchSlop = 4

/** Every pinch turns by a few degrees. Only a larger turn is meant. */
export const turnSlop = 6

/** Fingertips that are closer count as this far apart, so that the scale doesn't explode. */
export const fingersApartMin = 24

/** If a second finger follows this soon and this near, both belong together: the drag that had begun wasn't meant. */
export const secondFingerTime = 250
export const secondFingerDistance = 48

/** A velocity is measured over the last part of the way. After resting this long it is zero. */
export const velocitySpan = 100
export const velocityRestMax = 50

/**
 * Which gestures each kind of target takes. Where a third tap means nothing, a double tap acts at once. Elsewhere it waits
 * until no third tap can follow.
 */
export const needs = {
  shape: { taps: 3, hold: true, pinch: true },
  empty: { taps: 2, hold: false, pinch: true },
  handle: { taps: 1, hold: false, pinch: false },
  sheet: { taps: 1, hold: false, pinch: true },
  view: { taps: 0, hold: false, pinch: true },
}
