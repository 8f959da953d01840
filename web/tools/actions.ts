import { type Action, type ActionReach, actions } from './catalogue.js'

// Runs the actions of the table, for the menu, the toolbar, the list of shortcuts and the keys.

function isAllowed(action: Action, reach: ActionReach) {
  return !(action.edits && !reach.permission.mayEdit) && !(action.needs && reach.selection.size < action.needs)
    && !(action.isPlay && !reach.play.isOn)
}

function isEnabled(action: Action, reach: ActionReach) {
  return isAllowed(action, reach) && (action.isEnabled?.(reach) ?? true)
}

/**
 * Runs the action if it is enabled now; otherwise tells the person why it isn't.
 *
 * @param event the key press, if a key started the action
 */
export function run(action: Action, reach: ActionReach, event?: KeyboardEvent) {
  if (action.isToldWhenDisabled ? !isAllowed(action, reach) : !isEnabled(action, reach)) return false
  if (action.edits && action.needs && !action.takesLocked && reach.locks.refuse(reach.selection.ids())) return true
  // Consecutive presses of the arrow keys are one step of undo, so a press ends only a glide. Any other edit ends that
  // step too.
  if (action.repeats && action.needs) reach.momentum.settleGlide()
  else if (action.edits) reach.momentum.settle()
  reach.editing.guard(() => action.run(reach, event))
  return true
}

/** An action in the form that menus and toolbars use. */
export interface Doable {
  words: string
  /** The heading in the list of shortcuts. Without one, the action isn't listed. */
  group?: string
  /** The key as people read it. */
  key?: string
  run: () => unknown
  isEnabled?: () => boolean
  /** Only for actions that turn something on or off. */
  isChecked?: () => boolean
  /** Whether the action is shown. Without this function, it is always shown. */
  isShown?: () => boolean
}

export type Doables = Record<string, Doable>

/** The actions, by name. */
export function actionsOf(reach: ActionReach): Doables {
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

const named: Record<string, string> = {
  mod: isMac ? '⌘' : 'Ctrl', shift: isMac ? '⇧' : 'Shift', alt: isMac ? '⌥' : 'Alt', arrowleft: '←', arrowright: '→',
  arrowup: '↑', arrowdown: '↓', delete: 'Del', backspace: '⌫', escape: 'Esc', enter: 'Enter', '-': '−',
}

/** A key as people read it: `Ctrl+Shift+Z` for `mod+shift+z`, or `⇧⌘Z` on a Mac. */
export function keyWords(key: string) {
  if (key === '+') return key
  const parts = key.split('+').map((part) => named[part] ?? part.toUpperCase())
  return parts.join(isMac ? '' : '+')
}
