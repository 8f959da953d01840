import { element, icon, setAttributes } from '../elements/element.js'

/**
 * The white circle is a place to drop shapes, and a button that drops all of them. It exists only while Play is on.
 *
 * @param {HTMLElement} circle @param {import('../state/play.js').Play} play
 * @param {import('../tools/actions.js').Doable} action
 */
export function showHole(circle, play, { words, key, run }) {
  setAttributes(circle, { 'aria-label': words, title: `${words} (${key})`, 'data-action': 'blackHole', onclick: run })
  circle.append(icon('hole'), element('span', { class: 'hole-words small-text', 'aria-hidden': 'true' }, 'Drop here to remove'))
  const show = () => { circle.hidden = !play.isOn }
  play.on('change', show)
  show()
}
