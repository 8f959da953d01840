import { capitalised, counted } from '../basics/words.js'
import type { Shape } from '../core/table.js'
import type { Changes, Point, ShapeChange } from '../core/types.js'
import { element, isWithin } from '../elements/element.js'
import type { Editing } from '../state/editing.js'
import type { Names } from '../state/names.js'
import type { Selection } from '../state/selection.js'
import type { Setting } from '../state/setting.js'
import type { Shown } from '../state/shown.js'
import { Deeds } from './deeds.js'
import { shapeWords } from './words.js'

/** In milliseconds: a person's own changes are read out after a pause of this length, so that a drag is one sentence. */
const pause = 400
/** In milliseconds: the changes of others are gathered for this long, because they interrupt. */
const gathering = 5000
/** At most this many people are named in one sentence. */
const namedMax = 3
/** At most this many sentences stay in the document. A screen reader reads each when it comes. */
const sentencesMax = 5

/** What a screen reader reads out: what this person did or undid, what is selected, and what others did. */
export class Announcer {
  #reach
  #log = element('div', { class: 'visually-hidden', role: 'log', 'aria-live': 'polite', 'aria-label': 'Changes' })
  /** The shapes that existed before the newest changes. */
  #known: Set<number>
  #own = new Deeds()
  /** How the words about this person's changes begin: `Undid: `. */
  #prefix = ''
  #ownTimer = 0
  #others = new Map<number, Deeds>()
  #othersTimer = 0
  #selectionTimer = 0
  /** The selected shape, if it is a single one: in words, and where it was before it is moved. */
  #single: { id: number, words: string, at: Point } | null = null

  /** @param othersRead whether the changes of others are read out */
  constructor(reach: { shown: Shown, editing: Editing, selection: Selection, names: Names, othersRead: Setting }) {
    this.#reach = reach
    const { editing, selection, shown } = reach
    document.body.append(this.#log)
    this.#known = new Set(shown.replica.drawingOrder())
    this.#remember()
    shown.on('changes', (changes) => this.#follow(changes))
    shown.on('past', () => this.#forget())
    editing.on('stepping', (what) => {
      const prefix = what === 'undo' ? 'Undid: ' : 'Redid: '
      if (this.#prefix !== prefix) this.#sayOwn()
      this.#prefix = prefix
    })
    selection.on('change', () => {
      clearTimeout(this.#selectionTimer)
      // These lists read out by themselves which shape one goes to.
      if (isWithin(document.activeElement, '.layers-grid, .reading')) this.#remember()
      else this.#selectionTimer = setTimeout(() => this.#saySelection(), pause)
    })
  }

  #say(words: string) {
    this.#log.append(element('p', { dir: 'auto' }, `${words}.`))
    while (this.#log.children.length > sentencesMax) this.#log.firstChild?.remove()
  }

  #follow({ reset, shapes }: Changes) {
    if (reset) {
      this.#forget()
      return
    }
    const { actor } = this.#reach.shown.live
    for (const change of shapes) {
      // An edit that the server has refused is told by a notice.
      if (change.by >= 0 && !this.#reach.shown.isPast) this.#note(change, change.by === actor)
      if (change.shape) this.#known.add(change.id)
      else this.#known.delete(change.id)
    }
    if (!this.#own.isEmpty) {
      clearTimeout(this.#selectionTimer)
      clearTimeout(this.#ownTimer)
      this.#ownTimer = setTimeout(() => this.#sayOwn(), pause)
    }
    if (this.#others.size > 0 && this.#othersTimer === 0) this.#othersTimer = setTimeout(() => this.#sayOthers(), gathering)
  }

  #note(change: ShapeChange, isOwn: boolean) {
    const wasKnown = this.#known.has(change.id)
    if (isOwn) return this.#own.note(change, wasKnown)
    if (!this.#reach.othersRead.isOn) return
    const deeds = this.#others.get(change.by) ?? new Deeds()
    deeds.note(change, wasKnown)
    if (!deeds.isEmpty) this.#others.set(change.by, deeds)
  }

  /** Begins anew with another drawing. */
  #forget() {
    clearTimeout(this.#ownTimer)
    this.#known = new Set(this.#reach.shown.replica.drawingOrder())
    this.#own = new Deeds()
    this.#prefix = ''
    this.#others.clear()
    this.#remember()
  }

  #sayOwn() {
    clearTimeout(this.#ownTimer)
    const single = this.#single
    if (!this.#own.isEmpty) {
      const words = this.#own.own(
        this.#reach.shown.replica,
        (id) => (id === single?.id ? single.words : null),
        ({ id }: Shape) => (id === single?.id ? single.at : null))
      this.#say(this.#prefix + (this.#prefix ? words : capitalised(words)))
    }
    this.#own = new Deeds()
    this.#prefix = ''
    this.#remember()
  }

  #sayOthers() {
    this.#othersTimer = 0
    const { names, othersRead } = this.#reach
    const told = [...this.#others].slice(0, namedMax)
      .map(([actor, deeds]) => `${actor === 0 ? 'Others' : names.of(actor)} ${deeds.others()}`)
    const more = this.#others.size - told.length
    this.#others.clear()
    if (!othersRead.isOn || told.length === 0) return
    this.#say([...told, ...more > 0 ? [`${counted(more, 'other person', 'other people')} drew too`] : []].join('. '))
  }

  #saySelection() {
    const { selection } = this.#reach
    this.#remember()
    if (selection.size > 1) this.#say(`${counted(selection.size, 'shape')} selected`)
    else if (this.#single) this.#say(`${this.#single.words} selected`)
    else this.#say('Nothing selected')
  }

  #remember() {
    const { selection, shown } = this.#reach
    const [id] = selection.ids()
    const shape = selection.size === 1 ? shown.replica.shape(id) : null
    this.#single = shape && { id, words: shapeWords(shown.replica, shape), at: { x: shape.x, y: shape.y } }
  }
}
