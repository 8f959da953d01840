import { actions } from './catalogue.js'

// What is done with the table of actions: for the menu, the toolbar, the sheet of shortcuts and the keys.

/** @typedef {import('./catalogue.js').Action} Action */

/** @param {Action} action @param {import('../state/app.js').App} app */
export function isEnabled(action, app) {
  if (action.edits && (app.viewOnly || app.isPast)) return false
  if (action.needs && app.selection.size < action.needs) return false
  return action.isEnabled?.(app) ?? true
}

/** Does it, if it can be done now. @param {Action} action @param {KeyboardEvent} [event] whose key it was */
export function run(action, app, event) {
  if (!isEnabled(action, app)) return false
  // Strokes of the arrow keys are one step together; whatever else is done begins another.
  if (action.repeats && action.needs) app.tools.settleGlide()
  else if (action.edits) app.tools.settle()
  action.run(app, event)
  return true
}

/**
 * The table for one app, by name.
 *
 * @param {import('../state/app.js').App} app
 * @returns {Record<string, {id: string, group: string, words: string, key: string, run: () => boolean,
 *   isEnabled: () => boolean}>}
 */
export function actionsOf(app) {
  return Object.fromEntries(actions.map((action) => [action.id, {
    id: action.id,
    group: action.group,
    words: action.words,
    key: action.keys.length > 0 ? keyWords(action.keys[0]) : '',
    run: () => run(action, app),
    isEnabled: () => isEnabled(action, app),
  }]))
}

const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')

const named = {
  mod: isMac ? '⌘' : 'Ctrl', shift: isMac ? '⇧' : 'Shift', alt: isMac ? '⌥' : 'Alt', arrowleft: '←', arrowright: '→',
  arrowup: '↑', arrowdown: '↓', delete: 'Del', backspace: '⌫', escape: 'Esc', enter: 'Enter', '-': '−',
}

/** `mod+shift+z` as one reads it: `Ctrl+Shift+Z`, or `⇧⌘Z` on a Mac. @param {string} key */
export function keyWords(key) {
  if (key === '+') return key
  const parts = key.split('+').map((part) => named[part] ?? part.toUpperCase())
  return parts.join(isMac ? '' : '+')
}
