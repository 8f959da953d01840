// What of the canvas is hidden under the furniture, for whoever wants to show something beside it.

const gap = 12
const narrow = '(max-width: 640px)'
/** The bars above and the tools below, and a little more. */
const barsHeight = 84

const openPanel = () => document.querySelector('.panel:not([hidden])')

/** How much of the right side the panel covers, in CSS pixels; a sheet from below covers none of it. */
export function coveredRight() {
  const panel = openPanel()
  return panel && !matchMedia(narrow).matches ? panel.offsetWidth + 2 * gap : 0
}

/** The same for the lower side, which the tools cover, or the sheet that lies over them. */
const coveredBottom = () => Math.max(barsHeight, matchMedia(narrow).matches ? (openPanel()?.offsetHeight ?? 0) + gap : 0)

/**
 * All of a box, in the middle of what is not covered.
 *
 * @param {import('./view.js').View} view @param {import('./view.js').Box} box
 * @param {number} padding @param {{now?: number, nearest?: number}} [how] as for `View.fit`
 */
export function fitBeside(view, box, padding, how = {}) {
  const side = Math.min(padding, view.width / 10)
  view.fit(box, {
    left: side, right: Math.min(side + coveredRight(), view.width / 2),
    top: Math.max(padding, barsHeight), bottom: Math.max(padding, coveredBottom()),
  }, how)
}
