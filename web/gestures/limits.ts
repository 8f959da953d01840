// The limits that distinguish gestures from each other. Distances are in CSS pixels, times in milliseconds, angles in
// degrees.

/**
 * How far a pointer may move before a press becomes a drag. A finger needs more than a mouse, because it rolls when it
 * settles.
 */
export const slop = { mouse: 3, pen: 5, touch: 10 }

/** The upper bound on the distance between the two taps of a double tap. */
export const tapDistanceMax = { mouse: 6, pen: 16, touch: 32 }

/**
 * The upper bound on the time from the end of a tap to the start of the next one. Two taps that are further apart don't
 * count together.
 */
export const tapPauseMax = 300

/** After this time a press lifts the shape under it. A shorter press can be a tap. */
export const holdTime = 400

/** A contact that is at least this wide is a palm or a cheek, because no fingertip is that wide. */
export const palmWidthMin = 80

/** Two fingers begin to pinch once one of them has moved further than this. */
export const pinchSlop = 4

/** A turn of two fingers counts only beyond this angle. Every pinch turns by a few degrees that nobody intends. */
export const turnSlop = 6

/** If two fingertips are closer than this, they count as this far apart. Otherwise the scale would explode. */
export const fingersApartMin = 24

/**
 * If a second finger comes down this soon after the first and this close to it, the two fingers belong together, and
 * the drag that had begun wasn't intended.
 */
export const secondFingerTime = 250
export const secondFingerDistance = 48

/**
 * A velocity is measured over this last part of the movement. After a pointer has rested this long, its velocity is
 * zero.
 */
export const velocitySpan = 100
export const velocityRestMax = 50

/**
 * Which gestures each kind of target has. If a third tap has no meaning for a target, a double tap acts at once.
 * Otherwise the double tap waits until no third tap can follow.
 */
export const needs = {
  shape: { taps: 3, hold: true, pinch: true },
  empty: { taps: 2, hold: false, pinch: true },
  handle: { taps: 1, hold: false, pinch: false },
  sheet: { taps: 1, hold: false, pinch: true },
  view: { taps: 0, hold: false, pinch: true },
}
