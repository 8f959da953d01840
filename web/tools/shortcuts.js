import { run } from './actions.js'
import { actions } from './catalogue.js'

const table = new Map()
for (const action of actions) if (!action.isByBrowser) for (const key of action.keys) table.set(key, action)

/**
 * How the table calls a key: with its letter or digit where it bears one, whatever the modifiers make of it, and else with
 * the character or name that it gives.
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
  // A letter is the layout's own; where the layout has no Latin letters, or Alt makes something else of it, the place of
  // the key decides. A digit's place decides too, since Shift makes a sign of it.
  if (/^[a-z]$/.test(own)) names.push(shifted + own)
  else if (/^Key[A-Z]$/.test(code) && (altKey || !/^[ -~]$/.test(key))) names.push(shifted + code[3].toLowerCase())
  else if (/^Digit[0-9]$/.test(code) && shiftKey) names.push(shifted + code[5])
  // Signs come with whatever modifier makes them.
  else if (own.length === 1) names.push(modifiers + own)
  if (own.length > 1) names.push(shifted + own)
  return names
}

/** Where letters are letters. */
const written = ['checkbox', 'radio', 'range', 'color', 'button'].map((type) => `:not([type=${type}])`).join('')
const texts = `input${written}, textarea, select, [contenteditable]`
/** Where keys have a meaning of their own. */
const closed = 'dialog, [role=dialog], [role=menu], [role=listbox], [role=tree], [role=slider], input, select'

/** What Enter and the space bar press. */
const pressed = 'button, a, summary, [tabindex], ' + closed

/** Keys do what the table says, and the space bar holds the paper. */
export class Shortcuts {
  #app

  /** @param {import('../state/app.js').App} app */
  constructor(app) {
    this.#app = app
    document.addEventListener('keydown', (event) => this.#pressed(event))
    document.addEventListener('keyup', (event) => { if (event.key === ' ') app.tools.isSpaceHeld = false })
    addEventListener('blur', () => { app.tools.isSpaceHeld = false })
  }

  #pressed(event) {
    const target = event.target instanceof Element ? event.target : document.body
    if (event.defaultPrevented || event.isComposing || target.closest(texts)) return
    if (event.key === ' ' || event.key === 'Enter') {
      if (target.closest(pressed)) return
      event.preventDefault()
      if (event.key === ' ') this.#app.tools.isSpaceHeld = true
    }
    const action = keyNames(event).map((name) => table.get(name)).find((found) => found !== undefined)
    if (!action || (event.repeat && !action.repeats)) return
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (isPlain && target.closest(closed)) return
    // While a hand is at work only Escape is heard: two steps to undo can't be made at once.
    if (this.#app.tools.isBusy && action.id !== 'escape') return
    if (run(action, this.#app, event) || !isPlain) event.preventDefault()
  }
}
