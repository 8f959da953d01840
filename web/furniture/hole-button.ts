import { element, icon, setAttributes } from '../elements/element.js'
import type { Play } from '../state/play.js'
import type { Doable } from '../tools/actions.js'

/** The white circle is a place to drop shapes, and a button that drops all of them. It exists only while Play is on. */
export function showHole(circle: HTMLElement, play: Play, { words, key, run }: Doable) {
  setAttributes(circle, { 'aria-label': words, title: `${words} (${key})`, 'data-action': 'blackHole', onclick: run })
  circle.append(icon('hole'), element('span', { class: 'hole-words small-text', 'aria-hidden': 'true' }, 'Drop here to remove'))
  const show = () => { circle.hidden = !play.isOn }
  play.on('change', show)
  show()
}
