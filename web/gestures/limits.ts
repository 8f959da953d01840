// The limits that distinguish gestures from each other. Distances are in CSS pixels, times in milliseconds, angles in
// degrees.

/**
 * How far a pointer may move before a press becomes a drag. A finger may move further, because it rolls when it
 * touches.
 */
export const slop = { mouse: 3, pen: 5, touch: 10 }

/** The upper bound on the distance between the two taps of a double tap. */
export const tapDistanceMax = { mouse: 6, pen: 16, touch: 32 }

/**
 * The upper bound on the time from the end of a tap to the start of the next one, for both to count as a double tap.
 */
export const tapPauseMax = 300

/** A press that is longer than this is a hold, which lifts the shape under it. */
export const holdTime = 400

/** A contact that is at least this wide is not a fingertip. It is probably a palm or a cheek. */
export const palmWidthMin = 80

/** Two fingers begin to pinch once one of them has moved further than this. */
export const pinchSlop = 4

/** A rotation by two fingers has no effect below this angle, because every pinch rotates by a few degrees. */
export const turnSlop = 6

/**
 * Fingertips that are closer than this count as this far apart. Otherwise a tiny movement would change the scale a lot.
 */
export const fingersApartMin = 24

/**
 * A second finger makes a pinch if it touches within this time after the first finger, and within
 * `secondFingerDistance` of it. The drag that had begun is then reverted.
 */
export const secondFingerTime = 250
export const secondFingerDistance = 48

/**
 * A velocity is the average over this last part of the movement. After a pointer has rested for this long, its velocity
 * is zero.
 */
export const velocitySpan = 100
export const velocityRestMax = 50

/**
 * Which gestures each kind of target accepts. If a target has no triple tap, a double tap acts at once. Otherwise a
 * double tap waits until no third tap can follow.
 */
export const needs = {
  shape: { taps: 3, hold: true, pinch: true },
  empty: { taps: 2, hold: false, pinch: true },
  handle: { taps: 1, hold: false, pinch: false },
  sheet: { taps: 1, hold: false, pinch: true },
  view: { taps: 0, hold: false, pinch: true },
}
