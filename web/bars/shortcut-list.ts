import { openDialog } from '../elements/dialog.js'
import { element, hasFingers } from '../elements/element.js'
import type { Doables } from '../tools/actions.js'

/**
 * Gestures that are not in the table of actions. `play` marks those that work only, or differently, while Play is on.
 */
const gestures: [mouse: string, finger: string, what: string, kind?: 'play'][] = [
  ['Drag on the canvas', 'Drag on the canvas', 'draw a rectangle'],
  ['Double-click the canvas', 'Double-tap the canvas', 'draw a circle', 'play'],
  ['Drag a shape', 'Drag a shape', 'move it'],
  ['Let go of a shape while moving', 'Let go of a shape while moving', 'it glides on', 'play'],
  ['Press and hold a shape', 'Press and hold a shape', 'lift it'],
  ['Double-click a shape', '', 'write in it'],
  ['Ctrl+B while writing', '', 'make words bold'],
  ['“- ” or “1. ” before a line', '“- ” or “1. ” before a line', 'make a list'],
  ['Ctrl-click an address', '', 'open it'],
  ['With Select, type on one note or shape with text', '', 'continue its text; Esc gives the keys their meaning back'],
  ['', 'Double-tap a shape', 'change its colour', 'play'],
  ['Triple-click a shape without text', 'Triple-tap a shape without text', 'delete it', 'play'],
  ['', 'Two fingers on a shape', 'turn and resize it'],
  ['Wheel or trackpad', 'Two fingers on the canvas', 'move and zoom'],
  ['Shift and drag', '', 'select several shapes'],
  ['Drag between selected shapes', '', 'move them'],
  ['Drop a shape on the white circle', 'Drop a shape on the white circle', 'delete it', 'play'],
  ['', 'Shake your phone', 'clear everything', 'play'],
]

/** Opens the list of all actions and gestures, with their keys. */
export function openShortcutList(actions: Doables) {
  const groups = new Map<string, { words: string, key: string }[]>()
  for (const { group, key, words, isShown } of Object.values(actions)) {
    if (key && group && (isShown?.() ?? true)) groups.set(group, [...(groups.get(group) ?? []), { words, key }])
  }
  const isPlay = actions.play.isChecked?.()
  const byHand = gestures.filter(([,,, kind]) => isPlay || kind !== 'play')
    .map(([mouse, finger, what]) => ({ how: hasFingers() ? finger : mouse, what })).filter(({ how }) => how !== '')
  const keys = element('div', { class: 'keys' },
    [...groups].map(([group, list]) => element('section', {}, element('h3', {}, group),
      element('dl', {}, list.flatMap(({ words, key }) => [
        element('dt', {}, words), element('dd', {}, ...keysOf(key)),
      ])))),
    element('section', { class: 'by-hand' }, element('h3', {}, 'Gestures'),
      element('dl', { class: 'gestures' }, byHand.flatMap(({ how, what }) => [
        element('dt', {}, how), element('dd', { class: 'quiet' }, what)]))))
  openDialog('Shortcuts', keys).classList.add('wide')
}

const keysOf = (key: string) => {
  if (key === '+' || !key.includes('+')) return [element('kbd', {}, key)]
  return key.split(/\+(?!$)/).map((part) => element('kbd', {}, part))
}
