// Finds which part of the stage the bars and the panel cover, so that a box can be shown outside of that part.

import type { Box } from '../core/types.js'
import type { View } from './view.js'

const gap = 12
const narrow = '(max-width: 640px)'
/** In CSS pixels: the height of the bars at the top, and of the tools at the bottom, with some margin. */
const barsHeight = 84

const openPanel = () => document.querySelector('.panel:not([hidden])') as HTMLElement | null

/** In CSS pixels: the width of the panel at the right. On a phone the panel is at the bottom, so this is 0. */
function coveredRight() {
  const panel = openPanel()
  return panel && !matchMedia(narrow).matches ? panel.offsetWidth + 2 * gap : 0
}

/**
 * In CSS pixels: how much of the bottom is covered. That is the height of the tools. On a phone, an open panel covers
 * the tools, so its height counts too.
 */
const coveredBottom = () => Math.max(barsHeight, matchMedia(narrow).matches ? (openPanel()?.offsetHeight ?? 0) + gap : 0)

/**
 * Moves the view so that a box is in the middle of the part that nothing covers.
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

/** The visible part of the canvas that nothing covers. */
export function openArea(view: View) {
  const { x, y, width, height } = view.visibleBox()
  const margin = { side: 24, top: 72, bottom: 104 }
  const right = Math.min((margin.side + coveredRight()) / view.scale, width / 2)
  const left = Math.min(margin.side / view.scale, width / 8)
  const top = Math.min(margin.top / view.scale, height / 8)
  const bottom = Math.min(margin.bottom / view.scale, height / 8)
  return { x: x + left, y: y + top, width: width - left - right, height: height - top - bottom }
}
