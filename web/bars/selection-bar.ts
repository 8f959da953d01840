import type { Writing } from '../arrange/reach.js'
import type { Fitting } from '../canvas/fitted.js'
import type { Handles } from '../canvas/handles.js'
import { isStroke, routed } from '../canvas/lines.js'
import { chosenTextSize, isNote, noteShade } from '../canvas/notes.js'
import { openArea } from '../canvas/surroundings.js'
import type { View } from '../canvas/view.js'
import type { Shape } from '../core/table.js'
import type { Frame } from '../core/types.js'
import { bared, filledWith, hasFillAndOutline, outlinedWith } from '../draw/look.js'
import { leadAround } from '../connect/around.js'
import { element, iconButton, setAttributes, setIcon } from '../elements/element.js'
import { popover } from '../elements/popover.js'
import type { Documents } from '../state/documents.js'
import type { Editing } from '../state/editing.js'
import type { Frames } from '../state/frames.js'
import type { Groups } from '../state/groups.js'
import type { Locks } from '../state/locks.js'
import type { Permission } from '../state/permission.js'
import type { Play } from '../state/play.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'
import type { Doables } from '../tools/actions.js'
import type { Tools } from '../tools/tools.js'
import { Choices, dashes, routes, textSizes, widths } from './choices.js'
import { Swatches } from './swatches.js'

const hasText = ({ kind, written }: Shape) => !isStroke(kind) || (kind === 'line' && written)
const hasLine = ({ kind }: Shape) => kind !== 'text'
const isLine = ({ kind }: Shape) => kind === 'line'

/** In CSS pixels: the distance from the bar to the frame, with enough space for the handle between them. */
const away = 48
/**
 * In CSS pixels: the margin between the bar and the window's sides, and between the bar and the bars and tools above
 * and below. On a phone the zoom and the white circle are above the tools.
 */
const margin = 8
const barsHeight = 72
const toolsHeight = 76
const phoneToolsHeight = 140
const phone = matchMedia('(max-width: 640px) and (min-height: 401px)')
/**
 * If more shapes than this are selected, the bar doesn't show their common colour, because finding it means reading all
 * of them.
 */
const comparedMax = 200

/** The forms of a line's end. Each click on the button for an end chooses the next one. */
const ends = ['plain', 'arrow', 'dot']

/**
 * A bar with the most common changes to the selection, each a single click. It is hidden during a gesture that changes
 * shapes.
 */
export class SelectionBar {
  #shown
  #selection
  #permission
  #view
  #handles
  #tools
  #swatches
  /** The button that opens the colours. */
  #look = iconButton('any-color', 'Colours of the selection', { class: 'plain small any' })
  #sizes
  #widths
  #dashes
  #routes
  #ends: ['fromEnd' | 'toEnd', HTMLButtonElement][]
  #duplicate
  #delete
  #writing
  #write
  #openLink
  #hasLink
  #groups
  #group
  #locks
  #lock
  #bar
  #style
  #size: { width: number, height: number } | null = null
  /** The box around the selection's frame, in CSS pixels of the window. */
  #framed: DOMRect | null = null
  #isStale = true
  readonly element

  constructor(
    { documents, shown, editing, selection, permission, play, view, handles, frames, tools, writing, groups, locks, fitting }: {
      documents: Documents, shown: Shown, editing: Editing, selection: Selection, permission: Permission, view: View, handles: Handles,
      frames: Frames, tools: Tools, play: Play, writing: Writing, groups: Groups, locks: Locks, fitting: Fitting,
    },
    actions: Doables,
  ) {
    this.#groups = groups
    this.#group = iconButton('group', '', { class: 'plain small', onclick: () => actions[this.#isOneGroup() ? 'ungroup' : 'group'].run() })
    this.#locks = locks
    this.#lock = iconButton('unlocked', '', { class: 'plain small', onclick: () => actions.lock.run() })
    this.#writing = writing
    this.#write = iconButton('text', 'Write in it', { class: 'plain small', onclick: () => actions.write.run() })
    this.#openLink = iconButton('link', actions.openLink.words, { class: 'plain small', onclick: () => actions.openLink.run() })
    this.#hasLink = () => actions.openLink.isEnabled?.() ?? false
    this.#shown = shown
    this.#selection = selection
    this.#permission = permission
    this.#view = view
    this.#handles = handles
    this.#tools = tools
    // Somebody may lock a shape while the colours are open.
    const edit: Editing['edit'] = (change) => (locks.refuse(selection.ids()) ? undefined : editing.edit(change))
    this.#swatches = new Swatches('Colours of the selection', {
      fill: { words: `${actions.recolor.words} (${actions.recolor.key})`, icon: 'any-color', isShown: () => play.isOn },
      stroke: { words: 'No outline', icon: 'none' },
    }, (part, color) => {
      if (part === 'fill' && color === null) return actions.recolor.run()
      return edit((replica) => replica.edit(replica.shapesOf(selection.ids()).map((shape) => {
        if (color === null || color === 'none') return { shape: shape.id, set: bared(shape, part) }
        return { shape: shape.id, set: part === 'fill' ? filledWith(shape, isNote(shape) ? noteShade(color) : color) : outlinedWith(shape, color) }
      }).filter(({ set }) => Object.keys(set).length > 0)))
    })
    const set = (property: string, isOf: (shape: Shape) => boolean) => (value: unknown) => edit((replica) => replica.edit(
      replica.shapesOf(selection.ids()).filter(isOf).map(({ id }) => ({ shape: id, set: { [property]: value } }))))
    this.#sizes = new Choices('Text size', textSizes, (value) => edit((replica) => replica.edit(
      replica.shapesOf(selection.ids()).filter(hasText)
        .map((shape) => ({ shape: shape.id, set: fitting.lettered(shape, Number(value)) })))))
    this.#widths = new Choices('Outline width', widths, set('strokeWidth', hasLine))
    this.#dashes = new Choices('Line', dashes, set('dash', hasLine))
    this.#routes = new Choices('Route', routes, (route) => editing.group(() => {
      const done = edit((replica) => replica.edit(
        replica.shapesOf(selection.ids()).filter(isLine).map((line) => ({ shape: line.id, set: routed(line, route as Shape['route']) }))))
      if (done !== undefined) for (const id of selection.ids()) leadAround({ editing, shown }, id)
    }))
    this.#ends = (['fromEnd', 'toEnd'] as const).map((end) => [end, iconButton('line', '', {
      class: `plain small ${end}`, onclick: () => set(end, isLine)(this.#nextEnd(end)),
    })])
    this.#duplicate = iconButton('duplicate', 'Duplicate', { class: 'plain small', onclick: () => actions.duplicate.run() })
    this.#delete = iconButton('trash', 'Delete', { class: 'plain small danger', onclick: () => actions.delete.run() })
    this.#look.append(element('span', { class: 'paint-swatch' }))
    this.#bar = element('section', {
      class: 'selection-bar floating', 'aria-label': 'What is selected', hidden: true,
    }, element('div', { class: 'row' }, this.#look, this.#sizes.element, this.#routes.element, this.#ends.map(([, button]) => button),
      this.#write, this.#openLink,
      // Where a phone has no space for all in one row, these stay together, and no button stands alone.
      element('div', { class: 'row' }, this.#duplicate, this.#group, this.#lock, this.#delete)))
    // After a click the keys belong to the selection. If the button had the focus, Enter would press it again.
    this.#bar.addEventListener('mousedown', (event) => {
      const focused = document.activeElement
      const isField = focused instanceof HTMLInputElement
      if (isField && this.#bar.contains(focused)) return
      // The field commits its value.
      if (isField) focused.blur()
      event.preventDefault()
    })
    this.#style = popover(this.#look, element('div', { class: 'style-sheet' }, this.#swatches.element, this.#widths.element, this.#dashes.element),
      { label: 'Colours of the selection', spared: () => this.#framed })
    this.element = this.#bar
    selection.on('change', () => { this.#isStale = true })
    shown.on('changes', ({ reset, shapes }) => {
      if (reset || shapes.some(({ id }) => selection.has(id))) this.#isStale = true
    })
    const compareAnew = () => {
      this.#isStale = true
      frames.request()
    }
    play.on('change', compareAnew)
    // Without this module, no addresses are found.
    documents.on('ready', compareAnew)
    // Its size changes with the window, and with the panel beside it. The first size is told too, so the bar is placed as
    // soon as its code is here.
    new ResizeObserver(() => {
      this.#size = null
      frames.request()
    }).observe(this.#bar)
    frames.on('paint', () => this.#place())
  }

  #place() {
    const frame = this.#permission.mayEdit && !this.#tools.isBusy && !this.#writing.isOpen ? this.#handles.frame() : null
    const isHidden = frame === null
    if (this.#bar.hidden !== isHidden) this.#bar.hidden = isHidden
    if (isHidden && this.#style.isOpen()) this.#style.close()
    if (!frame) return
    if (this.#isStale) this.#compare()
    this.#size ??= { width: this.#bar.offsetWidth, height: this.#bar.offsetHeight }
    const place = this.#placeFor(frame, this.#size)
    const style = place ? `translate(${Math.round(place.x)}px, ${Math.round(place.y)}px)` : ''
    this.#bar.classList.toggle('out-of-view', !place)
    if (this.#bar.style.transform !== style) this.#bar.style.transform = style
  }

  /**
   * The bar's position: above the frame, otherwise below it or beside it, where there is space. If there is no space,
   * it is at the lower edge of the visible area, or at the upper edge if the frame reaches the lower one. null if the
   * frame isn't visible.
   */
  #placeFor(frame: Frame, { width, height }: { width: number, height: number }) {
    const view = this.#view
    const turn = frame.rotation * Math.PI / 180
    const center = view.toScreen({ x: frame.x + frame.width / 2, y: frame.y + frame.height / 2 })
    const reach = view.scale / 2
    const across = reach * (frame.width * Math.abs(Math.cos(turn)) + frame.height * Math.abs(Math.sin(turn)))
    const down = reach * (frame.width * Math.abs(Math.sin(turn)) + frame.height * Math.abs(Math.cos(turn)))
    this.#framed = new DOMRect(center.x - across, center.y - down, 2 * across, 2 * down)
    const free = openArea(view)
    const [left, top] = [margin, barsHeight]
    const right = Math.max(left + width, view.toScreen({ x: free.x + free.width, y: 0 }).x)
    const bottom = Math.min(view.toScreen({ x: 0, y: free.y + free.height }).y, view.height - (phone.matches ? phoneToolsHeight : toolsHeight))
    if (center.x + across < left || center.x - across > right || center.y + down < top || center.y - down > bottom) return null
    const above = center.y - down - away - height
    const below = center.y + down + away
    const isBeside = above < top && below + height > bottom && center.x + across + margin + away + width <= right
    if (isBeside) return { x: center.x + across + away, y: Math.max(top, Math.min(bottom - height, center.y - height / 2)) }
    const fallback = center.y + down <= bottom - height ? bottom - height : top
    const y = above >= top ? above : below + height <= bottom ? below : fallback
    return { x: Math.max(left, Math.min(right - width, center.x - width / 2)), y }
  }

  #compare() {
    this.#isStale = false
    const ids = this.#selection.ids()
    const isLocked = this.#locks.hasAny(ids)
    const shapes = this.#shown.replica.shapesOf(ids.slice(0, comparedMax))
    const isInk = shapes.some(({ kind }) => kind === 'ink')
    const hidden = [
      [this.#look, isLocked], [this.#write, isLocked || ids.length !== 1 || isInk], [this.#group, isLocked || ids.length < 2],
      [this.#openLink, !this.#hasLink()],
      [this.#sizes.element, isLocked || !shapes.some(hasText)], [this.#delete, isLocked],
      ...[...this.#ends.map(([, button]) => button), this.#routes.element].map((part) => [part, isLocked || !shapes.some(isLine)]),
    ]
    for (const [part, isHidden] of hidden as [HTMLElement, boolean][]) {
      if (part.hidden === isHidden) continue
      part.hidden = isHidden
      this.#size = null
    }
    label(this.#lock, isLocked ? 'locked' : 'unlocked', isLocked ? 'Unlock' : 'Lock')
    const isOneGroup = this.#isOneGroup()
    label(this.#group, isOneGroup ? 'ungroup' : 'group', isOneGroup ? 'Ungroup' : 'Group')
    /** The value that the shapes have in common. Only shapes that pass `isOf` count. */
    const common = <T>(read: (shape: Shape) => T, isOf: (shape: Shape) => boolean = () => true) => {
      const [first, ...others] = shapes.filter(isOf).map(read)
      return others.every((other) => other === first) ? first : undefined
    }
    const hasOutlines = shapes.some(hasFillAndOutline)
    this.#swatches.isOfOneColor = !hasOutlines
    this.#swatches.isOfNotes = shapes.every(isNote)
    const fill = common(({ kind, fill, filled, stroke }) => (isStroke(kind) ? stroke.toUpperCase() : filled ? fill.toUpperCase() : 'none'))
    const stroke = common(({ stroke, strokeWidth }) => (strokeWidth > 0 ? stroke.toUpperCase() : null), hasFillAndOutline)
    this.#swatches.show({ fill, stroke })
    this.#look.classList.toggle('any', !fill)
    this.#look.classList.toggle('outlined', hasOutlines && Boolean(stroke))
    this.#look.style.setProperty('--swatch', !fill || fill === 'none' ? 'transparent' : fill)
    this.#look.style.setProperty('--outline', stroke ?? 'transparent')
    this.#sizes.show(common(chosenTextSize, hasText))
    this.#widths.show(common(({ strokeWidth }) => strokeWidth, hasLine))
    this.#dashes.show(common(({ dash }) => dash, hasLine))
    this.#routes.show(common(({ route }) => route, isLine))
    for (const [end, button] of this.#ends) {
      const shown = common((shape) => shape[end], isLine) ?? 'plain'
      label(button, shown === 'plain' ? 'line' : shown, `${end === 'fromEnd' ? 'Begins' : 'Ends'}: ${shown}`)
      button.dataset.end = shown
    }
  }

  /** The form that the next click gives to this end of the selected lines. */
  #nextEnd(end: 'fromEnd' | 'toEnd'): string {
    const shown = this.#ends.find(([name]) => name === end)?.[1].dataset.end ?? 'plain'
    return ends[(ends.indexOf(shown) + 1) % ends.length]
  }

  #isOneGroup() { return this.#groups.areOne(this.#selection.ids()) }
}

function label(button: HTMLElement, picture: string, words: string) {
  setIcon(button, picture)
  setAttributes(button, { 'aria-label': words, title: words })
}
