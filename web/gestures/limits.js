// The limits that tell one gesture from another. Distances are CSS pixels, times milliseconds, angles degrees.

/** How far a pointer may move before a press becomes a drag. A finger rolls when it settles; a mouse doesn't. */
export const slop = { mouse: 3, pen: 5, touch: 10 }

/** How far apart two taps of a double tap may be. */
export const tapDistanceMax = { mouse: 6, pen: 16, touch: 32 }

/** The most time from the end of a tap to the start of the next one, for both to count together. */
export const tapPauseMax = 300

/** A press of this length lifts the shape under it. A shorter one can be a tap. */
export const holdTime = 400

/** A contact wider than any fingertip is a palm or a cheek. */
export const palmWidthMin = 80

/** Two fingers begin to pinch once one of them has moved further than this. */
export const pinchSlop = 4

/** Every pinch turns by a few degrees. Only a larger turn is intended. */
export const turnSlop = 6

/** Fingertips closer than this count as this far apart, so that the scale doesn't explode. */
export const fingersApartMin = 24

/**
 * If a second finger follows this soon and this close, both belong together, and the drag that had begun wasn't
 * intended.
 */
export const secondFingerTime = 250
export const secondFingerDistance = 48

/** A velocity is measured over the last part of the movement. After resting this long it is zero. */
export const velocitySpan = 100
export const velocityRestMax = 50

/**
 * The gestures for each kind of target. If a third tap has no meaning, a double tap acts at once. Otherwise it waits
 * until no third tap can follow.
 */
export const needs = {
  shape: { taps: 3, hold: true, pinch: true },
  empty: { taps: 2, hold: false, pinch: true },
  handle: { taps: 1, hold: false, pinch: false },
  sheet: { taps: 1, hold: false, pinch: true },
  view: { taps: 0, hold: false, pinch: true },
}
