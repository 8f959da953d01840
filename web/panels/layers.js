import { element, icon, iconButton, setAttributes, setIcon } from '../elements/element.js'

const rowHeightOf = () => (matchMedia('(pointer: coarse)').matches ? 48 : 36)
const beyond = 6
const startMin = 4
/** A swipe this far across deletes. */
const swipePart = 0.4
const scrollEdge = 32

/**
 * All shapes, the topmost first: a grid of which only the rows in sight exist, so that a hundred thousand cost as much as
 * twenty. Selecting, hiding, renaming, deleting, and the drawing order, by pointer and by keyboard.
 */
export class Layers {
  #app
  #ids = []
  #rows = new Map()
  #active = null
  #anchor = null
  #isStale = true
  #renaming = null
  #drag = null
  #rowHeight = rowHeightOf()
  #space = element('div', { class: 'layers-space', role: 'presentation' })
  #grid
  #marker = element('div', { class: 'layers-marker', hidden: true })
  #empty = element('p', { class: 'panel-empty quiet' }, 'Nothing is drawn yet. Each shape gets a row here.')

  /** @param {import('../state/app.js').App} app */
  constructor(app) {
    this.#app = app
    this.#grid = element('div', {
      class: 'layers-grid', role: 'grid', tabindex: '0', 'aria-label': 'Layers, the topmost first',
      'aria-multiselectable': 'true',
      onscroll: () => this.#show(),
      onkeydown: (event) => this.#key(event),
      onpointerdown: (event) => this.#press(event),
      onfocus: () => this.#show(),
      onblur: () => this.#show(),
    }, this.#space, this.#marker)
    this.element = element('section', { class: 'layers' }, this.#grid, this.#empty)
    app.addEventListener('changes', ({ detail }) => this.#follow(detail))
    app.addEventListener('selection', () => this.#show())
    app.addEventListener('mode', () => this.#show())
    new ResizeObserver(() => {
      this.#rowHeight = rowHeightOf()
      this.#show()
    }).observe(this.#grid)
  }

  /** It is looked at again. */
  onShow() {
    this.#refresh()
    const selected = this.#app.selection.ids()
    if (selected.length === 1) this.#bringIntoSight(this.#ids.indexOf(selected[0]))
  }

  #follow(changes) {
    if (changes.reset || changes.reordered || changes.shapes.some(({ shape }) => !shape)) {
      this.#isStale = true
    }
    if (this.element.hidden || (!this.#isStale && changes.shapes.length === 0)) return
    this.#refresh()
  }

  #refresh() {
    if (this.#isStale || this.#app.session.shapeCount !== this.#ids.length) {
      this.#ids = this.#app.session.drawingOrder().reverse()
      this.#isStale = false
    }
    if (this.#active !== null && this.#app.session.shape(this.#active) === null) this.#active = null
    this.#empty.hidden = this.#ids.length > 0
    this.#grid.hidden = this.#ids.length === 0
    this.#grid.setAttribute('aria-rowcount', String(this.#ids.length))
    this.#space.style.height = `${this.#ids.length * this.#rowHeight}px`
    this.#show()
  }

  // MARK: Rows

  /** Makes the rows in sight, and only those. */
  #show() {
    if (this.element.hidden) return
    const height = this.#rowHeight
    const first = Math.max(0, Math.floor(this.#grid.scrollTop / height) - beyond)
    const last = Math.min(this.#ids.length, Math.ceil((this.#grid.scrollTop + this.#grid.clientHeight) / height) + beyond)
    const wanted = new Set()
    for (let place = first; place < last; place++) {
      const id = this.#ids[place]
      const shape = this.#app.session.shape(id)
      if (!shape) continue
      wanted.add(id)
      this.#fill(this.#row(id), shape, place)
    }
    for (const [id, row] of this.#rows) {
      if (wanted.has(id) || row.id === this.#renaming) continue
      row.element.remove()
      this.#rows.delete(id)
    }
    const active = this.#rows.get(this.#active)
    setAttributes(this.#grid, { 'aria-activedescendant': active ? active.element.id : null })
  }

  #row(id) {
    const known = this.#rows.get(id)
    if (known) return known
    const eye = iconButton('eye', 'Hide', {
      class: 'plain small layer-eye', tabindex: '-1', onclick: () => this.#setVisible([id]),
    })
    const swatch = element('span', { class: 'layer-swatch' }, icon('rectangle'))
    const name = element('span', { class: 'layer-name clip' })
    const grip = element('span', { class: 'layer-grip', 'aria-hidden': 'true' }, icon('grip'))
    const cell = element('div', { role: 'gridcell', class: 'layer-cell row grow' }, swatch, name)
    const slide = element('div', { class: 'layer-slide row' }, cell,
      element('div', { role: 'gridcell', class: 'row' }, eye, grip))
    const made = element('div', { role: 'row', class: 'layer', id: `layer-${id}` },
      element('div', { class: 'layer-behind', 'aria-hidden': 'true' }, icon('trash')), slide)
    made.dataset.shape = String(id)
    cell.addEventListener('dblclick', () => this.#rename(id))
    const row = { id, element: made, eye, swatch, name, cell, slide, shown: '' }
    this.#rows.set(id, row)
    this.#space.append(made)
    return row
  }

  #fill(row, shape, place) {
    row.element.style.transform = `translateY(${place * this.#rowHeight}px)`
    row.element.style.height = `${this.#rowHeight}px`
    const isSelected = this.#app.selection.has(row.id)
    setAttributes(row.element, { 'aria-rowindex': place + 1, 'aria-selected': String(isSelected) })
    row.element.classList.toggle('active', row.id === this.#active && document.activeElement === this.#grid)
    const name = this.#app.session.shownName(row.id)
    const isReadOnly = this.#app.viewOnly || this.#app.isPast
    const shown = JSON.stringify([name, shape.visible, shape.kind, shape.fill, shape.alpha, isReadOnly])
    if (row.shown === shown) return
    row.shown = shown
    row.name.textContent = name
    row.name.title = name
    row.element.classList.toggle('invisible', !shape.visible)
    row.element.classList.toggle('fixed', isReadOnly)
    setIcon(row.eye, shape.visible ? 'eye' : 'eye-off')
    const words = shape.visible ? `Hide ${name}` : `Show ${name}`
    setAttributes(row.eye, { 'aria-label': words, title: shape.visible ? 'Hide' : 'Show', disabled: isReadOnly })
    setIcon(row.swatch, shape.kind)
    row.swatch.style.setProperty('--swatch', shape.fill)
    row.swatch.style.setProperty('--swatch-alpha', String(shape.alpha / 10))
  }

  // MARK: Keyboard

  #key(event) {
    if (event.target !== this.#grid) return
    const at = this.#ids.indexOf(this.#active)
    const page = Math.max(1, Math.floor(this.#grid.clientHeight / this.#rowHeight) - 1)
    const isCommand = event.ctrlKey || event.metaKey
    const to = {
      ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.#ids.length - 1, PageDown: at + page, PageUp: at - page,
    }[event.key]
    const done = () => {
      event.preventDefault()
      event.stopPropagation()
    }
    if (to !== undefined && this.#ids.length > 0) {
      done()
      if (event.altKey) return this.#moveBy(event.key === 'ArrowDown' ? -1 : event.key === 'ArrowUp' ? 1 : 0)
      return this.#activate(Math.min(this.#ids.length - 1, Math.max(0, to)), event)
    }
    if (this.#active === null) return
    if (event.key === ' ') {
      done()
      if (isCommand || event.shiftKey) this.#app.selection.toggle(this.#active)
      else this.#setVisible(this.#touched(this.#active))
    } else if (event.key === 'Enter' || event.key === 'F2') {
      done()
      this.#rename(this.#active)
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      done()
      const at = this.#ids.indexOf(this.#active)
      this.#delete(this.#touched(this.#active))
      this.#refresh()
      this.#activate(Math.min(at, this.#ids.length - 1), {})
    }
  }

  #activate(place, { shiftKey, ctrlKey, metaKey }) {
    if (place < 0 || this.#ids.length === 0) return
    this.#active = this.#ids[place]
    if (shiftKey) this.#selectTo(place)
    else if (!ctrlKey && !metaKey) {
      this.#anchor = this.#active
      this.#app.selection.set([this.#active])
    }
    this.#bringIntoSight(place)
    this.#show()
  }

  #selectTo(place) {
    const from = Math.max(0, this.#ids.indexOf(this.#anchor ?? this.#active))
    this.#app.selection.set(this.#ids.slice(Math.min(from, place), Math.max(from, place) + 1))
  }

  #bringIntoSight(place) {
    if (place < 0) return
    const top = place * this.#rowHeight
    const { scrollTop, clientHeight } = this.#grid
    if (top < scrollTop) this.#grid.scrollTop = top
    else if (top + this.#rowHeight > scrollTop + clientHeight) this.#grid.scrollTop = top + this.#rowHeight - clientHeight
  }

  // MARK: What is done to shapes

  /** What an act on a row is about: all selected where the row is one of them. */
  #touched(id) { return this.#app.selection.has(id) ? this.#app.selection.ids() : [id] }

  #setVisible(ids) {
    const visible = !this.#app.session.shape(ids[0])?.visible
    this.#app.edit((session) => session.edit(ids.map((shape) => ({ shape, set: { visible } }))))
  }

  #delete(ids) { this.#app.edit((session) => session.delete(ids)) }

  #moveBy(step) {
    if (this.#active === null || step === 0) return
    const ids = this.#touched(this.#active)
    this.#app.edit((session) => session.reorder(ids, step > 0 ? 'forward' : 'backward'))
    this.#isStale = true
    this.#refresh()
    this.#bringIntoSight(this.#ids.indexOf(this.#active))
  }

  #rename(id) {
    const row = this.#rows.get(id)
    if (!row || this.#renaming !== null || this.#app.viewOnly || this.#app.isPast) return
    this.#renaming = id
    const shape = this.#app.session.shape(id)
    const before = this.#app.session.shownName(id)
    const field = element('input', {
      class: 'field layer-field', value: before, 'aria-label': `Name of ${before}`, spellcheck: 'false', maxlength: '128',
    })
    row.name.replaceWith(field)
    field.select()
    field.focus()
    const finish = (isKept) => {
      if (this.#renaming !== id) return
      this.#renaming = null
      const hadFocus = document.activeElement === field
      field.replaceWith(row.name)
      const name = field.value.trim()
      if (isKept && name && name !== before && shape) {
        this.#app.edit((session) => session.edit([{ shape: id, set: { name } }]))
      }
      if (hadFocus) this.#grid.focus({ preventScroll: true })
      this.#show()
    }
    field.addEventListener('keydown', (event) => {
      event.stopPropagation()
      if (event.key === 'Enter') finish(true)
      if (event.key === 'Escape') finish(false)
    })
    field.addEventListener('blur', () => finish(true))
  }

  // MARK: Pointer

  #press(event) {
    const target = event.target instanceof Element ? event.target : null
    const made = target?.closest('.layer')
    if (!made || event.button !== 0 || target.closest('input')) return
    const id = Number(made.dataset.shape)
    const isTouch = event.pointerType === 'touch'
    this.#drag = {
      id, isTouch, kind: null, pointer: event.pointerId, x: event.clientX, y: event.clientY, to: null,
      isByGrip: target.closest('.layer-grip') !== null, isOnButton: target.closest('button') !== null,
    }
    const move = (moved) => this.#move(moved)
    const end = (ended) => {
      if (ended.pointerId !== event.pointerId) return
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
      this.#release(ended)
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
  }

  #move(event) {
    const drag = this.#drag
    if (!drag || event.pointerId !== drag.pointer) return
    const across = event.clientX - drag.x
    const down = event.clientY - drag.y
    if (!drag.kind) {
      if (Math.hypot(across, down) < startMin || this.#app.viewOnly || this.#app.isPast) return
      if (drag.isByGrip || !drag.isTouch) drag.kind = 'order'
      else if (Math.abs(across) > Math.abs(down) * 1.5) drag.kind = 'swipe'
      else {
        // A finger that goes up or down scrolls.
        this.#drag = null
        return
      }
      this.#grid.setPointerCapture?.(drag.pointer)
      this.#rows.get(drag.id)?.element.classList.add(drag.kind === 'order' ? 'dragged' : 'swiped')
    }
    if (drag.kind === 'swipe') {
      const row = this.#rows.get(drag.id)
      if (row) row.slide.style.transform = `translateX(${Math.min(0, across)}px)`
      drag.isFar = -across > this.#grid.clientWidth * swipePart
      row?.element.classList.toggle('goes', drag.isFar)
      return
    }
    const box = this.#grid.getBoundingClientRect()
    if (event.clientY < box.top + scrollEdge) this.#grid.scrollTop -= this.#rowHeight / 3
    if (event.clientY > box.bottom - scrollEdge) this.#grid.scrollTop += this.#rowHeight / 3
    const place = Math.round((event.clientY - box.top + this.#grid.scrollTop) / this.#rowHeight)
    drag.to = Math.min(this.#ids.length, Math.max(0, place))
    this.#marker.hidden = false
    this.#marker.style.transform = `translateY(${drag.to * this.#rowHeight - 1}px)`
  }

  #release(event) {
    const drag = this.#drag
    this.#drag = null
    if (!drag) return
    const row = this.#rows.get(drag.id)
    row?.element.classList.remove('dragged', 'swiped', 'goes')
    if (row) row.slide.style.transform = ''
    this.#marker.hidden = true
    if (event.type === 'pointercancel') return
    if (drag.kind === 'swipe') {
      if (drag.isFar) this.#delete([drag.id])
    } else if (drag.kind === 'order') {
      if (drag.to !== null) this.#drop(this.#touched(drag.id), drag.to)
    } else if (!drag.isOnButton) {
      this.#click(drag.id, event)
    }
  }

  #click(id, event) {
    this.#grid.focus({ preventScroll: true })
    const place = this.#ids.indexOf(id)
    if (event.ctrlKey || event.metaKey) {
      this.#active = id
      this.#anchor = id
      this.#app.selection.toggle(id)
    } else {
      this.#activate(place, event)
    }
  }

  /** Between two rows: as many are drawn before the shapes as lie below the gap and are not among them. */
  #drop(ids, gap) {
    const moved = new Set(ids)
    const before = this.#ids.slice(gap).filter((id) => !moved.has(id)).length
    this.#app.edit((session) => session.reorder(ids, before))
  }
}
