import { Throttle } from '../basics/throttle.js'
import type { Overlay } from '../canvas/overlay.js'
import { fitBeside, openArea } from '../canvas/surroundings.js'
import type { View } from '../canvas/view.js'
import type { Shape } from '../core/table.js'
import { element, iconButton, isComposed } from '../elements/element.js'
import type { Groups } from '../state/groups.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'

/** In device-independent pixels: letters that are smaller than this can't be read, so the view zooms in. */
const legible = 10
/** In CSS pixels: how far a found shape stays from the window's sides. This includes the bar of the search. */
const padding = 140
/** While others draw, looking takes at most about 1 / `costFactor` of the time. */
const costFactor = 10

/** A bar that finds shapes by their texts and names, outlines them, and brings them into view one by one. */
export class Search {
  #reach
  #field = element('input', {
    class: 'field grow', type: 'search', dir: 'auto', 'aria-label': 'Text or name', placeholder: 'Find', autocomplete: 'off',
    enterkeyhint: 'search',
  })
  #count = element('p', { class: 'small-text quiet', role: 'status' })
  #bar
  #before: Element | null = null
  /** The found shapes, in reading order. */
  #found: number[] = []
  #at = 0
  /** Looks again after others' changes. In a large drawing that takes a while, and is not done in each frame. */
  #looking = new Throttle(() => this.#find(), 0, costFactor)

  constructor(reach: { shown: Shown, view: View, selection: Selection, groups: Groups, overlay: Overlay }) {
    this.#reach = reach
    this.#bar = element('section', {
      class: 'search floating row', role: 'search', 'aria-label': 'Find in the drawing', hidden: true, onkeydown: (event) => this.#pressed(event),
    }, this.#field, this.#count,
    iconButton('caret', 'Previous', { class: 'plain small', onclick: () => this.#step(-1) }),
    iconButton('caret', 'Next', { class: 'plain small next', onclick: () => this.#step(1) }),
    iconButton('close', 'Close', { class: 'plain small', onclick: () => this.#close() }))
    this.#field.addEventListener('input', () => this.#begin())
    reach.shown.on('changes', ({ reset, shapes }) => {
      if (this.#bar.hidden || (!reset && shapes.length === 0)) return
      const known = new Set(this.#found)
      const isFound = this.#matcher()
      if (reset || shapes.some(({ id, shape }) => known.has(id) !== (shape !== null && isFound(shape)))) this.#looking.soon()
    })
    document.body.append(this.#bar)
  }

  /**
   * @param before what had the focus
   * @param typed what was typed while this was loaded
   */
  open(before: Element | null, typed: string) {
    if (this.#bar.hidden) this.#before = before
    this.#bar.hidden = false
    this.#field.focus()
    if (typed === '') {
      this.#field.select()
      this.#looking.now()
    } else {
      this.#field.value = typed
      this.#begin()
    }
  }

  /** Looks for what was typed, from the first that is found. */
  #begin() {
    this.#at = 0
    this.#looking.now()
    this.#go()
  }

  /** The shape that was found last stays selected, so that one can go on with it: it alone, also in a group. */
  #close() {
    const id = this.#found[this.#at]
    this.#bar.hidden = true
    this.#found = []
    this.#reach.overlay.setFound([], 0)
    const isThere = id !== undefined && this.#reach.shown.replica.shape(id) !== null
    if (isThere && !this.#reach.groups.enter(id)) this.#reach.selection.set([id])
    // Until the next frame, what has just been hidden keeps the focus, and would take the next key.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    if (this.#before instanceof HTMLElement) this.#before.focus({ preventScroll: true })
  }

  #pressed(event: KeyboardEvent) {
    if (isComposed(event)) return
    event.stopPropagation()
    if (event.key === 'Escape') this.#close()
    else if (event.key === 'Enter' && event.target === this.#field) this.#step(event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
  }

  /** Whether a text, or the name in the layers, contains what is looked for. A shape with a text needs no other name. */
  #matcher() {
    const wanted = this.#field.value.trim().toLocaleLowerCase()
    const { replica } = this.#reach.shown
    return (shape: Shape) => wanted !== '' && shape.visible
      && `${replica.unmarked(shape.text)}\n${shape.named || !shape.written ? replica.shownName(shape.id) : ''}`.toLocaleLowerCase().includes(wanted)
  }

  #find() {
    if (this.#bar.hidden) return
    const current = this.#found[this.#at]
    this.#found = this.#reach.shown.replica.shapes().filter(this.#matcher())
      .sort((one, other) => one.y - other.y || one.x - other.x).map(({ id }) => id)
    const place = this.#found.indexOf(current)
    this.#at = place >= 0 ? place : Math.max(0, Math.min(this.#at, this.#found.length - 1))
    this.#show()
  }

  #show() {
    const { length } = this.#found
    this.#count.textContent = length > 0 ? `${this.#at + 1} of ${length}` : this.#field.value.trim() === '' ? '' : 'Not found'
    this.#reach.overlay.setFound(this.#found, this.#at)
  }

  #step(by: number) {
    const { length } = this.#found
    if (length === 0) return
    this.#at = (this.#at + by + length) % length
    this.#show()
    this.#go()
  }

  #go() {
    const { shown, view } = this.#reach
    const id = this.#found[this.#at]
    const shape = id === undefined ? null : shown.replica.shape(id)
    const box = shape && shown.replica.bounds([shape.id])
    if (!shape || !box) return
    const seen = openArea(view)
    const isSeen = box.x >= seen.x && box.x + box.width <= seen.x + seen.width
      && box.y >= seen.y && box.y + box.height <= seen.y + seen.height
    const isLegible = shape.textSize * view.scale >= legible
    if (!isSeen || !isLegible) fitBeside(view, box, padding, { now: performance.now(), nearest: isLegible ? view.scale : 1 })
  }
}
