import { inkOn } from '../basics/ink.js'
import { Source } from '../basics/source.js'
import { within } from '../basics/words.js'
import type { View } from '../canvas/view.js'
import { element } from '../elements/element.js'
import type { Frames } from '../state/frames.js'
import type { Notices } from '../state/notices.js'
import type { Presence } from '../state/presence.js'
import type { Shown } from '../state/shown.js'
import type { Tools } from '../tools/tools.js'

/**
 * How long the page waits for the followed person after they have left. They might come back, because a broken
 * connection or a change of the name looks like leaving.
 */
const missedMilliseconds = 10_000

/**
 * Follows another person: this page shows what that person sees, until this person moves the view. `change`: the page
 * has begun or stopped following somebody.
 */
export class Follow extends Source<{ change: number | null }> {
  #presence
  #view
  #notices
  #tools
  #writing
  #shown
  #shownBox = ''
  #frame = element('div', { class: 'follow-frame', hidden: true })
  #words = element('span', { class: 'clip' })
  #actor: number | null = null
  /** The timer that runs while the followed person is missing. */
  #timer = 0

  constructor({ presence, view, notices, tools, writing, frames, shown }: {
    presence: Presence, view: View, notices: Notices, tools: Tools, writing: { isOpen: boolean }, frames: Frames, shown: Shown,
  }) {
    super()
    this.#tools = tools
    this.#writing = writing
    this.#shown = shown
    this.#presence = presence
    this.#view = view
    this.#notices = notices
    this.#frame.append(element('div', { class: 'follow-pill row' }, this.#words,
      element('button', { type: 'button', class: 'button small', onclick: () => this.stop() }, 'Stop')))
    document.body.append(this.#frame)
    presence.on('change', () => this.#look())
    // A gesture ends with a frame.
    frames.on('update', () => this.#look())
    view.on('hand', () => this.stop())
  }

  /** The followed actor, or null. */
  get actor() { return this.#actor }

  toggle(actor: number) { this.#actor === actor ? this.stop() : this.start(actor) }

  start(actor: number) {
    const person = this.#presence.person(actor)
    if (!person) return
    this.#actor = actor
    this.#shownBox = ''
    this.#frame.hidden = false
    if (!person.view) this.#notices.say(`We don’t know yet what ${within(person.name)} is looking at.`)
    this.#look()
    this.#presence.setFollowed(this.#actor)
    this.tell('change', this.#actor)
  }

  stop() {
    if (this.#actor === null) return
    this.#found()
    this.#actor = null
    this.#frame.hidden = true
    this.#presence.setFollowed(this.#actor)
    this.tell('change', this.#actor)
  }

  #look() {
    if (this.#actor === null) return
    const person = this.#presence.person(this.#actor)
    if (!person) return this.#miss()
    this.#found()
    const { color, name, view } = person
    const words = `Following ${within(name)}`
    if (this.#words.textContent !== words) this.#words.textContent = words
    this.#frame.style.setProperty('--person', color)
    this.#frame.style.setProperty('--on-person', inkOn(color))
    const shown = JSON.stringify(view)
    // The canvas doesn't move under a pointer that is down, nor away from a text that is being written or from the past.
    if (!view || shown === this.#shownBox || this.#tools.isPressed || this.#writing.isOpen || this.#shown.isPast) return
    this.#shownBox = shown
    this.#view.show(view, { now: performance.now() })
  }

  #found() {
    clearTimeout(this.#timer)
    this.#timer = 0
  }

  #miss() {
    if (this.#timer !== 0) return
    this.#timer = setTimeout(() => {
      this.stop()
      this.#notices.say('The person you were following has left.')
    }, missedMilliseconds)
  }
}
