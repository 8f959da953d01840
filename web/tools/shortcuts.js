import { isStroke } from '../drawing/lines.js'
import { run } from './actions.js'
import { actions } from './catalogue.js'

/** @type {Map<string, import('./catalogue.js').Action>} */
const table = new Map()
for (const action of actions) if (!action.isByBrowser) for (const key of action.keys) table.set(key, action)

/**
 * How the table names a key. A key with a letter or digit goes by that, whatever the modifiers make of it. Any other key
 * goes by the character or name that it gives.
 *
 * @param {{key: string, code: string, shiftKey: boolean, altKey: boolean, ctrlKey: boolean, metaKey: boolean}} event
 * @returns {string[]} the likeliest first
 */
export function keyNames({ key, code, shiftKey, altKey, ctrlKey, metaKey }) {
  const modifiers = (ctrlKey || metaKey ? 'mod+' : '') + (altKey ? 'alt+' : '')
  const shifted = modifiers + (shiftKey ? 'shift+' : '')
  const own = key.toLowerCase()
  if (own === 'escape') return [own]
  const names = []
  // A letter comes from the layout. If the layout has no Latin letters, or Alt makes another character of the letter, the
  // key's place decides. For a digit the place decides too, because Shift makes a sign of it.
  if (/^[a-z]$/.test(own)) names.push(shifted + own)
  else if (/^Key[A-Z]$/.test(code) && (altKey || !/^[ -~]$/.test(key))) names.push(shifted + code[3].toLowerCase())
  else if (/^Digit[0-9]$/.test(code) && shiftKey) names.push(shifted + code[5])
  // Signs come with whatever modifier makes them.
  else if (own.length === 1) names.push(modifiers + own)
  if (own.length > 1) names.push(shifted + own)
  return names
}

/** Inputs in which typing writes text. */
const written = ['checkbox', 'radio', 'range', 'color', 'button'].map((type) => `:not([type=${type}])`).join('')
const texts = `input${written}, textarea, select, [contenteditable]`
/** Elements in which keys have a meaning of their own. */
const closed = 'dialog, [role=dialog], [role=menu], [role=listbox], [role=tree], [role=slider], input, select'

/** What Enter and the space bar activate. */
const pressed = 'button, a, summary, [tabindex], ' + closed

/** Keys do what the table says, and the space bar holds the paper. */
export class Shortcuts {
  #reach

  /** @param {import('./actions.js').ActionReach} reach */
  constructor(reach) {
    this.#reach = reach
    const { tools } = reach
    document.addEventListener('keydown', (event) => this.#pressed(event))
    document.addEventListener('keyup', (event) => { if (event.key === ' ') tools.holdSpace(false) })
    addEventListener('blur', () => tools.holdSpace(false))
  }

  /**
   * Whoever types with one shape selected writes in it: letters always, other characters if they mean nothing else.
   *
   * @param {KeyboardEvent} event @param {Element} target @param {import('./catalogue.js').Action | undefined} action
   */
  #writes(event, target, action) {
    const { permission, selection, shown, tool, tools, writing } = this.#reach
    if ([...event.key].length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return false
    if (selection.size !== 1 || tools.isBusy || !permission.mayEdit || target.closest(closed)) return false
    const id = selection.ids()[0]
    const shape = shown.replica.shape(id)
    const isWritable = shape && !isStroke(shape.kind) && !shape.locked
    if (action && !(isWritable && tool.name === 'select' && /\p{L}/u.test(event.key))) return false
    writing.open(id, { typed: event.key })
    event.preventDefault()
    return true
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const { tools } = this.#reach
    const target = event.target instanceof Element ? event.target : document.body
    if (event.defaultPrevented || event.isComposing || target.closest(texts)) return
    if (event.key === ' ' || event.key === 'Enter') {
      if (target.closest(pressed)) return
      event.preventDefault()
      if (event.key === ' ') tools.holdSpace(true)
    }
    const action = keyNames(event).flatMap((name) => table.get(name) ?? [])[0]
    if (this.#writes(event, target, action)) return
    if (!action || (event.repeat && !action.repeats)) return
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (isPlain && target.closest(closed)) return
    // During a gesture only Escape counts, because only one step to undo can be open.
    if (tools.isBusy && action.id !== 'escape') return
    if (run(action, this.#reach, event) || !isPlain) event.preventDefault()
  }
}
