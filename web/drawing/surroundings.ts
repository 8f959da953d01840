// How much of the canvas the bars and the panel cover, for code that shows a box beside them.

import type { Box } from '../core/types.js'
import type { View } from './view.js'

const gap = 12
const narrow = '(max-width: 640px)'
/** The height of the bars at the top, and of the tools at the bottom, with some space. */
const barsHeight = 84

const openPanel = () => document.querySelector('.panel:not([hidden])') as HTMLElement | null

/**
 * How much of the right side the panel covers, in CSS pixels. On a phone the panel comes from below, so it covers
 * nothing there.
 */
function coveredRight() {
  const panel = openPanel()
  return panel && !matchMedia(narrow).matches ? panel.offsetWidth + 2 * gap : 0
}

/** How much of the bottom is covered, in CSS pixels: by the tools, or on a phone by the panel over the tools. */
const coveredBottom = () => Math.max(barsHeight, matchMedia(narrow).matches ? (openPanel()?.offsetHeight ?? 0) + gap : 0)

/**
 * Moves the view so that a whole box is visible, in the middle of the area that is not covered.
 *
 * @param how as for `View.fit`
 */
export function fitBeside(view: View, box: Box, padding: number, how: { now?: number, nearest?: number } = {}) {
  const side = Math.min(padding, view.width / 10)
  view.fit(box, {
    left: side, right: Math.min(side + coveredRight(), view.width / 2),
    top: Math.max(padding, barsHeight), bottom: Math.max(padding, coveredBottom()),
  }, how)
}

/** The part of the view that the tools, the bars and the panel leave free. */
export function openArea(view: View) {
  const { x, y, width, height } = view.visibleBox()
  const margin = { side: 24, top: 72, bottom: 104 }
  const right = Math.min((margin.side + coveredRight()) / view.scale, width / 2)
  const left = Math.min(margin.side / view.scale, width / 8)
  const top = Math.min(margin.top / view.scale, height / 8)
  const bottom = Math.min(margin.bottom / view.scale, height / 8)
  return { x: x + left, y: y + top, width: width - left - right, height: height - top - bottom }
}
