import { Throttle } from '../basics/throttle.js'
import { counted } from '../basics/words.js'
import { fitBeside } from '../canvas/surroundings.js'
import type { View } from '../canvas/view.js'
import { element, iconButton, setAttributes } from '../elements/element.js'
import type { Groups } from '../state/groups.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'
import { everythingOf, inReadingOrder, type Read } from './words.js'

/** The number of shapes on a page of the list. */
const pageSize = 100
/**
 * In milliseconds: the list is updated at most this often, and more seldom in a large drawing, so that it takes at most
 * a twentieth of the time.
 */
const pauseMin = 400
const share = 20
/** In CSS pixels: how far a shape stays from the window's sides when it is brought into view. */
const padding = 140

const isSmall = () => matchMedia('(max-width: 640px)').matches

type Item = { row: HTMLLIElement, button: HTMLButtonElement }

/**
 * The drawing as a list in reading order: each shape in words, with its text, what a line connects, and where the shape
 * is. The arrow keys go from shape to shape and select it, also in a group: it alone.
 *
 * The list is made when somebody opens it, and only one page of it is in the document.
 */
export class Reading {
  #reach
  #count = element('p', { class: 'small-text quiet', role: 'status' })
  #list = element('ul', { role: 'list', 'aria-label': 'Shapes', onkeydown: (event) => this.#pressed(event) })
  #pages
  #box
  #order: Read[] = []
  #items = new Map<number, Item>()
  /** The page that is shown, and the shape whose button is reached by Tab. */
  #page = 0
  #at: number | null = null
  #before: Element | null = null
  #updates = new Throttle(() => this.#update(), pauseMin, share)

  constructor(reach: { shown: Shown, selection: Selection, groups: Groups, view: View }) {
    this.#reach = reach
    const turn = (words: string, by: number) =>
      element('button', { type: 'button', class: 'button small', onclick: () => this.#turn(by) }, words)
    this.#pages = element('div', { class: 'row' }, turn('Previous page', -1), turn('Next page', 1))
    this.#box = element('section', {
      class: 'reading floating', 'aria-label': 'The drawing as a list', hidden: true,
      onkeydown: (event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        this.close()
      },
    }, element('div', { class: 'row' }, element('div', { class: 'grow' }, this.#count),
      iconButton('close', 'Close the list', { class: 'plain small', onclick: () => this.close() })),
    this.#list, this.#pages)
    // In a small window the list covers what the Tab key goes on to.
    this.#box.addEventListener('focusout', ({ relatedTarget: to }) => {
      if (to instanceof Node && !this.#box.contains(to) && isSmall()) this.close()
    })
    reach.shown.on('changes', ({ reset, shapes }) => {
      if (!this.#box.hidden && (reset || shapes.length > 0)) this.#updates.soon()
    })
    reach.selection.on('change', () => this.#showSelection())
    document.getElementById('stage')?.after(this.#box)
  }

  open() {
    if (this.#box.hidden) this.#before = document.activeElement
    this.#box.hidden = false
    this.#at = this.#reach.selection.ids()[0] ?? null
    this.#updates.now()
    this.#focus()
  }

  close() {
    if (this.#box.hidden) return
    const hadFocus = this.#box.contains(document.activeElement)
    this.#box.hidden = true
    this.#updates.cancel()
    this.#order = []
    this.#show(0)
    if (!hadFocus) return
    // Until the next frame, what has just been hidden keeps the focus, and would take the next key.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    if (this.#before instanceof HTMLElement) this.#before.focus({ preventScroll: true })
  }

  /** Reads the drawing. This takes time in proportion to its shapes. */
  #update() {
    const placeOf = (id: number | null) => this.#order.findIndex(({ shape }) => shape.id === id)
    const at = placeOf(this.#at)
    const hadFocus = this.#list.contains(document.activeElement)
    this.#order = inReadingOrder(this.#reach.shown.replica.shapes())
    const now = placeOf(this.#at)
    this.#show(now >= 0 ? now : Math.min(Math.max(0, at), this.#order.length - 1))
    if (hadFocus && !this.#list.contains(document.activeElement)) this.#focus()
  }

  /**
   * Shows the page with this place in the order.
   *
   * @param place of the shape whose button is reached by Tab
   */
  #show(place: number) {
    const { length } = this.#order
    this.#page = Math.floor(Math.max(0, place) / pageSize)
    this.#at = this.#order[place]?.shape.id ?? null
    const first = this.#page * pageSize
    const shown = this.#order.slice(first, first + pageSize)
    const ids = new Set(shown.map(({ shape }) => shape.id))
    for (const [id, { row }] of this.#items) {
      if (ids.has(id)) continue
      row.remove()
      this.#items.delete(id)
    }
    shown.forEach((read, index) => this.#fill(read, first + index, this.#list.children[index] ?? null))
    this.#count.textContent = length === 0 ? 'Nothing is drawn yet.' : length <= pageSize ? counted(length, 'shape')
      : `Shapes ${first + 1} to ${first + shown.length} of ${length.toLocaleString()}`
    this.#pages.hidden = length <= pageSize
    this.#showSelection()
  }

  /** @param next the row that is now at the place where this shape belongs */
  #fill(read: Read, place: number, next: Element | null) {
    const { id } = read.shape
    const item = this.#items.get(id) ?? this.#item(id)
    if (item.row !== next) this.#list.insertBefore(item.row, next)
    setAttributes(item.row, { 'aria-setsize': this.#order.length, 'aria-posinset': place + 1 })
    const words = everythingOf(this.#reach.shown.replica, read)
    if (item.button.textContent !== words) item.button.textContent = words
  }

  #item(id: number): Item {
    const button = element('button', { type: 'button', class: 'menu-item', dir: 'auto', onclick: () => this.#choose(id) })
    const item = { button, row: element('li', {}, button) }
    this.#items.set(id, item)
    return item
  }

  #showSelection() {
    const { selection } = this.#reach
    for (const [id, { button }] of this.#items) {
      setAttributes(button, { 'aria-pressed': String(selection.has(id)), tabindex: id === this.#at ? '0' : '-1' })
    }
  }

  #choose(id: number) {
    const { groups, selection, shown, view } = this.#reach
    this.#at = id
    if (!groups.enter(id)) selection.set([id])
    this.#showSelection()
    const box = shown.replica.bounds([id])
    if (box) fitBeside(view, box, padding, { now: performance.now(), nearest: view.scale })
  }

  #focus() {
    const item = this.#at === null ? undefined : this.#items.get(this.#at)
    if (item) item.button.focus()
    else this.#box.querySelector('button')?.focus()
  }

  #turn(by: number) {
    const page = this.#page + by
    if (page < 0 || page * pageSize >= this.#order.length) return
    this.#show(page * pageSize)
    this.#focus()
  }

  #pressed(event: KeyboardEvent) {
    const at = this.#order.findIndex(({ shape }) => shape.id === this.#at)
    const last = this.#order.length - 1
    const to = new Map([
      ['ArrowDown', at + 1], ['ArrowUp', at - 1], ['Home', 0], ['End', last], ['PageDown', at + pageSize], ['PageUp', at - pageSize],
    ]).get(event.key)
    if (to === undefined || last < 0) return
    event.preventDefault()
    event.stopPropagation()
    const place = Math.min(last, Math.max(0, to))
    if (Math.floor(place / pageSize) === this.#page) this.#at = this.#order[place].shape.id
    else this.#show(place)
    if (this.#at !== null) this.#choose(this.#at)
    this.#focus()
  }
}
