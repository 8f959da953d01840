import { element, iconButton } from '../elements/element.js'

const shownMax = 3
/** Long enough to read, and to reach the button that some have. */
const shownMilliseconds = { quiet: 5000, action: 9000 }

/**
 * What happened, in words: bottom left, read out politely, gone by itself. One that has the same `group` as one that is
 * still shown takes its place.
 */
export class Notices {
  #list = element('div', { class: 'notices', role: 'log', 'aria-live': 'polite', 'aria-label': 'Notices' })
  #shown = []

  /** @param {import('../state/app.js').App} app */
  constructor(app) {
    this.element = this.#list
    app.addEventListener('notice', ({ detail }) => this.show(detail))
  }

  /**
   * @param {{text: string, kind?: string, group?: string, action?: {words: string, run: () => void}}} notice an action
   *   without words is what a click on the notice does
   */
  show({ text, kind = 'quiet', group = text, action }) {
    const same = this.#shown.find((shown) => shown.group === group)
    if (same) this.#remove(same)
    const entry = { group, timer: 0 }
    const words = action && !action.words
      ? element('button', { type: 'button', class: 'notice-words link', onclick: () => action.run() }, text)
      : element('span', { class: 'notice-words' }, text)
    entry.element = element('div', { class: `notice floating is-${kind}` }, element('span', { class: 'notice-dot' }), words,
      action?.words && element('button', {
        type: 'button', class: 'button plain small', onclick: () => { action.run(); this.#remove(entry) },
      }, action.words),
      iconButton('close', 'Dismiss', { class: 'plain small', onclick: () => this.#remove(entry) }))
    const wait = () => {
      entry.timer = setTimeout(() => this.#remove(entry), shownMilliseconds[action ? 'action' : 'quiet'])
    }
    entry.element.addEventListener('pointerenter', () => clearTimeout(entry.timer))
    entry.element.addEventListener('pointerleave', wait)
    wait()
    this.#list.append(entry.element)
    this.#shown.push(entry)
    while (this.#shown.length > shownMax) this.#remove(this.#shown[0])
  }

  #remove(entry) {
    clearTimeout(entry.timer)
    entry.element.remove()
    this.#shown = this.#shown.filter((shown) => shown !== entry)
  }
}
