import { element, icon, setAttributes } from '../elements/element.js'
import type { Play } from '../state/play.js'
import type { Doable } from '../tools/actions.js'

/**
 * Sets up the white circle of the black hole, which is also a button. A shape that is dropped on it is deleted. The
 * button deletes all shapes. The circle is shown only while Play is on.
 */
export function showHole(circle: HTMLElement, play: Play, { words, key, run }: Doable) {
  setAttributes(circle, { 'aria-label': words, title: `${words} (${key})`, 'data-action': 'blackHole', onclick: run })
  circle.append(icon('hole'), element('span', { class: 'hole-words small-text', 'aria-hidden': 'true' }, 'Drop here to remove'))
  const show = () => { circle.hidden = !play.isOn }
  play.on('change', show)
  show()
}
