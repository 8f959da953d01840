import { element, within } from '../elements/element.js'
import { inkOn } from '../storage/identity.js'

/** What one person sees, seen by another: until one moves the view oneself. Dispatches `change`. */
export class Follow extends EventTarget {
  #app
  #shown = ''
  #frame = element('div', { class: 'follow-frame', hidden: true })
  #words = element('span', { class: 'clip' })
  #pill

  actor = null

  /** @param {import('../state/app.js').App} app */
  constructor(app) {
    super()
    this.#app = app
    this.#pill = element('div', { class: 'follow-pill row' }, this.#words,
      element('button', { type: 'button', class: 'button small', onclick: () => this.stop() }, 'Stop'))
    this.#frame.append(this.#pill)
    document.body.append(this.#frame)
    app.presence.addEventListener('change', () => this.#look())
    app.view.addEventListener('hand', () => this.stop())
  }

  toggle(actor) { this.actor === actor ? this.stop() : this.start(actor) }

  start(actor) {
    const person = this.#app.presence.person(actor)
    if (!person) return
    this.actor = actor
    this.#shown = ''
    this.#words.textContent = `Following ${within(person.name)}`
    this.#frame.style.setProperty('--person', person.color)
    this.#frame.style.setProperty('--on-person', inkOn(person.color))
    this.#frame.hidden = false
    if (!person.view) this.#app.say(`${within(person.name)} hasn’t looked around yet.`)
    this.#look()
    this.dispatchEvent(new Event('change'))
  }

  stop() {
    if (this.actor === null) return
    this.actor = null
    this.#frame.hidden = true
    this.dispatchEvent(new Event('change'))
  }

  #look() {
    if (this.actor === null) return
    const person = this.#app.presence.person(this.actor)
    if (!person) {
      this.stop()
      this.#app.say('Whom you followed has left.')
      return
    }
    const { view } = person
    const shown = JSON.stringify(view)
    if (!view || shown === this.#shown) return
    this.#shown = shown
    this.#app.view.show(view, { now: performance.now() })
  }
}
