import { Throttle } from '../basics/throttle.js'
import { capitalised, counted } from '../basics/words.js'
import {
  type InspectorField, kinds, kindWords, propertiesInOrder, type PropertyRow, type Shape,
} from '../core/table.js'
import { placeLoose } from '../arrange/ties.js'
import { pinched, stretched } from '../arrange/transform.js'
import type { Fitting } from '../canvas/fitted.js'
import type { Place, Values } from '../core/types.js'
import { rowOf } from '../core/values.js'
import { filledWith } from '../draw/look.js'
import { element, iconButton } from '../elements/element.js'
import type { Editing } from '../state/editing.js'
import { labelOf } from '../state/labels.js'
import type { Locks } from '../state/locks.js'
import type { Notices } from '../state/notices.js'
import type { Permission } from '../state/permission.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'
import type { Doables } from '../tools/actions.js'
import {
  checkField, choiceField, colorField, type Field, type FieldHost, numberField, sliderField, textField,
} from './fields.js'

type ShownRow = PropertyRow & { inspector: InspectorField }
/** The fields, each under the name of the shape's member that it shows. */
type Fields = Record<string, Field<any>>

/** @param word as in the protocol */
const shownWord = (word: string) => (word === 'center' ? 'Centre' : capitalised(word))

/** The properties that have fields, in the table's order. */
const shownRows: ShownRow[] = propertiesInOrder.flatMap((name) => {
  const row = rowOf(name)
  return row?.inspector ? [{ ...row, inspector: row.inspector }] : []
})

/** How a number is shown, by its unit. */
const unitWords: { [unit: string]: ((value: number) => string) | undefined } = {
  tenths: (level) => `${level * 10} %`,
  ratio: (ratio) => `${Math.round(ratio * 100)} %`,
}

/** `alignments` need several shapes. `arrangements` work for any number of shapes. */
const alignments = [
  ['alignLeft', 'align-left'], ['alignCenter', 'align-center'], ['alignRight', 'align-right'],
  ['alignTop', 'align-top'], ['alignMiddle', 'align-middle'], ['alignBottom', 'align-bottom'],
  ['distributeHorizontally', 'distribute-across'], ['distributeVertically', 'distribute-down'],
]
const arrangements = [
  ['bringToFront', 'to-front'], ['sendToBack', 'to-back'], ['duplicate', 'duplicate'], ['delete', 'trash'],
]

/** If more shapes than this are selected, the inspector is not updated in every frame. */
const promptMax = 100
const manyMilliseconds = 200
/** While others draw, updating the fields takes at most about 1 / `costFactor` of the time. */
const costFactor = 10

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Shows and edits the properties of the selected shapes. If the values differ, a field shows “Mixed”. */
export class Inspector {
  #shown
  #editing
  #selection
  #permission
  #locks
  #notices
  #actions
  #fitting
  #fields
  #showing = new Throttle(() => this.#show(), manyMilliseconds, costFactor)
  /**
   * The shapes that were selected when a field got the focus. A typed value applies to these, even if the selection has
   * changed meanwhile.
   */
  #meant: number[] | null = null
  #buttons = new Map<string, HTMLButtonElement>()
  #align = element('div', { class: 'arrange', role: 'group', 'aria-label': 'Align' })
  #arrange = element('div', { class: 'arrange', role: 'group', 'aria-label': 'Arrange' })
  #together = element('div', { class: 'inspector-group' }, this.#align, this.#arrange)
  #groups: { element: HTMLElement, members: Field<any>[] }[] = []
  #empty = element('p', { class: 'panel-empty quiet' },
    'Select a shape to see and change its colour, size and position. Hold Shift to select several.')
  #form = element('div', { class: 'inspector-form', hidden: true })
  #heading = element('h2', { class: 'inspector-heading clip', dir: 'auto' })
  readonly element

  /** @param place the element that contains the inspector, and is hidden together with it */
  constructor(
    { shown, editing, selection, permission, locks, notices, actions, fitting }: {
      shown: Shown, editing: Editing, selection: Selection, permission: Permission, locks: Locks, notices: Notices,
      actions: Doables, fitting: Fitting,
    },
    place: HTMLElement,
  ) {
    this.#locks = locks
    this.#notices = notices
    this.#shown = shown
    this.#editing = editing
    this.#selection = selection
    this.#permission = permission
    this.#actions = actions
    this.#fitting = fitting
    this.#fields = this.#make()
    this.#layOut()
    this.element = place
    place.append(this.#form, this.#empty)
    this.#form.addEventListener('focusin', ({ target }) => {
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) this.#meant = selection.ids()
    })
    this.#form.addEventListener('focusout', () => {
      this.#meant = null
      // A field of a shape that was locked meanwhile can be disabled now.
      if (locks.hasAny(selection.ids())) this.#showSoon()
    })
    selection.on('change', () => {
      // Somebody may have deleted one of the shapes. Then what is being typed is for the others.
      const left = shown.replica.shapesOf(this.#meant ?? []).map(({ id }) => id)
      if (left.length > 0 && left.length === selection.size && left.every((id) => selection.has(id))) this.#meant = left
      else this.#leave()
      this.#showing.forget()
      this.#showSoon()
    })
    permission.on('change', () => this.#showing.now())
    shown.on('leaving', () => this.#leave())
    shown.on('changes', ({ reset, shapes }) => {
      if (reset || shapes.some(({ id }) => selection.has(id))) this.#showSoon()
    })
  }

  onShow() { this.#showing.now() }

  /**
   * Saves the typed value and leaves the field. This is needed because a tap on the canvas doesn't take the focus from
   * the field.
   */
  #leave() {
    const { activeElement } = document
    if (this.#meant && activeElement instanceof HTMLElement && this.#form.contains(activeElement)) activeElement.blur()
  }

  /**
   * Updates the fields: at once if few shapes are selected, and after a delay if many are, because all of them must be
   * read.
   */
  #showSoon() {
    if (this.element.hidden || this.#showing.isDue) return
    if (this.#selection.size <= promptMax) this.#showing.now()
    else this.#showing.soon()
  }

  // MARK: Fields

  #make() {
    const host = { openStep: () => this.#editing.openStep() }
    return Object.assign({}, ...shownRows.map((row) => this.#fieldsOf(row, host))) as Fields
  }

  /** The fields for a property. The form of its values decides which fields these are. */
  #fieldsOf(
    { name, form, unit, bytesMax, words = [], min = -Infinity, max = Infinity, inspector: { label, slider } }: ShownRow,
    host: FieldHost,
  ): Fields {
    const change = (value: unknown) => this.#set({ [name]: value })
    switch (form) {
      case 'name':
        return { [name]: textField(label, { change, maxlength: bytesMax ?? 0, placeholder: 'Give all the same name' }) }
      case 'kind': return { [name]: choiceField(label, { choices: kinds.map((kind) => [kind, kindWords[kind]]), change }) }
      case 'color': {
        const recolor = (color: string) => this.#edit((shape) => filledWith(shape, color))
        return { [name]: colorField(label, { change: name === 'fill' ? recolor : change }, host) }
      }
      case 'flag': return { [name]: checkField(label, { change }) }
      case 'choice':
        return { [name]: choiceField(label, { choices: words.map((word) => [word, shownWord(word)]), change }) }
      case 'integer':
      case 'number': {
        if (slider) {
          const fit = (textSize: number) => this.#edit((shape) => this.#fitting.lettered(shape, textSize))
          return {
            [name]: sliderField(label, {
              ...slider, words: unitWords[unit ?? 'none'], change, ...name === 'textSize' && { settle: fit },
            }, host),
          }
        }
        const turn = (rotation: number) => this.#place(this.#shapes().map(({ id }) => ({ id, rotation })))
        return {
          [name]: numberField(label, {
            min, max, unit: unit === 'degrees' ? unit : undefined, change: name === 'rotation' ? turn : change,
          }, host),
        }
      }
      case 'pair':
        if (name === 'position') {
          return {
            x: numberField('X', { min, max, change: (x) => this.#moveTo({ x }) }, host),
            y: numberField('Y', { min, max, change: (y) => this.#moveTo({ y }) }, host),
          }
        }
        if (name === 'size') {
          return {
            width: numberField('W', { min, max, change: (width) => this.#resizeTo({ width }) }, host),
            height: numberField('H', { min, max, change: (height) => this.#resizeTo({ height }) }, host),
          }
        }
    }
    throw new Error(`the inspector has no field for ${name}`)
  }

  /** The fields of a group of properties, in order. */
  #fieldsIn(group: string) {
    return shownRows.filter(({ inspector }) => inspector.group === group)
      .flatMap(({ name, form, parts }) => (form === 'name' ? [this.#fields[name]] : parts.map((part) => this.#fields[part])))
  }

  #layOut() {
    /** @param members fields of any types */
    const group = (words: string, members: Field<any>[]) => {
      const made = element('fieldset', { class: 'inspector-group' },
        element('legend', { class: 'visually-hidden' }, words), ...members.map((field) => field.element))
      this.#groups.push({ element: made, members })
      return made
    }
    /** @param names pairs of an action's name and an icon's name */
    const buttons = (names: string[][]) => names.map(([name, picture]) => {
      const { words, key, run } = this.#actions[name]
      const made = iconButton(picture, words, {
        class: 'plain small', title: key ? `${words} (${key})` : words,
        onclick: () => { if (made.getAttribute('aria-disabled') !== 'true') run() },
      })
      this.#buttons.set(name, made)
      return made
    })
    this.#arrange.append(...buttons(arrangements))
    this.#align.append(...buttons(alignments))
    this.#form.append(this.#heading,
      group('Colours', this.#fieldsIn('color')),
      this.#together,
      group('Text', this.#fieldsIn('text')),
      group('Name and shape', this.#fieldsIn('who')),
      group('Position and size', this.#fieldsIn('place')),
      group('Form', this.#fieldsIn('form')))
  }

  #show() {
    if (this.element.hidden) return
    const shapes = this.#shown.replica.shapesOf(this.#selection.ids())
    this.#form.hidden = shapes.length === 0
    this.#empty.hidden = shapes.length > 0
    if (shapes.length === 0) return
    const { replica } = this.#shown
    /** The value that all shapes share; null if the values differ. */
    const common = <T>(read: (shape: Shape) => T) => {
      const first = read(shapes[0])
      return shapes.every((shape) => read(shape) === first) ? first : null
    }
    const only = shapes.length === 1 ? shapes[0] : null
    this.#heading.textContent = only ? labelOf(replica, only.id) : counted(shapes.length, 'shape')
    const fields = this.#fields
    fields.name.show(only && replica.shownName(only.id))
    for (const { parts, inspector } of shownRows) {
      const isOfUse = shapes.some(({ kind }) => inspector.kinds.includes(kind))
      for (const part of parts) {
        fields[part].show(common((shape) => shape[part]))
        fields[part].element.hidden = !isOfUse
      }
    }
    const box = only ?? replica.bounds(shapes.map(({ id }) => id))
    fields.x.show(box && box.x)
    fields.y.show(box && box.y)
    fields.width.show(box && box.width)
    fields.height.show(box && box.height)
    for (const { element: group, members } of this.#groups) group.hidden = members.every((field) => field.element.hidden)
    const isReadOnly = !this.#permission.mayEdit
    this.#together.hidden = isReadOnly
    this.#align.hidden = !this.#actions.alignLeft.isEnabled?.()
    const isLocked = this.#locks.hasAny(shapes.map(({ id }) => id))
    for (const [name, field] of Object.entries(fields)) {
      // If somebody locks the shape while one types, the next letters must not become keys of the page.
      const isUsed = field.element.contains(document.activeElement)
      field.setDisabled(isReadOnly || (isLocked && name !== 'locked' && !isUsed))
    }
    for (const [name, button] of this.#buttons) {
      button.setAttribute('aria-disabled', String(!(this.#actions[name].isEnabled?.() ?? true)))
    }
  }

  /**
   * The shapes to which an edit applies, without those that were deleted. None if one of them is locked. A notice says so,
   * or that all were deleted.
   */
  #shapes({ evenLocked = false } = {}) {
    const shapes = this.#shown.replica.shapesOf(this.#meant ?? this.#selection.ids())
    if (shapes.length === 0) this.#notices.say('It was deleted while you changed it.')
    return !evenLocked && this.#locks.refuse(shapes.map(({ id }) => id)) ? [] : shapes
  }

  // MARK: Writing

  // Each of these returns what a field's `change` does.

  #set(set: Values) {
    return this.#write(this.#shapes({ evenLocked: 'locked' in set }).map(({ id }) => ({ shape: id, set })))
  }

  #edit(setOf: (shape: Shape) => Values) {
    return this.#write(this.#shapes().map((shape) => ({ shape: shape.id, set: setOf(shape) })))
  }

  #write(edits: { shape: number, set: Values }[]) {
    return edits.length > 0 ? this.#editing.write((replica) => replica.edit(edits)) : null
  }

  #place(places: Place[]) {
    return places.length > 0 ? placeLoose({ editing: this.#editing, shown: this.#shown }, places) : null
  }

  /** Moves the selected shape to the position. If several shapes are selected, their bounding box moves there. */
  #moveTo({ x, y }: { x?: number, y?: number }) {
    const shapes = this.#shapes()
    const box = shapes.length === 1 ? shapes[0] : this.#shown.replica.bounds(shapes.map(({ id }) => id))
    if (!box) return null
    const across = x === undefined ? 0 : x - box.x
    const down = y === undefined ? 0 : y - box.y
    return this.#place(shapes.map((shape) => ({ id: shape.id, x: shape.x + across, y: shape.y + down })))
  }

  /**
   * Resizes the selected shapes. A single shape keeps its upper left corner where it is on the canvas, even if the
   * shape is rotated. Several shapes are scaled so that their bounding box gets this size.
   */
  #resizeTo({ width, height }: { width?: number, height?: number }) {
    const all = this.#shapes()
    if (all.length > 1) return this.#resizeAll(all, { width, height })
    return this.#resize(all, all.map((shape) => {
      const size = { width: width ?? shape.width, height: height ?? shape.height }
      const dx = (size.width - shape.width) / 2
      const dy = (size.height - shape.height) / 2
      const cosine = Math.cos(radians(shape.rotation))
      const sine = Math.sin(radians(shape.rotation))
      // The new position is the new centre minus half of the new size.
      const x = shape.x + shape.width / 2 + dx * cosine - dy * sine - size.width / 2
      const y = shape.y + shape.height / 2 + dx * sine + dy * cosine - size.height / 2
      return { id: shape.id, x, y, ...size }
    }))
  }

  #resizeAll(shapes: Shape[], { width, height }: { width?: number, height?: number }) {
    const box = this.#shown.replica.bounds(shapes.map(({ id }) => id))
    if (!box) return null
    const [dx, dy] = [(width ?? box.width) - box.width, (height ?? box.height) - box.height]
    const frame = { ...box, rotation: 0 }
    // If a shape is rotated, all are scaled evenly, because a rotated shape can't be stretched along the canvas's axes.
    const places = shapes.some(({ rotation }) => rotation !== 0)
      ? pinched(shapes, { around: box, scale: 1 + (dx / box.width || dy / box.height), sideLeast: 1 })
      : stretched(shapes, frame, dx, dy, {
        across: width === undefined ? 0 : 1, down: height === undefined ? 0 : 1, sideLeast: 1,
      })
    return this.#resize(shapes, places)
  }

  /** Places shapes in new sizes, and fits the notes' texts to these. */
  #resize(before: Shape[], places: Place[]) {
    return this.#editing.group(() => {
      const isPlaced = this.#place(places)
      const edits = this.#fitting.fittedNotes(before, this.#shown.replica.shapesOf(before.map(({ id }) => id)))
      if (edits.length > 0) this.#editing.edit((replica) => replica.edit(edits))
      return isPlaced
    })
  }
}
