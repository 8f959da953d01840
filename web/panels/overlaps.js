import { counted, element, within } from '../elements/element.js'
import { fitBeside } from '../drawing/surroundings.js'
import { ago, lastMovedOf, Names } from './names.js'

/** More than anybody reads; the rest is a number. */
const shownMax = 200
/** How long one waits for more before one speaks, and how many are told one by one. */
const gatherMilliseconds = 500
const toldMax = 2
const refreshMilliseconds = 15_000
/** A list that changes faster can't be read, and costs a frame. */
const shownMilliseconds = 150

/** Which shapes overlap, since when and by whom: as a list, and as notices when it happens. */
export class Overlaps {
  #app
  #panel = null
  #names
  #pairs = new Map()
  #fresh = []
  #timer = 0
  #isLive = false
  #isSettled = false
  #showTimer = 0
  #list = element('ul', { class: 'overlap-list' })
  #more = element('p', { class: 'panel-empty quiet', hidden: true })
  #empty = element('p', { class: 'panel-empty quiet' }, 'Nothing overlaps. Where two shapes share area, it turns orange.')

  /** @param {import('../state/app.js').App} app */
  constructor(app) {
    this.#app = app
    this.#names = new Names(app)
    this.element = element('section', { class: 'overlaps' }, this.#list, this.#more, this.#empty)
    app.addEventListener('changes', ({ detail }) => this.#follow(detail))
    app.addEventListener('effect', ({ detail }) => {
      if (detail.type !== 'state') return
      this.#isLive = detail.state === 'live'
      // What overlapped before one came is no news.
      if (!this.#isLive) this.#isSettled = false
    })
    setInterval(() => { if (!this.element.hidden) this.#show() }, refreshMilliseconds)
  }

  /** @param {import('./panel.js').Panel} panel where the number of pairs is shown */
  attach(panel) {
    this.#panel = panel
    panel.setCount('overlaps', this.#pairs.size)
  }

  onShow() { this.#show() }

  #follow(changes) {
    if (changes.reset) this.#pairs.clear()
    for (const { first, second, overlaps } of changes.pairs) {
      const key = `${first} ${second}`
      if (!overlaps) this.#pairs.delete(key)
      else {
        this.#pairs.set(key, [first, second])
        if (this.#isSettled && !changes.reset) this.#fresh.push([first, second])
      }
    }
    this.#isSettled = this.#isLive && !this.#app.isPast
    this.#panel?.setCount('overlaps', this.#pairs.size)
    if (this.#fresh.length > 0 && this.#timer === 0) {
      this.#timer = setTimeout(() => this.#tell(), gatherMilliseconds)
    }
    const isConcerned = changes.pairs.length > 0 || changes.reset
    if (!this.element.hidden && isConcerned && this.#showTimer === 0) {
      this.#showTimer = setTimeout(() => this.#show(), shownMilliseconds)
    }
  }

  /** What has come to overlap and still does, in words. */
  #tell() {
    this.#timer = 0
    // What went since the last frame is still among the pairs.
    const isThere = (id) => this.#app.session.shape(id) !== null
    const fresh = this.#fresh.filter((pair) => this.#pairs.has(pair.join(' ')) && pair.every(isThere))
    this.#fresh = []
    if (this.#app.isPast) return
    if (fresh.length > toldMax) {
      const who = new Set(fresh.slice(0, 50).map((pair) => this.#moved(pair)?.actor))
      const by = who.size === 1 ? this.#names.of([...who][0]) : 'Several people'
      this.#app.say(`${counted(fresh.length, 'new overlap')} · ${by}, just now`, {
        kind: 'overlap', group: 'overlaps', action: { run: () => this.#panel?.show('overlaps') },
      })
      return
    }
    for (const pair of fresh) {
      const moved = this.#moved(pair)
      const by = moved ? ` · ${this.#names.of(moved.actor)}, just now` : ''
      this.#app.say(`${this.#words(pair)}${by}`, {
        kind: 'overlap', group: `overlap ${pair}`, action: { run: () => this.find(pair) },
      })
    }
  }

  #moved([first, second]) { return lastMovedOf(this.#app.session, first, second) }

  #words([first, second]) {
    const { session } = this.#app
    return `${within(session.shownName(first))} overlaps ${within(session.shownName(second))}`
  }

  #show() {
    clearTimeout(this.#showTimer)
    this.#showTimer = 0
    if (this.element.hidden) return
    const { session } = this.#app
    const now = this.#app.live.serverMilliseconds || Date.now()
    const dated = []
    for (const pair of this.#pairs.values()) {
      if (dated.length === shownMax) break
      dated.push({ pair, moved: this.#moved(pair) })
    }
    dated.sort((one, other) => (other.moved?.milliseconds ?? 0) - (one.moved?.milliseconds ?? 0))
    const focused = [...this.#list.children].findIndex((item) => item.contains(document.activeElement))
    this.#list.replaceChildren(...dated.map(({ pair, moved }) => {
      const since = moved ? `${this.#names.of(moved.actor)}, ${ago(moved.milliseconds, now)}` : ''
      const words = this.#words(pair)
      return element('li', {}, element('button', {
        type: 'button', class: 'overlap-row', onclick: () => this.find(pair), title: words,
      },
      element('span', { class: 'overlap-swatches', 'aria-hidden': 'true' }, pair.map((id) => swatch(session.shape(id)))),
      element('span', { class: 'grow overlap-words' }, element('span', { class: 'overlap-pair' }, words),
        element('span', { class: 'small-text quiet clip' }, since))))
    }))
    this.#list.children[Math.min(focused, dated.length - 1)]?.firstElementChild.focus({ preventScroll: true })
    this.#empty.hidden = this.#pairs.size > 0
    this.#more.hidden = this.#pairs.size <= dated.length
    this.#more.textContent = `and ${(this.#pairs.size - dated.length).toLocaleString()} more`
  }

  /** Selects both and brings them into sight. */
  find(pair) {
    const live = pair.filter((id) => this.#app.session.shape(id))
    this.#app.selection.set(live)
    const box = this.#app.session.bounds(live)
    if (box) fitBeside(this.#app.view, box, 120, { now: performance.now() })
  }
}

function swatch(shape) {
  const made = element('span', { class: 'overlap-swatch' })
  if (shape) made.style.background = shape.fill
  return made
}
