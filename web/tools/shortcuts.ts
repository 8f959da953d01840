import { run } from './actions.js'
import { type Action, type ActionReach, actions } from './catalogue.js'

const table = new Map<string, Action>()
for (const action of actions) if (!action.isByBrowser) for (const key of action.keys) table.set(key, action)

/**
 * The names that a pressed key may have in the table of actions. A key with a letter or digit is named by that letter
 * or digit, whatever character the modifiers make of it. Any other key is named by the character that it produces, or
 * by its name.
 *
 * @returns the likeliest first
 */
export function keyNames({ key, code, shiftKey, altKey, ctrlKey, metaKey }: {
  key: string, code: string, shiftKey: boolean, altKey: boolean, ctrlKey: boolean, metaKey: boolean,
}): string[] {
  const modifiers = (ctrlKey || metaKey ? 'mod+' : '') + (altKey ? 'alt+' : '')
  const shifted = modifiers + (shiftKey ? 'shift+' : '')
  const own = key.toLowerCase()
  if (own === 'escape') return [own]
  const names = []
  // If the layout has Latin letters, it says which letter the key has. If it has none, or Alt turns the letter into
  // another character, then the key's place decides. For a digit the key's place decides too, because Shift turns the
  // digit into a sign.
  if (/^[a-z]$/.test(own)) names.push(shifted + own)
  else if (/^Key[A-Z]$/.test(code) && (altKey || !/^[ -~]$/.test(key))) names.push(shifted + code[3].toLowerCase())
  else if (/^Digit[0-9]$/.test(code) && (shiftKey || altKey)) names.push(shifted + code[5])
  // A sign is named without Shift, because layouts differ in whether they need Shift for it.
  else if (own.length === 1) names.push(modifiers + own)
  // If Alt changes the key's character, then the key's place decides.
  if (altKey && placedSigns[code]) names.push(modifiers + placedSigns[code])
  if (own.length > 1) names.push(shifted + own)
  return names
}

const placedSigns: Record<string, string> = { Equal: '=', Minus: '-' }

/**
 * Inputs in which typing doesn't write text. The field that waits for typing counts as one of them until the person
 * types.
 */
const written = ['checkbox', 'radio', 'range', 'color', 'button'].map((type) => `:not([type=${type}])`).join('')
const texts = `input${written}, textarea:not(.waiting-field), [contenteditable]`
/** Elements in which keys have a meaning of their own. */
const closed = 'dialog, [role=dialog], [role=menu], [role=listbox], [role=tree], [role=slider], input, select'

/** The names of keys that belong to an input method, or that produce a character only together with the next key. */
const composed = ['Process', 'Dead', 'Unidentified']

/** The elements that Enter and the space bar activate. */
const pressed = 'button, a, summary, [tabindex], ' + closed

/** In a field in which nothing was typed there is nothing to undo, so undo is for the drawing. */
const isUndoOfPage = (event: KeyboardEvent, target: Element) =>
  target instanceof HTMLInputElement && target.value === target.defaultValue && !target.closest('dialog')
  && keyNames(event).some((name) => ['undo', 'redo'].includes(table.get(name)?.id ?? ''))

/** Runs the table's actions when their keys are pressed, and makes drags move the paper while the space bar is held. */
export class Shortcuts {
  #reach

  constructor(reach: ActionReach) {
    this.#reach = reach
    const { tools } = reach
    document.addEventListener('keydown', (event) => this.#pressed(event))
    // Listened to before all elements, because the element that has the focus by then may handle its keys itself.
    document.addEventListener('keyup', (event) => { if (event.key === ' ') tools.holdSpace(false) }, { capture: true })
    addEventListener('blur', () => tools.holdSpace(false))
  }

  /**
   * Whether typing writes in a shape. If a single text or note is selected and the current tool doesn't draw, then
   * every character except a space is typed into it, whatever the character's other meaning. The browser puts the
   * character into the field that waits for typing. If a double tap is about to open a text, this makes the double tap
   * act first.
   */
  #writes(event: KeyboardEvent, target: Element) {
    if (target.closest(closed)) return false
    if (composed.includes(event.key)) return target.matches('.waiting-field')
    // On Windows, the key for third characters (AltGr) is reported as Control and Alt together.
    const isPlain = (!event.ctrlKey && !event.metaKey && !event.altKey) || event.getModifierState('AltGraph')
    const isCharacter = [...event.key].length === 1 && event.key !== ' '
    if (!isPlain || !isCharacter) return false
    const { tools, writing } = this.#reach
    tools.endTaps()
    if (writing.isOpen) return true
    if (!writing.wait()) return false
    if (tools.isBusy) event.preventDefault()
    return true
  }

  #pressed(event: KeyboardEvent) {
    const { tools } = this.#reach
    const target = event.target instanceof Element ? event.target : document.body
    if (event.defaultPrevented || event.isComposing) return
    if (target.closest(texts) && !isUndoOfPage(event, target)) return
    if (event.key === ' ' || event.key === 'Enter') {
      if (target.closest(pressed)) return
      event.preventDefault()
      if (event.key === ' ') tools.holdSpace(true)
    }
    if (this.#writes(event, target)) return
    const action = keyNames(event).flatMap((name) => table.get(name) ?? [])[0]
    if (!action || (event.repeat && !action.repeats)) return
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (isPlain && target.closest(closed)) return
    // During a gesture only Escape has an effect, because only one step of undo can be open.
    if (tools.isBusy && action.id !== 'escape') return
    if (run(action, this.#reach, event) || !isPlain) event.preventDefault()
  }
}
