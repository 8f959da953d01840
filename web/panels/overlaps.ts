import { Source } from '../basics/source.js'
import { Throttle } from '../basics/throttle.js'
import { counted } from '../basics/words.js'
import { crowdedMin } from '../canvas/marked.js'
import { fitBeside } from '../canvas/surroundings.js'
import type { View } from '../canvas/view.js'
import type { Shape } from '../core/table.js'
import type { Changes } from '../core/types.js'
import { element } from '../elements/element.js'
import { mentionOf } from '../state/labels.js'
import type { Marks } from '../state/marks.js'
import { ago, lastMovers, type Names } from '../state/names.js'
import type { Notices } from '../state/notices.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'
import type { FreshOverlaps, Pair } from './fresh-overlaps.js'

/** The upper bound on listed overlaps. The number of further ones is shown instead. */
const shownMax = 200
/** How long to gather overlaps before they are reported; and the number above which they are reported in one notice. */
const gatherMilliseconds = 500
const toldMax = 2
const refreshMilliseconds = 15_000
/**
 * The shortest time between two updates of the list. Updates are expensive, so they also take at most 1 / `costFactor`
 * of the page's time.
 */
const shownMilliseconds = 150
const costFactor = 20

/**
 * Lists which shapes overlap, since when, and who caused that. Also shows notices of new overlaps. `count`: the number
 * of overlapping pairs has changed. `opened`: the person wants to see the list.
 */
export class Overlaps extends Source<{ count: number, opened: null }> {
  #shown
  #selection
  #view
  #marks
  #notices
  #names
  #pairs = new Map<string, Pair>()
  #fresh
  #timer = 0
  /** The visible notices, each with the pairs that it reports. */
  #told = new Map<string, Pair[]>()
  #showing = new Throttle(() => this.#show(), shownMilliseconds, costFactor)
  #switch = element('input', { type: 'checkbox', role: 'switch', class: 'check', id: 'mark-overlaps' })
  #hint = element('p', { class: 'small-text quiet', hidden: true },
    'There are many overlaps, so only those of the shapes you select or point at are marked.')
  #list = element('ul', { class: 'overlap-list' })
  #more = element('p', { class: 'panel-empty quiet', hidden: true })
  #empty = element('p', { class: 'panel-empty quiet' }, 'No overlaps. Where two shapes share area, it turns orange.')
  readonly element = element('section', { class: 'overlaps' }, element('div', { class: 'overlap-marks' },
    element('div', { class: 'check-field' }, this.#switch, element('label', { for: 'mark-overlaps' }, 'Mark overlaps')),
    this.#hint), this.#list, this.#more, this.#empty)

  constructor({ fresh, shown, selection, marks, names, notices, view }: {
    fresh: FreshOverlaps, shown: Shown, selection: Selection, marks: Marks, names: Names, notices: Notices, view: View,
  }) {
    super()
    this.#fresh = fresh
    this.#shown = shown
    this.#selection = selection
    this.#view = view
    this.#notices = notices
    this.#names = names
    this.#marks = marks
    this.#switch.addEventListener('change', () => marks.toggle())
    marks.on('change', () => this.#showSwitch())
    shown.on('changes', (changes) => this.#follow(changes))
    fresh.on('begun', () => this.#tellSoon())
    for (const pair of shown.replica.overlapPairs()) this.#pairs.set(pair.join(' '), pair)
    this.#tellSoon()
    setInterval(() => { if (!this.element.hidden) this.#showing.now() }, refreshMilliseconds)
  }

  get count() { return this.#pairs.size }

  onShow() { this.#showing.now() }

  #follow(changes: Changes) {
    if (changes.reset) this.#pairs.clear()
    for (const { first, second, overlaps } of changes.pairs) {
      const key = `${first} ${second}`
      if (overlaps) this.#pairs.set(key, [first, second])
      else this.#pairs.delete(key)
    }
    if (changes.pairs.length > 0 || changes.reset) this.#withdraw()
    this.tell('count', this.#pairs.size)
    if (!this.element.hidden && (changes.pairs.length > 0 || changes.reset)) this.#showing.soon()
  }

  #tellSoon() {
    if (this.#timer === 0) this.#timer = setTimeout(() => this.#tell(), gatherMilliseconds)
  }

  /**
   * Tells the person about overlaps that other people have caused and that still exist. A person's own overlaps are not
   * reported, because they see these arise.
   */
  #tell() {
    this.#timer = 0
    // A pair may contain a shape that was deleted since the last frame. One shape can begin thousands of overlaps.
    const ids = new Set(this.#shown.replica.drawingOrder())
    const there = this.#fresh.take().filter((pair) => this.#pairs.has(pair.join(' ')) && pair.every((id) => ids.has(id)))
    if (this.#shown.isPast) return
    const own = this.#shown.live.actor
    const moved = lastMovers(this.#shown.replica)
    const fresh = there.map((pair) => ({ pair, actor: moved(...pair)?.actor ?? 0 })).filter(({ actor }) => actor !== own)
    if (fresh.length > toldMax) {
      const who = new Set(fresh.map(({ actor }) => actor))
      const by = who.size === 1 ? this.#names.of(fresh[0].actor) : 'Several people'
      this.#told.set('overlaps', fresh.map(({ pair }) => pair))
      this.#notices.say(`${counted(fresh.length, 'new overlap')} · ${by}, just now`, {
        kind: 'overlap', group: 'overlaps', action: { run: () => this.tell('opened', null) },
      })
      return
    }
    for (const { pair, actor } of fresh) {
      const by = actor ? ` · ${this.#names.of(actor)}, just now` : ''
      const group = `overlap ${pair}`
      this.#told.set(group, [pair])
      this.#notices.say(`${this.#words(pair)}${by}`, { kind: 'overlap', group, action: { run: () => this.find(pair) } })
    }
  }

  /** Withdraws the notices that are no longer true. */
  #withdraw() {
    for (const [group, pairs] of this.#told) {
      if (pairs.some((pair) => this.#pairs.has(pair.join(' ')))) continue
      this.#told.delete(group)
      this.#notices.withdraw(group)
    }
  }

  #words([first, second]: Pair) {
    const { replica } = this.#shown
    return `${mentionOf(replica, first)} overlaps ${mentionOf(replica, second)}`
  }

  #showSwitch() {
    this.#switch.checked = this.#marks.isOn
    this.#hint.hidden = !this.#marks.isOn || this.#pairs.size <= crowdedMin
  }

  #show() {
    this.#showSwitch()
    if (this.element.hidden) return
    const { replica } = this.#shown
    const now = this.#shown.live.serverMilliseconds || Date.now()
    const moved = lastMovers(replica)
    const dated = []
    for (const pair of this.#pairs.values()) {
      if (dated.length === shownMax) break
      dated.push({ pair, moved: moved(...pair) })
    }
    dated.sort((one, other) => (other.moved?.milliseconds ?? 0) - (one.moved?.milliseconds ?? 0))
    const focused = [...this.#list.children].findIndex((item) => item.contains(document.activeElement))
    this.#list.replaceChildren(...dated.map(({ pair, moved }) => {
      const since = moved ? `${this.#names.of(moved.actor)}, ${ago(moved.milliseconds, now)}` : ''
      const words = this.#words(pair)
      return element('li', {}, element('button', {
        type: 'button', class: 'overlap-row', onclick: () => this.find(pair), title: words,
      },
      element('span', { class: 'overlap-swatches', 'aria-hidden': 'true' }, pair.map((id) => swatch(replica.shape(id)))),
      element('span', { class: 'grow overlap-words' }, element('span', { class: 'overlap-pair' }, words),
        element('span', { class: 'small-text quiet clip' }, since))))
    }))
    this.#list.children[Math.min(focused, dated.length - 1)]?.querySelector('button')?.focus({ preventScroll: true })
    this.#empty.hidden = this.#pairs.size > 0
    this.#more.hidden = this.#pairs.size <= dated.length
    this.#more.textContent = `and ${(this.#pairs.size - dated.length).toLocaleString()} more`
    // The browser's layout takes most of the time. It comes with the next frame.
    requestAnimationFrame(() => setTimeout(() => this.#showing.ended()))
  }

  /** Selects both shapes of a pair, and moves the view to them. */
  find(pair: Pair) {
    const { replica } = this.#shown
    const live = pair.filter((id) => replica.shape(id))
    this.#selection.set(live)
    const box = replica.bounds(live)
    if (box) fitBeside(this.#view, box, 120, { now: performance.now() })
  }
}

function swatch(shape: Shape | null) {
  const made = element('span', { class: 'overlap-swatch' })
  if (shape) made.style.background = shape.fill
  return made
}
