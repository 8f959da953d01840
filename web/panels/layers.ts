import { within } from '../basics/words.js'
import { isStroke } from '../canvas/lines.js'
import { changedBit, type Shape } from '../core/table.js'
import type { Changes } from '../core/types.js'
import { element, icon, iconButton, isComposed, setAttributes, setIcon } from '../elements/element.js'
import type { Editing } from '../state/editing.js'
import type { Groups } from '../state/groups.js'
import { groupLabel, labelOf } from '../state/labels.js'
import type { Locks } from '../state/locks.js'
import type { Names } from '../state/names.js'
import type { Notices } from '../state/notices.js'
import type { Permission } from '../state/permission.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'

const rowHeightOf = () => (matchMedia('(pointer: coarse)').matches ? 48 : 36)
const beyond = 6
const startMin = 4
/** A swipe deletes a shape if it is at least this fraction of the row's width. */
const swipePart = 0.4
const scrollEdge = 32

type Row = {
  id: number, element: HTMLElement, eye: HTMLElement, lock: HTMLElement, swatch: HTMLElement, name: HTMLElement,
  cell: HTMLElement, slide: HTMLElement, shown: unknown[],
}

/**
 * A pointer that is down on a row. `kind`: what its movement does; null before it has moved. `to`: the index where it
 * would drop the row.
 */
type RowDrag = {
  id: number, isTouch: boolean, kind: 'order' | 'swipe' | null, pointer: number, x: number, y: number,
  to: number | null, isFar: boolean, isByGrip: boolean, isOnButton: boolean,
}

/**
 * The list of all shapes, the topmost first. Shapes can be selected, hidden, locked, renamed, deleted and reordered, by
 * pointer and by keyboard.
 *
 * Only the visible rows are in the page, so a hundred thousand shapes cost as much as twenty. A group has a row of its
 * own above its topmost shape. That row's identifier is the topmost shape's identifier with a minus sign.
 */
export class Layers {
  #shown
  #editing
  #selection
  #permission
  #groups
  #locks
  #names
  #notices
  #place
  #ids: number[] = []
  #rows = new Map<number, Row>()
  #active: number | null = null
  /** The group whose row is active. */
  #activeGroup: number | undefined
  /** If no row is active: the place of the row that follows the one that was, before somebody deleted its shape. */
  #nextPlace = 0
  /** The row from which Shift selects. */
  #anchor: number | null = null
  #isStale = true
  /** The shape that is being renamed. */
  #renaming: { id: number, finish: (isKept: boolean) => void, before: string } | null = null
  #drag: RowDrag | null = null
  /** Whether a pointer is down on a row. */
  #isHeld = false
  #rowHeight = rowHeightOf()
  #space = element('div', { class: 'layers-space', role: 'presentation' })
  #marker = element('div', { class: 'layers-marker', hidden: true })
  #grid = element('div', {
    class: 'layers-grid', role: 'grid', tabindex: '0', 'aria-label': 'Layers, the topmost first',
    'aria-multiselectable': 'true',
    onscroll: () => this.#show(),
    onkeydown: (event) => this.#key(event),
    onpointerdown: (event) => this.#press(event),
    onfocus: () => this.#show(),
    onblur: () => this.#show(),
  }, this.#space, this.#marker)
  #empty = element('p', { class: 'panel-empty quiet' }, 'Nothing drawn yet. Every shape gets a row here.')

  /** @param place the element in which the list is shown */
  constructor({ shown, editing, selection, permission, groups, locks, names, notices }: {
    shown: Shown, editing: Editing, selection: Selection, permission: Permission, groups: Groups, locks: Locks,
    names: Names, notices: Notices,
  }, place: HTMLElement) {
    this.#place = place
    place.append(this.#grid, this.#empty)
    this.#names = names
    this.#notices = notices
    this.#groups = groups
    this.#locks = locks
    this.#shown = shown
    this.#editing = editing
    this.#selection = selection
    this.#permission = permission
    shown.on('changes', (changes) => this.#follow(changes))
    selection.on('change', () => this.#show())
    permission.on('change', () => this.#show())
    shown.on('leaving', () => this.#renaming?.finish(true))
    new ResizeObserver(() => {
      this.#rowHeight = rowHeightOf()
      this.#show()
    }).observe(this.#grid)
  }

  /** Called when the panel is visible again. */
  onShow() {
    this.#refresh()
    const selected = this.#selection.ids()
    if (selected.length === 1) this.#bringIntoSight(this.#ids.indexOf(selected[0]))
  }

  #follow(changes: Changes) {
    if (changes.reset || changes.reordered || changes.shapes.some(({ shape, changed }) => !shape || (changed & changedBit.group) !== 0)) {
      this.#isStale = true
    }
    const { id, before } = this.#renaming ?? {}
    if (id !== undefined && !this.#shown.replica.shape(id)) {
      this.#renaming?.finish(false)
      // The next letters are keys of the page. None of them may delete what is still selected.
      this.#selection.clear()
      const by = changes.shapes.find((change) => change.id === id)?.by ?? 0
      this.#notices.say(`${by > 0 ? this.#names.of(by) : 'Somebody'} deleted ${within(before ?? '')} while you renamed it.`)
    }
    if (this.#place.hidden || (!this.#isStale && changes.shapes.length === 0)) return
    this.#refresh()
  }

  #refresh() {
    if (this.#isStale) {
      const place = this.#active === null ? 0 : this.#ids.indexOf(this.#active)
      this.#ids = this.#withGroups(this.#shown.replica.drawingOrder().reverse())
      this.#isStale = false
      if (this.#anchor !== null && !this.#ids.includes(this.#anchor)) this.#anchor = null
      if (this.#active !== null && (!this.#ids.includes(this.#active) || this.#groupOf(this.#active) !== this.#activeGroup)) {
        // No other row becomes active by itself, because keys such as Delete would then apply to it.
        this.#nextPlace = place
        this.#setActive(null)
      }
    }
    this.#empty.hidden = this.#ids.length > 0
    this.#grid.hidden = this.#ids.length === 0
    this.#grid.setAttribute('aria-rowcount', String(this.#ids.length))
    this.#space.style.height = `${this.#ids.length * this.#rowHeight}px`
    this.#show()
  }

  /**
   * @returns the identifiers of the rows. A group's row has the negated identifier of the shape below it. A group has
   * several such rows if other shapes are drawn between its own, because a list in the drawing order has those between.
   */
  #withGroups(ids: number[]): number[] {
    let above: number | undefined
    return ids.flatMap((id) => {
      const group = this.#groups.of(id)?.group
      const isNext = group === above
      above = group
      return group === undefined || isNext ? [id] : [-id, id]
    })
  }

  /** The group of a group's row. Its topmost shape can be put into another group, whose row then has the same identifier. */
  #groupOf(row: number) { return row < 0 ? this.#groups.of(-row)?.group : undefined }

  #setActive(row: number | null) {
    this.#active = row
    this.#activeGroup = row === null ? undefined : this.#groupOf(row)
  }

  /** The shape of a row, or the shapes of a group's row. */
  #shapesIn(row: number): number[] { return row > 0 ? [row] : [...this.#groups.of(-row)?.ids ?? []] }

  // MARK: Rows

  /** Adds the rows that are visible, and removes all others. */
  #show() {
    if (this.#place.hidden) return
    const height = this.#rowHeight
    const first = Math.max(0, Math.floor(this.#grid.scrollTop / height) - beyond)
    const last = Math.min(this.#ids.length, Math.ceil((this.#grid.scrollTop + this.#grid.clientHeight) / height) + beyond)
    const wanted = new Set()
    for (let place = first; place < last; place++) {
      const id = this.#ids[place]
      const shape = this.#shown.replica.shape(Math.abs(id))
      if (!shape) continue
      wanted.add(id)
      this.#fill(this.#row(id), shape, place)
    }
    for (const [id, row] of this.#rows) {
      if (wanted.has(id) || row.id === this.#renaming?.id) continue
      row.element.remove()
      this.#rows.delete(id)
    }
    const active = this.#active === null ? undefined : this.#rows.get(this.#active)
    setAttributes(this.#grid, { 'aria-activedescendant': active ? active.element.id : null })
  }

  #row(id: number): Row {
    const known = this.#rows.get(id)
    if (known) return known
    const eye = iconButton('eye', 'Hide', {
      class: 'plain small layer-eye', tabindex: '-1', onclick: () => this.#toggleVisible(id, this.#shapesIn(id)),
    })
    const lock = iconButton('unlocked', 'Lock', {
      class: 'plain small layer-eye', tabindex: '-1', onclick: () => this.#locks.set(this.#shapesIn(id), !this.#locks.has(Math.abs(id))),
    })
    const swatch = element('span', { class: 'layer-swatch' }, icon('rectangle'))
    const name = element('span', { class: 'layer-name clip', dir: 'auto' })
    const grip = element('span', { class: 'layer-grip', 'aria-hidden': 'true' }, icon('grip'))
    const cell = element('div', { role: 'gridcell', class: 'layer-cell row grow' }, swatch, name)
    const slide = element('div', { class: 'layer-slide row' }, cell,
      element('div', { role: 'gridcell', class: 'row' }, lock, eye, grip))
    const made = element('div', { role: 'row', class: 'layer', id: `layer-${id}` },
      element('div', { class: 'layer-behind', 'aria-hidden': 'true' }, icon('trash')), slide)
    made.dataset.row = String(id)
    made.classList.toggle('group-row', id < 0)
    cell.addEventListener('dblclick', () => this.#rename(id))
    const row = { id, element: made, eye, lock, swatch, name, cell, slide, shown: [] }
    this.#rows.set(id, row)
    this.#space.append(made)
    return row
  }

  #fill(row: Row, shape: Shape, place: number) {
    row.element.style.transform = `translateY(${place * this.#rowHeight}px)`
    row.element.style.height = `${this.#rowHeight}px`
    const isGroup = row.id < 0
    const isSelected = this.#shapesIn(row.id).every((id) => this.#selection.has(id))
    setAttributes(row.element, { 'aria-rowindex': place + 1, 'aria-selected': String(isSelected) })
    row.element.classList.toggle('active', row.id === this.#active && document.activeElement === this.#grid)
    const { replica } = this.#shown
    const name = isGroup ? groupLabel(replica, this.#shapesIn(row.id)) : labelOf(replica, row.id)
    const isReadOnly = !this.#permission.mayEdit
    const isGrouped = !isGroup && this.#groups.hasAny([row.id])
    const { visible, kind, fill, alpha, filled, stroke, locked } = shape
    const shown = [name, visible, kind, fill, alpha, filled, stroke, locked, isReadOnly, isGrouped]
    if (shown.every((value, at) => value === row.shown[at])) return
    row.shown = shown
    row.name.textContent = name
    row.name.title = name
    row.element.classList.toggle('invisible', !visible)
    row.element.classList.toggle('fixed', isReadOnly)
    setIcon(row.eye, visible ? 'eye' : 'eye-off')
    const words = visible ? `Hide ${name}` : `Show ${name}`
    setAttributes(row.eye, { 'aria-label': words, title: visible ? 'Hide' : 'Show', disabled: isReadOnly })
    row.element.classList.toggle('locked', locked)
    row.element.classList.toggle('grouped', isGrouped)
    setIcon(row.lock, locked ? 'locked' : 'unlocked')
    const lockWords = locked ? 'Unlock' : 'Lock'
    setAttributes(row.lock, { 'aria-label': `${lockWords} ${name}`, title: lockWords, disabled: isReadOnly, hidden: isReadOnly && !locked })
    setIcon(row.swatch, isGroup ? 'group' : kind)
    const isFilled = filled && !isStroke(kind)
    row.swatch.classList.toggle('hollow', !isFilled)
    row.swatch.style.setProperty('--swatch', isFilled ? fill : stroke)
    row.swatch.style.setProperty('--swatch-alpha', String(alpha / 10))
  }

  // MARK: Keyboard

  #key(event: KeyboardEvent) {
    if (event.target !== this.#grid) return
    const at = this.#active === null ? this.#nextPlace : this.#ids.indexOf(this.#active)
    const [above, below] = [at - 1, this.#active === null ? at : at + 1]
    const more = Math.max(0, Math.floor(this.#grid.clientHeight / this.#rowHeight) - 2)
    const isCommand = event.ctrlKey || event.metaKey
    const to = new Map([
      ['ArrowDown', below], ['ArrowUp', above], ['Home', 0], ['End', this.#ids.length - 1], ['PageDown', below + more],
      ['PageUp', above - more],
    ]).get(event.key)
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
      if (isCommand || event.shiftKey) this.#toggle(this.#active)
      else this.#toggleVisible(this.#active, this.#touched(this.#active))
    } else if (event.key === 'Enter' || event.key === 'F2') {
      done()
      this.#rename(this.#active)
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      done()
      // The next row is active afterwards. A key that is held down would delete that as well.
      if (event.repeat) return
      this.#delete(this.#touched(this.#active))
      this.#isStale = true
      this.#refresh()
      this.#activate(Math.min(at, this.#ids.length - 1))
    }
  }

  /** @param event the mouse or keyboard event that activates the row */
  #activate(place: number, event?: MouseEvent | KeyboardEvent) {
    if (place < 0 || this.#ids.length === 0) return
    const active = this.#ids[place]
    this.#setActive(active)
    if (event?.shiftKey) this.#selectTo(place)
    else if (!event?.ctrlKey && !event?.metaKey) {
      this.#anchor = active
      this.#selection.set(this.#shapesIn(active))
    }
    this.#bringIntoSight(place)
    this.#show()
  }

  #selectTo(place: number) {
    this.#anchor ??= this.#ids[place]
    const from = this.#ids.indexOf(this.#anchor)
    const rows = this.#ids.slice(Math.min(from, place), Math.max(from, place) + 1)
    // A group with many rows is taken once.
    const groups = new Set(rows.map((row) => (row > 0 ? [row] : this.#groups.of(-row)?.ids ?? [])))
    this.#selection.set([...new Set([...groups].flatMap((ids) => [...ids]))])
  }

  #bringIntoSight(place: number) {
    if (place < 0) return
    const top = place * this.#rowHeight
    const { scrollTop, clientHeight } = this.#grid
    if (top < scrollTop) this.#grid.scrollTop = top
    else if (top + this.#rowHeight > scrollTop + clientHeight) this.#grid.scrollTop = top + this.#rowHeight - clientHeight
  }

  // MARK: Actions on shapes

  /**
   * The shapes to which an action on a row applies: all selected shapes if the row's shape is selected, otherwise only
   * that shape.
   */
  #touched(id: number) {
    const shapes = this.#shapesIn(id)
    return shapes.length > 0 && shapes.every((each) => this.#selection.has(each)) ? this.#selection.ids() : shapes
  }

  #toggle(row: number) { this.#selection.toggle(this.#shapesIn(row)) }

  /** Does to shapes what the row's button says: hides or shows them. */
  #toggleVisible(row: number, ids: number[]) {
    const visible = !this.#shown.replica.shape(Math.abs(row))?.visible
    this.#editing.edit((replica) => replica.edit(ids.map((shape) => ({ shape, set: { visible } }))))
  }

  #delete(ids: number[]) { if (!this.#locks.refuse(ids)) this.#editing.edit((replica) => replica.delete(ids)) }

  #moveBy(step: number) {
    if (this.#active === null || step === 0) return
    const active = this.#active
    const ids = this.#touched(active)
    if (this.#locks.refuse(ids)) return
    this.#editing.edit((replica) => replica.reorder(ids, step > 0 ? 'forward' : 'backward'))
    this.#isStale = true
    this.#refresh()
    this.#bringIntoSight(this.#ids.indexOf(active))
  }

  #rename(id: number) {
    const row = this.#rows.get(id)
    if (!row || id < 0 || this.#renaming !== null || !this.#permission.mayEdit || this.#locks.refuse([id])) return
    const before = this.#shown.replica.shownName(id)
    const field = element('input', {
      class: 'field layer-field', value: before, dir: 'auto', 'aria-label': `Name of ${before}`, spellcheck: 'false', maxlength: '128',
    })
    row.name.replaceWith(field)
    field.select()
    field.focus()
    /** @returns whether the typed name can be taken */
    const write = () => {
      const name = field.value.trim()
      if (!name || name === before) return true
      return !this.#locks.refuse([id]) && this.#editing.write((replica) => replica.edit([{ shape: id, set: { name } }]))
    }
    const finish = (isKept: boolean) => {
      if (this.#renaming?.finish !== finish) return
      this.#renaming = null
      const hadFocus = document.activeElement === field
      field.replaceWith(row.name)
      if (isKept) write()
      if (hadFocus) this.#grid.focus({ preventScroll: true })
      this.#show()
    }
    field.addEventListener('keydown', (event) => {
      event.stopPropagation()
      if (isComposed(event)) return
      // The name may be too long, or somebody may have locked the shape meanwhile. What was typed stays until the field
      // is left.
      if (event.key === 'Enter' && write()) finish(false)
      if (event.key === 'Escape') finish(false)
    })
    field.addEventListener('blur', () => finish(true))
    this.#renaming = { id, finish, before }
  }

  // MARK: Pointer

  #press(event: PointerEvent) {
    const target = event.target instanceof Element ? event.target : null
    const made = target?.closest('.layer')
    if (!target || !(made instanceof HTMLElement) || event.button !== 0 || target.closest('input')) return
    // While one finger is down on a row, other fingers are ignored.
    if (this.#isHeld) return
    this.#isHeld = true
    const id = Number(made.dataset.row)
    const isTouch = event.pointerType === 'touch'
    this.#drag = {
      id, isTouch, kind: null, pointer: event.pointerId, x: event.clientX, y: event.clientY, to: null, isFar: false,
      isByGrip: target.closest('.layer-grip') !== null, isOnButton: target.closest('button') !== null,
    }
    const move = (moved: PointerEvent) => this.#move(moved)
    const end = (ended: PointerEvent) => {
      if (ended.pointerId !== event.pointerId) return
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
      removeEventListener('keydown', giveUp, { capture: true })
      this.#isHeld = false
      this.#release(ended.type === 'pointercancel' ? null : ended)
    }
    const giveUp = (pressed: KeyboardEvent) => {
      if (pressed.key !== 'Escape' || !this.#drag?.kind) return
      pressed.preventDefault()
      pressed.stopImmediatePropagation()
      this.#release(null)
    }
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
    addEventListener('keydown', giveUp, { capture: true })
  }

  #move(event: PointerEvent) {
    const drag = this.#drag
    if (!drag || event.pointerId !== drag.pointer) return
    const across = event.clientX - drag.x
    const down = event.clientY - drag.y
    if (!drag.kind) {
      if (Math.hypot(across, down) < startMin || !this.#permission.mayEdit) return
      if (drag.isByGrip || !drag.isTouch) drag.kind = 'order'
      else if (Math.abs(across) > Math.abs(down) * 1.5) drag.kind = 'swipe'
      else {
        // A finger that moves up or down scrolls the list instead of dragging the row.
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

  /** @param event the up event; null if the drag was cancelled */
  #release(event: PointerEvent | null) {
    const drag = this.#drag
    this.#drag = null
    if (!drag) return
    const row = this.#rows.get(drag.id)
    row?.element.classList.remove('dragged', 'swiped', 'goes')
    if (row) row.slide.style.transform = ''
    this.#marker.hidden = true
    // Somebody may have deleted the shape since its row was pressed.
    if (!event || this.#shown.replica.shapesOf(this.#shapesIn(drag.id)).length === 0) return
    if (drag.kind === 'swipe') {
      if (drag.isFar) this.#delete(this.#shapesIn(drag.id))
    } else if (drag.kind === 'order') {
      if (drag.to !== null) this.#drop(this.#touched(drag.id), drag.to)
    } else if (!drag.isOnButton) {
      this.#click(drag.id, event)
    }
  }

  #click(id: number, event: PointerEvent) {
    this.#grid.focus({ preventScroll: true })
    const place = this.#ids.indexOf(id)
    // The row of a group that another shape has come to the top of has another identifier by now.
    if (place < 0) return
    if (event.ctrlKey || event.metaKey) {
      this.#setActive(id)
      this.#anchor = id
      this.#toggle(id)
    } else {
      this.#activate(place, event)
    }
  }

  /** Drops shapes into the gap between two rows: they are drawn above all shapes that have their rows below the gap. */
  #drop(ids: number[], gap: number) {
    if (this.#locks.refuse(ids)) return
    const moved = new Set(ids)
    const before = this.#ids.slice(gap).filter((id) => id > 0 && !moved.has(id)).length
    this.#editing.edit((replica) => replica.reorder(ids, before))
  }
}
