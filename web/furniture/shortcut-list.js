import { openDialog } from '../elements/dialog.js'
import { element } from '../elements/element.js'

/** What hands can do without a name in the table of actions. */
const gestures = [
  ['Drag on the paper', 'draw a rectangle'],
  ['Double tap the paper', 'a circle'],
  ['Drag a shape', 'move it; let go while moving and it glides'],
  ['Press and hold', 'lift it'],
  ['Double tap a shape', 'another colour'],
  ['Triple tap a shape', 'remove it'],
  ['Two fingers on a shape', 'turn and resize it'],
  ['Two fingers on the paper, or the wheel', 'move and zoom'],
  ['Shift and drag', 'select several'],
  ['Drop a shape on the white circle', 'it is gone'],
  ['Shake the phone', 'clear everything'],
]

/**
 * All that one can do, and by which key.
 *
 * @param {Record<string, {group: string, words: string, key: string}>} actions
 */
export function openShortcutList(actions) {
  const groups = new Map()
  for (const action of Object.values(actions)) {
    if (!action.key || !action.group) continue
    groups.set(action.group, [...(groups.get(action.group) ?? []), action])
  }
  const keys = element('div', { class: 'keys' },
    [...groups].map(([group, list]) => element('section', {}, element('h3', {}, group),
      element('dl', {}, list.flatMap(({ words, key }) => [element('dt', {}, words), element('dd', {}, keysOf(key))])))),
    element('section', { class: 'by-hand' }, element('h3', {}, 'By hand'),
      element('dl', { class: 'gestures' }, gestures.flatMap(([how, what]) => [
        element('dt', {}, how), element('dd', { class: 'quiet' }, what)]))))
  openDialog('Shortcuts', keys).classList.add('wide')
}

const keysOf = (key) => {
  if (key === '+' || !key.includes('+')) return element('kbd', {}, key)
  return key.split(/\+(?!$)/).map((part) => element('kbd', {}, part))
}
