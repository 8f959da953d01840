import { identifierNumber } from '../core/values.js'
import { ask } from '../network/address.js'
import { counted, element, icon, iconButton } from '../elements/element.js'

/** How finely the span is divided, and how many edits are made in one go when the past is restored. */
const steps = 1_000
const editsAtOnce = 500
const properties = [
  'kind', 'name', 'position', 'size', 'rotation', 'fill', 'stroke', 'strokeWidth', 'alpha', 'visible', 'z', 'cornerRadius',
  'points', 'innerRatio',
]

/**
 * The room as it was: a slider over its past. What is shown then is a session of its own, which nobody can edit; what is
 * restored is written anew into the live one, as one step that can be undone.
 */
export class History {
  #app
  #bar
  #slider
  #words = element('output', { class: 'grow clip', 'aria-live': 'polite' })
  #restore
  #from = 0
  #to = 0
  #wanted = null
  #isAsking = false
  #shown = null
  #aborts = new AbortController()

  /** @param {import('../state/app.js').App} app */
  constructor(app) {
    this.#app = app
    this.#slider = element('input', {
      class: 'slider', type: 'range', min: 0, max: steps, step: 1, 'aria-label': 'When',
      oninput: () => this.#moved(),
      onkeydown: (event) => {
        if (event.key !== 'Escape') event.stopPropagation()
      },
    })
    this.#restore = element('button', {
      type: 'button', class: 'button small primary', onclick: () => this.#writeAnew(),
    }, 'Restore this')
    this.#bar = element('section', { class: 'history floating', 'aria-label': 'History', hidden: true },
      element('div', { class: 'row' }, icon('history'), this.#words, this.#restore,
        iconButton('close', 'Back to now', { class: 'plain small', onclick: () => this.close() })),
      this.#slider)
    this.#bar.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close()
    })
    this.element = this.#bar
    app.addEventListener('mode', () => this.#enable())
  }

  get isOpen() { return !this.#bar.hidden }

  async open() {
    if (this.isOpen) return
    this.#aborts = new AbortController()
    if (!await this.#app.exchange()) return
    try {
      const answer = await ask(`/v1/rooms/${this.#app.room}/history`)
      if (answer.status === 404) {
        this.#app.say('This room has no past yet.', { group: 'history' })
        return
      }
      if (!answer.ok) throw new Error(String(answer.status))
      const { from, to } = await answer.json()
      this.#from = from - 1
      this.#to = Math.max(to, from + 1)
    } catch {
      this.#app.say('History needs the server, and it can’t be reached now.', { kind: 'refused', group: 'history' })
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
    this.#shown = null
    this.#app.showPast(null)
    document.getElementById('stage').focus?.()
  }

  #enable() {
    this.#restore.hidden = this.#app.viewOnly
    this.#restore.disabled = this.#shown === null
  }

  #moved() {
    const part = Number(this.#slider.value) / steps
    const at = Math.round(this.#from + (this.#to - this.#from) * part)
    this.#tell(at)
    this.#slider.style.setProperty('--part', String(part))
    this.#wanted = at
    this.#ask()
  }

  #tell(at) {
    const words = momentWords(new Date(at))
    this.#words.textContent = words
    this.#slider.setAttribute('aria-valuetext', words)
    this.#slider.style.setProperty('--part', String(Number(this.#slider.value) / steps))
  }

  /** One question at a time; what was wanted last is asked next. */
  async #ask() {
    if (this.#isAsking) return
    this.#isAsking = true
    const { signal } = this.#aborts
    try {
      while (this.#wanted !== null && this.isOpen) {
        const at = this.#wanted
        this.#wanted = null
        const answer = await ask(`/v1/rooms/${this.#app.room}?at=${at}`, { signal })
        if (answer.status === 404) {
          // The beginning is no longer kept: what is left of the span begins later.
          this.#from = Math.min(at + Math.ceil((this.#to - at) / 16), this.#to - 1)
          this.#wanted = Math.max(this.#wanted ?? 0, this.#from)
          this.#tell(this.#wanted)
          continue
        }
        if (!answer.ok) throw new Error(String(answer.status))
        this.#show(await answer.text())
      }
    } catch (error) {
      if (error.name !== 'AbortError') {
        this.#app.say('That moment can’t be read now.', { kind: 'refused', group: 'history' })
      }
    } finally {
      this.#isAsking = false
    }
  }

  #show(text) {
    if (!this.isOpen) return
    const { core } = this.#app
    const past = core.createReplica({ readonly: false })
    const { shapes } = JSON.parse(text)
    if (shapes.length > 0) past.importDocument(text, { keepsIdentifiers: true })
    this.#shown = shapes
    this.#app.showPast(past)
    this.#enable()
  }

  /** What is other now than it was then, written as it was. */
  #writeAnew() {
    const then = this.#shown
    if (!then) return
    const now = new Map(JSON.parse(this.#app.live.exportDrawing()).shapes.map((shape) => [shape.id, shape]))
    const edits = []
    for (const shape of then) {
      const current = now.get(shape.id)
      now.delete(shape.id)
      const set = {}
      for (const property of properties) {
        if (property in shape && JSON.stringify(shape[property]) !== JSON.stringify(current?.[property])) {
          set[property] = shape[property]
        }
      }
      if (Object.keys(set).length > 0) edits.push({ shape: identifierNumber(shape.id), set })
    }
    const gone = [...now.keys()].map(identifierNumber)
    const when = this.#words.textContent
    this.close()
    if (edits.length + gone.length === 0) {
      this.#app.say('It looks like that now.', { group: 'history' })
      return
    }
    const isDone = this.#app.group(() => {
      for (let at = 0; at < edits.length; at += editsAtOnce) {
        const done = this.#app.edit((session) => session.edit(edits.slice(at, at + editsAtOnce)))
        if (done === undefined) return false
      }
      return gone.length === 0 || this.#app.edit((session) => session.delete(gone)) !== undefined
    })
    if (!isDone) return
    this.#app.say(`Restored as of ${when}: ${counted(edits.length + gone.length, 'shape')}.`, {
      group: 'history',
      action: { words: 'Undo', run: () => this.#app.edit((session) => session.undo()) },
    })
  }
}

/** Of today only the time, which is what is other at each step of the slider. @param {Date} moment */
function momentWords(moment) {
  const time = moment.toLocaleTimeString(undefined, { timeStyle: 'medium' })
  if (moment.toDateString() === new Date().toDateString()) return `Today, ${time}`
  return `${moment.toLocaleDateString(undefined, { dateStyle: 'medium' })}, ${time}`
}
