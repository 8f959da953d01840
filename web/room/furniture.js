// What of the canvas is hidden under the furniture, for whoever wants to show something beside it.

const gap = 12
const narrow = '(max-width: 640px)'

/** How much of the right side the panel covers, in CSS pixels; a sheet from below covers none of it. */
export function coveredRight() {
  const panel = document.querySelector('.panel:not([hidden])')
  return panel && !matchMedia(narrow).matches ? panel.offsetWidth + 2 * gap : 0
}

/**
 * All of a box, in the middle of what is not covered.
 *
 * @param {import('../drawing/view.js').View} view @param {import('../drawing/view.js').Box} box
 * @param {number} padding @param {{now?: number, nearest?: number}} [how] as for `View.fit`
 */
export function fitBeside(view, box, padding, how = {}) {
  const covered = Math.min(coveredRight(), view.width / 2)
  const across = Math.max(view.width - covered - 2 * padding, 1) / Math.max(box.width, 1)
  const down = Math.max(view.height - 2 * padding, 1) / Math.max(box.height, 1)
  // A box that reaches under the panel too: its middle is where the view's is.
  const scale = Math.min(across, down, how.nearest ?? 1)
  view.fit({ ...box, width: box.width + covered / scale }, padding, how)
}
