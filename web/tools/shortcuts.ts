import { run } from './actions.js'
import { type Action, type ActionReach, actions } from './catalogue.js'

const table = new Map<string, Action>()
for (const action of actions) if (!action.isByBrowser) for (const key of action.keys) table.set(key, action)

/**
 * The names that a pressed key can have in the table of actions. A key with a letter or digit has that name, whatever
 * character the modifiers make of it. Any other key is named by the character that it types, or by the browser's name
 * for the key.
 *
 * @returns the likeliest name first
 */
export function keyNames({ key, code, shiftKey, altKey, ctrlKey, metaKey }: {
  key: string, code: string, shiftKey: boolean, altKey: boolean, ctrlKey: boolean, metaKey: boolean,
}): string[] {
  const modifiers = (ctrlKey || metaKey ? 'mod+' : '') + (altKey ? 'alt+' : '')
  const shifted = modifiers + (shiftKey ? 'shift+' : '')
  const own = key.toLowerCase()
  if (own === 'escape') return [own]
  const names = []
  // A keyboard layout with Latin letters says which letter the key has. Otherwise, or if Alt changes the character, the
  // key's position decides. The position also decides for digits, because Shift turns digits into other characters.
  if (/^[a-z]$/.test(own)) names.push(shifted + own)
  else if (/^Key[A-Z]$/.test(code) && (altKey || !/^[ -~]$/.test(key))) names.push(shifted + code[3].toLowerCase())
  else if (/^Digit[0-9]$/.test(code) && (shiftKey || altKey)) names.push(shifted + code[5])
  // Other characters are named without Shift, because some layouts need Shift for a character and others don't.
  else if (own.length === 1) names.push(modifiers + own)
  // Alt can change the character, so the key is also named by its position.
  if (altKey && placedSigns[code]) names.push(modifiers + placedSigns[code])
  if (own.length > 1) names.push(shifted + own)
  return names
}

const placedSigns: Record<string, string> = { Equal: '=', Minus: '-' }

/**
 * A selector for elements that take typed text. The invisible field that waits for typing is not among them until the
 * person types.
 */
const written = ['checkbox', 'radio', 'range', 'color', 'button'].map((type) => `:not([type=${type}])`).join('')
const texts = `input${written}, textarea:not(.waiting-field), [contenteditable]`
/** Elements that handle keys themselves. */
const closed = 'dialog, [role=dialog], [role=menu], [role=listbox], [role=tree], [role=slider], input, select'

/** Keys of input methods, and keys that type a character only together with the next key. */
const composed = ['Process', 'Dead', 'Unidentified']

/** Elements that Enter or the space bar activates. */
const pressed = 'button, a, summary, [tabindex], ' + closed

/** On Windows, AltGr is reported as Control and Alt together. */
const isPlain = (event: KeyboardEvent) =>
  (!event.ctrlKey && !event.metaKey && !event.altKey) || event.getModifierState('AltGraph')

/** Whether a key types a character, which the space bar doesn't. */
const isCharacter = (event: KeyboardEvent) => isPlain(event) && [...event.key].length === 1 && event.key !== ' '

/** Keys that end the typing in a field. */
const ending = ['Enter', 'Escape', 'Tab']

/**
 * If a field vanishes while somebody types in it, for example because its shape is deleted, the rest of the word isn't
 * for the page. The word ends at a pause of this length.
 */
const wordPause = 1_000

/** A field in which nothing was typed has nothing to undo, so the keys for undo apply to the drawing. */
const isUndoOfPage = (event: KeyboardEvent, target: Element) =>
  target instanceof HTMLInputElement && target.value === target.defaultValue && !target.closest('dialog')
  && keyNames(event).some((name) => ['undo', 'redo'].includes(table.get(name)?.id ?? ''))

/** Runs the table's actions when their keys are pressed. While the space bar is held, drags move the canvas. */
export class Shortcuts {
  #reach
  /** When a key was last pressed that belongs to a word in a field. */
  #typedAt = -Infinity

  constructor(reach: ActionReach) {
    this.#reach = reach
    const { tools } = reach
    document.addEventListener('keydown', (event) => this.#noteTyping(event), { capture: true })
    document.addEventListener('pointerdown', () => { this.#typedAt = -Infinity }, { capture: true })
    document.addEventListener('keydown', (event) => this.#pressed(event))
    // Handled in the capture phase, because an element that has got the focus meanwhile can handle the key itself.
    document.addEventListener('keyup', (event) => { if (event.key === ' ') tools.holdSpace(false) }, { capture: true })
    addEventListener('blur', () => tools.holdSpace(false))
  }

  /**
   * Whether a key press types into the selected shape instead of running an action. It does so only if a single text or
   * note is selected, the current tool doesn't draw, and the key isn't the space bar. A pending double tap takes effect
   * first, because it can open a text.
   */
  #writes(event: KeyboardEvent, target: Element) {
    if (target.closest(closed)) return false
    if (composed.includes(event.key)) return target.matches('.waiting-field')
    if (!isCharacter(event)) return false
    const { tools, writing } = this.#reach
    tools.endTaps()
    if (writing.isOpen) return true
    if (!writing.wait()) return false
    if (tools.isBusy) event.preventDefault()
    return true
  }

  #noteTyping(event: KeyboardEvent) {
    const isOfWord = event.timeStamp - this.#typedAt < wordPause || (event.target instanceof Element && event.target.closest(texts))
    this.#typedAt = isOfWord && isPlain(event) && !ending.includes(event.key) ? event.timeStamp : -Infinity
  }

  #pressed(event: KeyboardEvent) {
    const { tools, writing } = this.#reach
    const target = event.target instanceof Element ? event.target : document.body
    if (event.defaultPrevented || event.isComposing) return
    if (target.closest(texts) && !isUndoOfPage(event, target)) return
    if (this.#typedAt === event.timeStamp) return event.preventDefault()
    if (event.key === ' ' || event.key === 'Enter') {
      if (target.closest(pressed)) return
      event.preventDefault()
      if (event.key === ' ') tools.holdSpace(true)
    }
    if (this.#writes(event, target)) return
    const action = keyNames(event).flatMap((name) => table.get(name) ?? [])[0]
    if (!action || (event.repeat && !action.repeats)) return
    if (writing.hasEnded && isCharacter(event) && action.edits && action.group !== 'Tools') return
    if (isPlain(event) && target.closest(closed)) return
    // During a gesture only Escape works, because only one step of undo can be open.
    if (tools.isBusy && action.id !== 'escape') return
    if (run(action, this.#reach, event) || !isPlain(event)) event.preventDefault()
  }
}
