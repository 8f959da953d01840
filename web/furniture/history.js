import { counted } from '../basics/words.js'
import { element, elementById, icon, iconButton } from '../elements/element.js'
import { ask } from '../network/address.js'
import { restoration, writeAll } from './restoration.js'

/** How finely the span is divided. */
const steps = 1_000

/** @typedef {import('./restoration.js').KeptShape} KeptShape */

/**
 * The room as it was: a slider over its past. The past is shown by a replica of its own, which nobody can edit. Restoring
 * writes it into the live one, as one step that can be undone.
 */
export class History {
  #room
  #core
  #documents
  #editing
  #notices
  #permission
  #shown
  #bar
  #slider
  #words = element('output', { class: 'grow clip', 'aria-live': 'polite' })
  #restore
  #from = 0
  #to = 0
  /**
   * The moment to be asked for next.
   *
   * @type {number | null}
   */
  #wanted = null
  #isAsking = false
  /**
   * What is shown of the past.
   *
   * @type {KeptShape[] | null}
   */
  #then = null
  #aborts = new AbortController()

  /**
   * @param {{room: string, core: import('../core/core.js').Core, documents: import('../state/documents.js').Documents,
   *   editing: import('../state/editing.js').Editing, notices: import('../state/notices.js').Notices,
   *   permission: import('../state/permission.js').Permission, shown: import('../state/shown.js').Shown}} parts
   */
  constructor({ room, core, documents, editing, notices, permission, shown }) {
    this.#room = room
    this.#core = core
    this.#documents = documents
    this.#editing = editing
    this.#notices = notices
    this.#permission = permission
    this.#shown = shown
    this.#slider = element('input', {
      class: 'slider', type: 'range', min: 0, max: steps, step: 1, 'aria-label': 'Moment',
      oninput: () => this.#moved(),
      onkeydown: (event) => {
        if (event.key !== 'Escape') event.stopPropagation()
      },
    })
    this.#restore = element('button', {
      type: 'button', class: 'button small primary', onclick: () => this.#writeAnew(),
    }, 'Restore')
    this.#bar = element('section', { class: 'history floating', 'aria-label': 'History', hidden: true },
      element('div', { class: 'row' }, icon('history'), this.#words, this.#restore,
        iconButton('close', 'Back to the present', { class: 'plain small', onclick: () => this.close() })),
      this.#slider)
    this.#bar.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close()
    })
    this.element = this.#bar
    permission.on('change', () => this.#enable())
  }

  get isOpen() { return !this.#bar.hidden }

  async open() {
    if (this.isOpen) return
    this.#aborts = new AbortController()
    if (!await this.#documents.load()) return
    try {
      const answer = await ask(`/v1/rooms/${this.#room}/history`)
      if (answer.status === 404) {
        this.#notices.say('This room has no history yet.', { group: 'history' })
        return
      }
      if (!answer.ok) throw new Error(String(answer.status))
      const { from, to } = await answer.json()
      this.#from = from - 1
      this.#to = Math.max(to, from + 1)
    } catch {
      this.#notices.say('We can’t reach the server, and history needs it. Try again later.', {
        kind: 'refused', group: 'history',
      })
      return
    }
    this.#bar.hidden = false
    document.body.classList.add('has-history')
    this.#slider.value = String(steps)
    this.#tell(this.#to)
    this.#enable()
    this.#slider.focus()
  }

  close() {
    if (!this.isOpen) return
    this.#aborts.abort()
    this.#bar.hidden = true
    document.body.classList.remove('has-history')
    this.#wanted = null
    this.#then = null
    this.#shown.showPast(null)
    elementById('stage').focus()
  }

  #enable() {
    this.#restore.hidden = this.#permission.isViewOnly
    this.#restore.disabled = this.#then === null
  }

  #moved() {
    const part = Number(this.#slider.value) / steps
    const at = Math.round(this.#from + (this.#to - this.#from) * part)
    this.#tell(at)
    this.#slider.style.setProperty('--part', String(part))
    this.#wanted = at
    this.#ask()
  }

  /** @param {number} at milliseconds */
  #tell(at) {
    const words = momentWords(new Date(at))
    this.#words.textContent = words
    this.#slider.setAttribute('aria-valuetext', words)
    this.#slider.style.setProperty('--part', String(Number(this.#slider.value) / steps))
  }

  /** Asks one question at a time. The moment that was wanted last comes next. */
  async #ask() {
    if (this.#isAsking) return
    this.#isAsking = true
    const { signal } = this.#aborts
    try {
      while (this.#wanted !== null && this.isOpen) {
        const at = this.#wanted
        this.#wanted = null
        const answer = await ask(`/v1/rooms/${this.#room}?at=${at}`, { signal })
        if (answer.status === 404) {
          // The server no longer keeps the beginning, so the span begins later.
          this.#from = Math.min(at + Math.ceil((this.#to - at) / 16), this.#to - 1)
          this.#wanted = Math.max(this.#wanted ?? 0, this.#from)
          this.#tell(this.#wanted)
          continue
        }
        if (!answer.ok) throw new Error(String(answer.status))
        this.#show(await answer.text())
      }
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) {
        this.#notices.say('We can’t load that moment right now.', { kind: 'refused', group: 'history' })
      }
    } finally {
      this.#isAsking = false
    }
  }

  /** @param {string} text */
  #show(text) {
    if (!this.isOpen) return
    const past = this.#core.createReplica({ readonly: false })
    const { shapes } = JSON.parse(text)
    if (shapes.length > 0) past.importDocument(text, { keepsIdentifiers: true })
    this.#then = shapes
    this.#shown.showPast(past)
    this.#enable()
  }

  /** Writes what differs now as it was then. */
  #writeAnew() {
    const then = this.#then
    if (!then) return
    /** @type {{shapes: KeptShape[]}} */
    const { shapes } = JSON.parse(this.#shown.live.exportDrawing())
    const { edits, gone } = restoration(then, shapes)
    const when = this.#words.textContent
    this.close()
    if (edits.length + gone.length === 0) {
      this.#notices.say('The drawing looks like that already.', { group: 'history' })
      return
    }
    if (!writeAll(this.#editing, edits, gone)) return
    this.#editing.sayUndoable(`Restored as of ${when}: ${counted(edits.length + gone.length, 'shape')}.`, 'history')
  }
}

/**
 * Today's date is left out, because only the time differs from step to step.
 *
 * @param {Date} moment
 */
function momentWords(moment) {
  const time = moment.toLocaleTimeString(undefined, { timeStyle: 'medium' })
  if (moment.toDateString() === new Date().toDateString()) return `Today, ${time}`
  return `${moment.toLocaleDateString(undefined, { dateStyle: 'medium' })}, ${time}`
}
