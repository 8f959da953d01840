import { capitalised, counted, momentWords } from '../basics/words.js'
import type { Core } from '../core/core.js'
import type { Replica } from '../core/replica.js'
import { identifierNumber } from '../core/values.js'
import { element, icon, iconButton, isOfSlider, isWithin, setAttributes, setIcon } from '../elements/element.js'
import { type ask, workingMilliseconds } from '../network/address.js'
import type { Documents } from '../state/documents.js'
import type { Editing } from '../state/editing.js'
import { mentionOf } from '../state/labels.js'
import type { Me } from '../state/me.js'
import type { Names } from '../state/names.js'
import type { Notices } from '../state/notices.js'
import type { LaterPart } from '../state/parts.js'
import type { Permission } from '../state/permission.js'
import type { Presence } from '../state/presence.js'
import type { Shown } from '../state/shown.js'
import { Chronicle, gatherMilliseconds, type StampedShape } from './chronicle.js'
import type { Consent } from './consent.js'
import { type KeptShape, restoration, writeAll } from './restoration.js'

/** The number of positions of the slider. */
const steps = 1_000
/**
 * If a drawing has more shapes than this, the page says who made a change, but not what the change was. Describing
 * changes needs stamps, which make the server's answers several times as long.
 */
const stampedShapesMax = 3_000
/**
 * If the slider is at most this far before a mark, it counts as being on the mark. The distance is a fraction of the
 * whole slider. The margin is needed because a pixel of the slider covers more than one position.
 */
const markReach = 1.5 / steps
/**
 * In milliseconds: how long playback shows each moment, at least and at most, and how long the whole playback should
 * take.
 */
const playMilliseconds = { least: 120, most: 700, all: 20_000 }

/**
 * Shows the room's past: a slider with a mark for each step, and a button for playback. A separate replica shows the
 * past, and can't be edited. Restoring writes a past drawing into the live replica, as one step of undo.
 */
export class History {
  #request
  #room
  #core
  #documents
  #editing
  #notices
  #permission
  #presence
  #shown
  #bar
  #slider = element('input', {
    class: 'slider', type: 'range', min: 0, max: steps, step: 1, 'aria-label': 'Moment',
    oninput: () => {
      this.#stop()
      this.#moved()
    },
    onkeydown: (event) => {
      if (event.key !== 'Escape') event.stopPropagation()
      if (!isOfSlider(event) && !document.body.dispatchEvent(new KeyboardEvent('keydown', event))) event.preventDefault()
      const direction = new Map([['ArrowLeft', -1], ['ArrowDown', -1], ['ArrowRight', 1], ['ArrowUp', 1]]).get(event.key)
      if (direction === undefined) return
      event.preventDefault()
      this.#stop()
      this.#stepBy(direction)
    },
  })
  #chronicle
  #consent
  #words = element('output', { class: 'grow clip', dir: 'auto', 'aria-live': 'polite' })
  #marks = element('div', { class: 'history-marks', 'aria-hidden': 'true' })
  #play = iconButton('play', 'Play', { class: 'plain small', onclick: () => this.#playing ? this.#stop() : this.#playOn() })
  /**
   * An object that stands for the running playback; null if none runs. A playback stops when this is no longer its
   * object.
   */
  #playing: object | null = null
  /** Whether Restore had the focus when it was disabled. */
  #hasFocus = false
  #isOpening = false
  /** What had the focus before the history was opened. */
  #before: Element | null = null
  #restore = element('button', {
    type: 'button', class: 'button small primary', onclick: () => this.#writeAnew(),
  }, 'Restore')
  #from = 0
  #to = 0
  /** The time that the slider shows. */
  #at = 0
  /** The time to request next; null if there is none. */
  #wanted: number | null = null
  #isAsking = false
  /** The past drawing of the time that is told, with its time; null until it is shown. */
  #then: { shapes: KeptShape[], at: number } | null = null
  #aborts = new AbortController()
  readonly element

  constructor({ ask: request, room, core, documents, editing, notices, permission, presence, shown, tools, names, me, consent }: {
    ask: typeof ask, room: string, core: Core, documents: Documents, editing: Editing, notices: Notices, permission: Permission,
    presence: Presence, shown: Shown, tools: { isPressed: boolean }, names: Names, me: Me, consent: LaterPart<Consent>,
  }) {
    this.#request = request
    this.#room = room
    this.#consent = consent
    this.#chronicle = new Chronicle(names, (actor) =>
      (actor === shown.live.actor ? me.color : presence.person(actor)?.color ?? null))
    this.#core = core
    this.#documents = documents
    this.#editing = editing
    this.#notices = notices
    this.#permission = permission
    this.#presence = presence
    this.#shown = shown
    this.#bar = element('section', { class: 'history floating', 'aria-label': 'History', hidden: true },
      element('div', { class: 'row' }, icon('history'), this.#words, this.#restore,
        iconButton('close', 'Back to the present', { class: 'plain small', onclick: () => this.close() })),
      element('div', { class: 'history-track' }, this.#play, this.#slider, this.#marks))
    // Escape returns to the present wherever the focus is, unless it closes an open box, or a field or a drag handles it.
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.isOpen || document.querySelector('dialog[open], :popover-open')) return
      // In a drag, Escape takes back what the drag has done.
      if (isWithin(event.target, '.panel, .search') || tools.isPressed) return
      event.preventDefault()
      event.stopPropagation()
      this.close()
    }, { capture: true })
    this.element = this.#bar
    permission.on('change', () => this.#enable())
  }

  get isOpen() { return !this.#bar.hidden }

  async open() {
    if (this.isOpen || this.#isOpening) return
    this.#isOpening = true
    this.#before = document.activeElement
    this.#aborts = new AbortController()
    try {
      if (!await this.#documents.load()) return
      const answer = await this.#request(`/v1/rooms/${this.#room}/history?steps=1`, { patience: workingMilliseconds })
      if (answer.status === 404) {
        this.#notices.say('This room has no history yet.', { group: 'history' })
        return
      }
      if (!answer.ok) throw new Error(String(answer.status))
      const { from, to, steps: done } = await answer.json()
      // Just before its first step a room is empty, unless it had a beginning that is no longer kept.
      this.#from = done[0]?.from === from ? from - 1 : from
      this.#to = Math.max(to, from + 1)
      this.#chronicle.take(done)
      this.#showMarks()
    } catch {
      this.#notices.say('We can’t reach the server, and history needs it. Try again later.', {
        kind: 'refused', group: 'history',
      })
      return
    } finally {
      this.#isOpening = false
    }
    this.#bar.hidden = false
    document.body.classList.add('has-history')
    this.#slider.value = String(steps)
    this.#at = this.#to
    this.#tell(capitalised(momentWords(this.#to)))
    this.#enable()
    // The answer may have come late. Whoever is writing by then goes on writing.
    if (!document.activeElement?.matches('input, textarea, [contenteditable]')) this.#slider.focus()
  }

  #showMarks() {
    const span = this.#to - this.#from
    this.#marks.replaceChildren(...this.#chronicle.marks().map(({ at, color }) => {
      const mark = element('span')
      mark.style.left = `${(at - this.#from) / span * 100}%`
      mark.style.background = color
      return mark
    }))
  }

  get #isStamped() { return this.#shown.live.shapeCount <= stampedShapesMax }

  #path(at: number) { return `/v1/rooms/${this.#room}?at=${at}${this.#isStamped ? '&stamps=1' : ''}` }

  close() {
    if (!this.isOpen) return
    this.#stop()
    this.#aborts.abort()
    this.#bar.hidden = true
    document.body.classList.remove('has-history')
    this.#wanted = null
    this.#then = null
    this.#shown.showPast(null)
    if (this.#before instanceof HTMLElement) this.#before.focus({ preventScroll: true })
  }

  #enable() {
    this.#restore.hidden = this.#permission.isViewOnly
    // A button that is disabled loses the focus, and gets it back.
    this.#hasFocus ||= document.activeElement === this.#restore
    this.#restore.disabled = this.#then === null
    if (this.#restore.disabled) return
    if (this.#hasFocus && document.activeElement === document.body) this.#restore.focus()
    this.#hasFocus = false
  }

  #moved() {
    const span = this.#to - this.#from
    const part = Number(this.#slider.value) / steps
    const at = Math.round(this.#from + span * part)
    // At its beginning, the slider doesn't snap to a mark, because it shows the time before the first step there.
    if (part === 0) return this.#show(at)
    return this.#show(this.#moments.find((moment) => moment > at && moment - at <= span * markReach) ?? at)
  }

  /** The ends of all steps, sorted and without duplicates. */
  get #moments() { return [...new Set(this.#chronicle.marks().map(({ at }) => at))] }

  /** Moves to the next or the previous end of a step. */
  #stepBy(direction: number) {
    const next = direction > 0 ? this.#moments.find((at) => at > this.#at) ?? this.#to
      : this.#moments.filter((at) => at < this.#at).at(-1) ?? this.#from
    this.#slider.value = String((next - this.#from) / (this.#to - this.#from) * steps)
    return this.#show(next)
  }

  /**
   * Shows the drawing of a point in time, as soon as the server has sent it.
   *
   * @param at in milliseconds
   */
  #show(at: number) {
    this.#at = at
    this.#tell(capitalised(momentWords(at)))
    this.#wanted = at
    // Nobody may restore another moment than the one that is told.
    this.#then = null
    this.#enable()
    return this.#ask()
  }

  // MARK: Playing

  /**
   * Plays the past from the slider's position to the present. If the slider is at the end, it plays from the beginning.
   */
  async #playOn() {
    const playing = {}
    this.#playing = playing
    this.#showPlaying()
    const begin = Number(this.#slider.value) >= steps ? 0 : Number(this.#slider.value)
    const from = this.#from + (this.#to - this.#from) * begin / steps
    const moments = this.#moments.filter((at) => at > from && at < this.#to)
    const { least, most, all } = playMilliseconds
    const stride = Math.max(1, Math.ceil(moments.length * least / all))
    const pause = Math.max(least, Math.min(most, all / moments.length))
    for (const at of [...moments.filter((_, place) => place % stride === 0), this.#to]) {
      if (this.#playing !== playing) return
      this.#slider.value = String((at - this.#from) / (this.#to - this.#from) * steps)
      await Promise.all([this.#show(at), new Promise((done) => setTimeout(done, pause))])
    }
    if (this.#playing === playing) this.#stop()
  }

  #stop() {
    this.#playing = null
    this.#showPlaying()
  }

  #showPlaying() {
    const words = this.#playing ? 'Pause' : 'Play'
    setAttributes(this.#play, { 'aria-label': words, title: words })
    setIcon(this.#play, this.#playing ? 'pause' : 'play')
  }

  // MARK: Moments

  #tell(words: string) {
    this.#words.textContent = words
    this.#slider.setAttribute('aria-valuetext', words)
    this.#slider.style.setProperty('--part', String(Number(this.#slider.value) / steps))
  }

  /**
   * Requests the drawing of the wanted time. If the wanted time changes during a request, the newest wanted time is
   * requested next.
   */
  async #ask() {
    if (this.#isAsking) return
    this.#isAsking = true
    while (this.#wanted !== null && this.isOpen) {
      const at = this.#wanted
      this.#wanted = null
      try {
        await this.#askFor(at)
      } catch (error) {
        if (!(error instanceof Error && error.name === 'AbortError')) {
          this.#notices.say('We can’t load that moment right now.', { kind: 'refused', group: 'history' })
        }
      }
    }
    this.#isAsking = false
  }

  async #askFor(at: number) {
    const answer = await this.#request(this.#path(at), { signal: this.#aborts.signal, patience: workingMilliseconds })
    if (answer.status === 404 && at < this.#to - 1) {
      // The server no longer has the beginning of the history, so the slider's range begins later. If nothing of the
      // range is left, an error is shown.
      this.#from = Math.min(at + Math.ceil((this.#to - at) / 16), this.#to - 1)
      this.#wanted = Math.max(this.#wanted ?? 0, this.#from)
      this.#tell(capitalised(momentWords(this.#wanted)))
      return
    }
    if (!answer.ok) throw new Error(String(answer.status))
    await this.#take(await answer.text(), at)
  }

  async #take(text: string, at: number) {
    if (!this.isOpen) return
    const { shapes } = JSON.parse(text)
    const past = this.#replicaOf(shapes.length > 0 ? text : null)
    const then = { shapes, at }
    if (this.#wanted === null) this.#then = then
    this.#shown.showPast(past)
    this.#enable()
    const last = await this.#lastDeed(shapes, at, (id) => mentionOf(past, identifierNumber(id)))
    then.at = last?.at ?? at
    // The change is described only if no other time is waiting to be requested.
    if (last && this.#wanted === null && this.isOpen) this.#tell(`${capitalised(momentWords(last.at))} · ${last.words}`)
  }

  /** @param text a drawing as the server sends it; null stands for an empty one */
  #replicaOf(text: string | null): Replica {
    const made = this.#core.createReplica({ readonly: false })
    try {
      if (text !== null) made.importDocument(text, { keepsIdentifiers: true })
      return made
    } catch (error) {
      made.destroy()
      throw error
    }
  }

  /**
   * The last change before a point in time.
   *
   * @param shapes of the drawing at that time
   * @param nameOf the name of a shape for a sentence; it is called only before the first answer of the server
   */
  async #lastDeed(
    shapes: StampedShape[], at: number, nameOf: (id: string) => string,
  ): Promise<{ at: number, words: string } | null> {
    const step = this.#chronicle.stepAt(at)
    if (step && !this.#isStamped) return { at: Math.min(at, step.to), words: this.#chronicle.summary(step) }
    const last = this.#chronicle.last(shapes, nameOf)
    // A removal is described only if no change comes `gatherMilliseconds` or more after it.
    if (step && step.removed > 0 && (last?.at ?? 0) < step.to + gatherMilliseconds) {
      // The removed shapes are those that the drawing had just before the step and doesn't have now.
      const left = new Set(shapes.map(({ id }) => id))
      const before = await this.#shapesBefore(step.from)
      const gone = before.filter(({ id }) => !left.has(id))
      const name = gone.length === 1 ? this.#nameIn(before, gone[0].id) : ''
      if (gone.length > 0) return { at: Math.min(at, step.to), words: this.#chronicle.removal(step, gone.length, name, left.size) }
    }
    const removal = last?.drew ? this.#chronicle.removalBefore(last.at) : null
    if (!removal) return last
    // If a removal was undone, the shapes that came back look new. The drawing before the removal shows that they are
    // old.
    const isBack = (await this.#shapesBefore(removal.from)).some(({ id }) => id === last?.drew)
    return last && isBack ? { at: last.at, words: last.wordsIfBack } : last
  }

  /** The name for a sentence of a shape in an earlier drawing. */
  #nameIn(shapes: KeptShape[], id: string) {
    const drawing = this.#replicaOf(JSON.stringify({ shapes }))
    try {
      return mentionOf(drawing, identifierNumber(id))
    } finally {
      drawing.destroy()
    }
  }

  /** @returns the shapes just before a point in time; none if the server can't say */
  async #shapesBefore(at: number): Promise<KeptShape[]> {
    const answer = await this.#request(`/v1/rooms/${this.#room}?at=${at - 1}`, {
      signal: this.#aborts.signal, patience: workingMilliseconds,
    })
    return answer.ok ? (await answer.json()).shapes : []
  }

  /** Restores the past drawing: writes all values that differ from the present ones. */
  async #writeAnew() {
    const then = this.#then
    if (!then) return
    this.#stop()
    const changes = () => restoration(then.shapes, JSON.parse(this.#shown.live.exportDrawing()).shapes)
    const question = `Go back to how it was ${momentWords(then.at)}?`
    if (!await (await this.#consent.get())?.mayGoBack(question, 'Restore', () => changes().gone.length) || !this.isOpen) return
    const { edits, gone } = changes()
    this.close()
    if (edits.length + gone.length === 0) {
      this.#notices.say('The drawing looks like that already.', { group: 'history' })
      return
    }
    const { live } = this.#shown
    const from = Math.floor(live.serverMilliseconds)
    if (!writeAll(this.#editing, edits, gone)) return
    this.#presence.setRestored({ asOf: then.at, from, until: Math.ceil(live.serverMilliseconds) })
    const what = counted(edits.length + gone.length, 'shape')
    this.#editing.sayUndoable(`${what} changed back to how they were ${momentWords(then.at)}.`, 'history')
  }
}
