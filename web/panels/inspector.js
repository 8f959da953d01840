import { counted } from '../basics/words.js'
import { element, iconButton } from '../elements/element.js'
import { checkField, choiceField, colorField, numberField, sliderField, textField } from './fields.js'

/** @typedef {import('../core/types.js').Shape} Shape */

/** @type {[string, string][]} */
const kinds = [
  ['rectangle', 'Rectangle'], ['roundedRectangle', 'Rounded rectangle'], ['ellipse', 'Ellipse'],
  ['polygon', 'Polygon'], ['star', 'Star'],
]

const arrangements = [
  ['alignLeft', 'align-left'], ['alignCenter', 'align-center'], ['alignRight', 'align-right'],
  ['alignTop', 'align-top'], ['alignMiddle', 'align-middle'], ['alignBottom', 'align-bottom'],
  ['distributeHorizontally', 'distribute-across'], ['distributeVertically', 'distribute-down'],
  ['bringToFront', 'to-front'], ['sendToBack', 'to-back'], ['duplicate', 'duplicate'], ['delete', 'trash'],
]

/** Up to so many shapes are looked at in each frame while they change. More are looked at every so often. */
const promptMax = 100
const manyMilliseconds = 200

/** @param {number} degrees */
const radians = (degrees) => (degrees * Math.PI) / 180

/** The selected shapes' properties, of one or of many at once. What differs between them shows as “Mixed”. */
export class Inspector {
  #shown
  #editing
  #selection
  #permission
  #actions
  #fields
  #timer = 0
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map()
  #arrange = element('div', { class: 'arrange', role: 'group', 'aria-label': 'Arrange' })
  #formGroup = element('fieldset', { class: 'inspector-group' })
  #empty = element('p', { class: 'panel-empty quiet' },
    'Select a shape to see and change its colour, size and position. Hold Shift to select several.')
  #form = element('div', { class: 'inspector-form', hidden: true })
  #heading = element('h2', { class: 'inspector-heading clip' })

  /**
   * @param {{shown: import('../state/shown.js').Shown, editing: import('../state/editing.js').Editing,
   *   selection: import('../state/selection.js').Selection, permission: import('../state/permission.js').Permission,
   *   actions: import('../tools/actions.js').Doables}} parts
   * @param {HTMLElement} place what it is shown in, and hidden with
   */
  constructor({ shown, editing, selection, permission, actions }, place) {
    this.#shown = shown
    this.#editing = editing
    this.#selection = selection
    this.#permission = permission
    this.#actions = actions
    this.#fields = this.#make()
    this.#layOut()
    this.element = place
    place.append(this.#form, this.#empty)
    selection.on('change', () => this.#showSoon())
    permission.on('change', () => this.#show())
    shown.on('changes', ({ reset, shapes }) => {
      if (reset || shapes.some(({ id }) => selection.has(id))) this.#showSoon()
    })
  }

  onShow() { this.#show() }

  /** Few shapes are shown at once, many when there is time, because each of them is asked. */
  #showSoon() {
    if (this.element.hidden || this.#timer !== 0) return
    if (this.#selection.size <= promptMax) return this.#show()
    this.#timer = setTimeout(() => this.#show(), manyMilliseconds)
  }

  // MARK: Fields

  #make() {
    const host = { begin: () => this.#editing.beginGroup(), end: () => this.#editing.endGroup() }
    /** @param {string} property */
    const set = (property) => (/** @type {unknown} */ value) => this.#set({ [property]: value })
    return {
      name: textField('Name', { change: (name) => this.#set({ name }), maxlength: 128, placeholder: 'Give all the same name' }),
      kind: choiceField('Kind', { choices: kinds, change: set('kind') }),
      fill: colorField('Fill', { change: set('fill') }, host),
      stroke: colorField('Stroke', { change: set('stroke') }, host),
      alpha: sliderField('Opacity', {
        min: 1, max: 10, words: (level) => `${level * 10} %`, change: set('alpha'),
      }, host),
      strokeWidth: sliderField('Stroke width', { min: 0, max: 40, step: 0.5, change: set('strokeWidth') }, host),
      cornerRadius: sliderField('Corner radius', { min: 0, max: 200, change: set('cornerRadius') }, host),
      points: sliderField('Points', { min: 3, max: 64, change: set('points') }, host),
      innerRatio: sliderField('Inner radius', {
        min: 0.05, max: 1, step: 0.01, words: (ratio) => `${Math.round(ratio * 100)} %`, change: set('innerRatio'),
      }, host),
      x: numberField('X', { min: -1e7, max: 1e7, change: (x) => this.#moveTo({ x }) }, host),
      y: numberField('Y', { min: -1e7, max: 1e7, change: (y) => this.#moveTo({ y }) }, host),
      width: numberField('W', { min: 1, max: 1e6, change: (width) => this.#resizeTo({ width }) }, host),
      height: numberField('H', { min: 1, max: 1e6, change: (height) => this.#resizeTo({ height }) }, host),
      rotation: numberField('Rotation', {
        min: -1e6, max: 1e6, unit: 'degrees', change: (rotation) => this.#place((shape) => ({ id: shape.id, rotation })),
      }, host),
      visible: checkField('Visible', { change: set('visible') }),
    }
  }

  #layOut() {
    const fields = this.#fields
    /** @param {string} words @param {HTMLElement} made @param {import('./fields.js').Field<any>[]} members of any values */
    const group = (words, made, members) => {
      made.append(element('legend', { class: 'visually-hidden' }, words), ...members.map((field) => field.element))
      return made
    }
    const fieldset = () => element('fieldset', { class: 'inspector-group' })
    this.#arrange.append(...arrangements.map(([name, picture]) => {
      const { words, key, run } = this.#actions[name]
      const made = iconButton(picture, words, {
        class: 'plain small', title: key ? `${words} (${key})` : words,
        onclick: () => { if (made.getAttribute('aria-disabled') !== 'true') run() },
      })
      this.#buttons.set(name, made)
      return made
    }))
    this.#form.append(this.#heading, this.#arrange,
      group('Name and kind', fieldset(), [fields.name, fields.kind]),
      group('Position and size', fieldset(),
        [fields.x, fields.y, fields.width, fields.height, fields.rotation, fields.visible]),
      group('Colours', fieldset(), [fields.fill, fields.stroke, fields.alpha, fields.strokeWidth]),
      group('Form', this.#formGroup, [fields.cornerRadius, fields.points, fields.innerRatio]))
  }

  #show() {
    clearTimeout(this.#timer)
    this.#timer = 0
    if (this.element.hidden) return
    const shapes = this.#shapes()
    this.#form.hidden = shapes.length === 0
    this.#empty.hidden = shapes.length > 0
    if (shapes.length === 0) return
    const { replica } = this.#shown
    /**
     * What all of them have alike; null where they differ.
     *
     * @template T @param {(shape: Shape) => T} read
     */
    const common = (read) => {
      const first = read(shapes[0])
      return shapes.every((shape) => read(shape) === first) ? first : null
    }
    const only = shapes.length === 1 ? shapes[0] : null
    this.#heading.textContent = only ? replica.shownName(only.id) : counted(shapes.length, 'shape')
    const fields = this.#fields
    fields.name.show(only && replica.shownName(only.id))
    fields.kind.show(common(({ kind }) => kind))
    fields.fill.show(common(({ fill }) => fill))
    fields.stroke.show(common(({ stroke }) => stroke))
    fields.visible.show(common(({ visible }) => visible))
    for (const property of /** @type {const} */ (['alpha', 'strokeWidth', 'cornerRadius', 'points', 'innerRatio'])) {
      fields[property].show(common((shape) => shape[property]))
    }
    const box = only ?? replica.bounds(shapes.map(({ id }) => id))
    fields.x.show(box && box.x)
    fields.y.show(box && box.y)
    fields.width.show(common(({ width }) => width))
    fields.height.show(common(({ height }) => height))
    fields.rotation.show(common(({ rotation }) => rotation))
    const has = (/** @type {string[]} */ ...kinds) => shapes.some(({ kind }) => kinds.includes(kind))
    fields.cornerRadius.element.hidden = !has('roundedRectangle')
    fields.points.element.hidden = !has('polygon', 'star')
    fields.innerRatio.element.hidden = !has('star')
    this.#formGroup.hidden = !has('roundedRectangle', 'polygon', 'star')
    const isReadOnly = !this.#permission.mayEdit
    this.#arrange.hidden = isReadOnly
    for (const field of Object.values(fields)) field.setDisabled(isReadOnly)
    for (const [name, button] of this.#buttons) {
      button.setAttribute('aria-disabled', String(!(this.#actions[name].isEnabled?.() ?? true)))
    }
  }

  #shapes() {
    return this.#shown.replica.shapesOf(this.#selection.ids())
  }

  // MARK: Writing

  /** @param {import('../core/types.js').Values} set */
  #set(set) {
    const ids = this.#selection.ids()
    if (ids.length > 0) this.#editing.edit((replica) => replica.edit(ids.map((shape) => ({ shape, set }))))
  }

  /** @param {(shape: Shape) => import('../core/types.js').Place} placed */
  #place(placed) {
    const places = this.#shapes().map(placed)
    if (places.length > 0) this.#editing.edit((replica) => replica.place(places))
  }

  /**
   * A single shape goes there. Of several, the box around all of them does.
   *
   * @param {{x?: number, y?: number}} corner
   */
  #moveTo({ x, y }) {
    const shapes = this.#shapes()
    const box = shapes.length === 1 ? shapes[0] : this.#shown.replica.bounds(shapes.map(({ id }) => id))
    if (!box) return
    const across = x === undefined ? 0 : x - box.x
    const down = y === undefined ? 0 : y - box.y
    this.#place((shape) => ({ id: shape.id, x: shape.x + across, y: shape.y + down }))
  }

  /**
   * The unrotated box's corner stays where it is seen, so that a turned shape grows from there too.
   *
   * @param {{width?: number, height?: number}} size
   */
  #resizeTo({ width, height }) {
    this.#place((shape) => {
      const size = { width: width ?? shape.width, height: height ?? shape.height }
      const dx = (size.width - shape.width) / 2
      const dy = (size.height - shape.height) / 2
      const cosine = Math.cos(radians(shape.rotation))
      const sine = Math.sin(radians(shape.rotation))
      // Where the centre goes to, less half of the new size.
      const x = shape.x + shape.width / 2 + dx * cosine - dy * sine - size.width / 2
      const y = shape.y + shape.height / 2 + dx * sine + dy * cosine - size.height / 2
      return { id: shape.id, x, y, ...size }
    })
  }
}
