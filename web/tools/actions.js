import { actions } from './catalogue.js'

// Runs the actions of the table, for the menu, the toolbar, the list of shortcuts and the keys.

/** @typedef {import('./catalogue.js').Action} Action */
/** @typedef {import('./catalogue.js').ActionReach} ActionReach */

/**
 * @param {Action} action @param {ActionReach} reach
 */
function isAllowed(action, reach) {
  return !(action.edits && !reach.permission.mayEdit) && !(action.needs && reach.selection.size < action.needs)
    && !(action.isPlay && !reach.play.isOn)
}

/**
 * @param {Action} action @param {ActionReach} reach
 */
function isEnabled(action, reach) {
  return isAllowed(action, reach) && (action.isEnabled?.(reach) ?? true)
}

/**
 * Runs the action if it is enabled now; otherwise tells the person why it isn't.
 *
 * @param {Action} action @param {ActionReach} reach
 * @param {KeyboardEvent} [event] the key press, if a key started the action
 */
export function run(action, reach, event) {
  if (action.isToldWhenDisabled ? !isAllowed(action, reach) : !isEnabled(action, reach)) return false
  if (action.edits && action.needs && !action.takesLocked && reach.locks.refuse(reach.selection.ids())) return true
  // Consecutive presses of the arrow keys are one step of undo. Any other edit ends that step.
  if (action.repeats && action.needs) reach.momentum.settleGlide()
  else if (action.edits) reach.momentum.settle()
  action.run(reach, event)
  return true
}

/**
 * An action in the form that menus and toolbars take.
 *
 * @typedef {object} Doable
 * @property {string} words
 * @property {string} [group] its heading in the list of shortcuts; without one the action isn't listed
 * @property {string} [key] as it is shown
 * @property {() => unknown} run
 * @property {() => boolean} [isEnabled]
 * @property {() => boolean} [isChecked] for what is on or off
 * @property {() => boolean} [isShown] unless it always is
 */

/** @typedef {Record<string, Doable>} Doables */

/**
 * The actions, by name.
 *
 * @param {ActionReach} reach @returns {Doables}
 */
export function actionsOf(reach) {
  return Object.fromEntries(actions.map((action) => [action.id, {
    group: action.group,
    words: action.words,
    key: action.keys.length > 0 ? keyWords(action.keys[0]) : '',
    run: () => run(action, reach),
    isEnabled: () => isEnabled(action, reach),
    ...action.isChecked && { isChecked: () => action.isChecked?.(reach) ?? false },
    ...action.isPlay && { isShown: () => reach.play.isOn },
  }]))
}

const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')

/** @type {Record<string, string>} */
const named = {
  mod: isMac ? '⌘' : 'Ctrl', shift: isMac ? '⇧' : 'Shift', alt: isMac ? '⌥' : 'Alt', arrowleft: '←', arrowright: '→',
  arrowup: '↑', arrowdown: '↓', delete: 'Del', backspace: '⌫', escape: 'Esc', enter: 'Enter', '-': '−',
}

/**
 * A key's name in the form that people read: `Ctrl+Shift+Z` for `mod+shift+z`, or `⇧⌘Z` on a Mac.
 *
 * @param {string} key
 */
export function keyWords(key) {
  if (key === '+') return key
  const parts = key.split('+').map((part) => named[part] ?? part.toUpperCase())
  return parts.join(isMac ? '' : '+')
}
