import { counted, element, iconButton } from '../elements/element.js'
import { checkField, choiceField, colorField, numberField, sliderField, textField } from './fields.js'

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

/** So many shapes are looked at in each frame while they change; more, every so often. */
const promptMax = 100
const manyMilliseconds = 200

const radians = (degrees) => (degrees * Math.PI) / 180

/** The selected shapes' properties, of one or of many at once. What differs between them shows as “Mixed”. */
export class Inspector {
  #app
  #fields
  #timer = 0
  #parts = {}
  #buttons = new Map()
  #actions
  #empty = element('p', { class: 'panel-empty quiet' },
    'Select a shape to see and change its colours, size and place. Hold Shift to select several.')
  #form = element('div', { class: 'inspector-form', hidden: true })
  #heading = element('h2', { class: 'inspector-heading clip' })

  /**
   * @param {import('../state/app.js').App} app
   * @param {Record<string, {words: string, key?: string, run: () => void, isEnabled?: () => boolean}>} actions
   * @param {HTMLElement} place what it is shown in, and hidden with
   */
  constructor(app, actions, place) {
    this.#app = app
    this.#actions = actions
    this.#fields = this.#make()
    this.#layOut()
    this.element = place
    place.append(this.#form, this.#empty)
    app.addEventListener('selection', () => this.#showSoon())
    app.addEventListener('mode', () => this.#show())
    app.addEventListener('past', () => this.#show())
    app.addEventListener('changes', ({ detail }) => {
      if (detail.reset || detail.shapes.some(({ id }) => app.selection.has(id))) this.#showSoon()
    })
  }

  onShow() { this.#show() }

  /** A few at once; many when there is time, since all of them are asked. */
  #showSoon() {
    if (this.element.hidden || this.#timer !== 0) return
    if (this.#app.selection.size <= promptMax) return this.#show()
    this.#timer = setTimeout(() => this.#show(), manyMilliseconds)
  }

  // MARK: Fields

  #make() {
    const host = { begin: () => this.#app.beginGroup(), end: () => this.#app.endGroup() }
    const set = (property) => (value) => this.#set({ [property]: value })
    return {
      name: textField('Name', { change: (name) => this.#set({ name }), maxlength: 128 }),
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
    const group = (name, words, ...fields) => {
      const made = element('fieldset', { class: 'inspector-group' }, element('legend', { class: 'visually-hidden' }, words),
        fields.map((field) => this.#fields[field].element))
      this.#parts[name] = made
      return made
    }
    const arrange = element('div', { class: 'arrange', role: 'group', 'aria-label': 'Arrange' },
      arrangements.filter(([name]) => this.#actions[name]).map(([name, picture]) => {
        const { words, key } = this.#actions[name]
        const made = iconButton(picture, words, {
          class: 'plain small', title: key ? `${words} (${key})` : words,
          onclick: () => { if (made.getAttribute('aria-disabled') !== 'true') this.#actions[name].run() },
        })
        this.#buttons.set(name, made)
        return made
      }))
    this.#parts.arrange = arrange
    this.#form.append(this.#heading, arrange,
      group('who', 'Name and kind', 'name', 'kind'),
      group('place', 'Place and size', 'x', 'y', 'width', 'height', 'rotation', 'visible'),
      group('color', 'Colours', 'fill', 'stroke', 'alpha', 'strokeWidth'),
      group('form', 'Form', 'cornerRadius', 'points', 'innerRatio'))
  }

  #show() {
    clearTimeout(this.#timer)
    this.#timer = 0
    if (this.element.hidden) return
    const shapes = this.#shapes()
    this.#form.hidden = shapes.length === 0
    this.#empty.hidden = shapes.length > 0
    if (shapes.length === 0) return
    const { session } = this.#app
    const common = (read) => {
      const first = read(shapes[0])
      return shapes.every((shape) => read(shape) === first) ? first : null
    }
    const only = shapes.length === 1 ? shapes[0] : null
    this.#heading.textContent = only ? session.shownName(only.id) : counted(shapes.length, 'shape')
    const fields = this.#fields
    fields.name.show(only ? session.shownName(only.id) : '', only ? '' : 'Name all alike')
    fields.kind.show(common(({ kind }) => kind))
    for (const property of ['fill', 'stroke', 'alpha', 'strokeWidth', 'cornerRadius', 'points', 'innerRatio', 'visible']) {
      fields[property].show(common((shape) => shape[property]))
    }
    const box = only ?? session.bounds(shapes.map(({ id }) => id))
    fields.x.show(box.x)
    fields.y.show(box.y)
    fields.width.show(common(({ width }) => width))
    fields.height.show(common(({ height }) => height))
    fields.rotation.show(common(({ rotation }) => rotation))
    const has = (...kinds) => shapes.some(({ kind }) => kinds.includes(kind))
    fields.cornerRadius.element.hidden = !has('roundedRectangle')
    fields.points.element.hidden = !has('polygon', 'star')
    fields.innerRatio.element.hidden = !has('star')
    this.#parts.form.hidden = !has('roundedRectangle', 'polygon', 'star')
    const isReadOnly = this.#app.viewOnly || this.#app.isPast
    this.#parts.arrange.hidden = isReadOnly
    for (const field of Object.values(fields)) field.setDisabled(isReadOnly)
    for (const [name, button] of this.#buttons) {
      button.setAttribute('aria-disabled', String(!(this.#actions[name].isEnabled?.() ?? true)))
    }
  }

  #shapes() {
    return this.#app.selection.ids().map((id) => this.#app.session.shape(id)).filter(Boolean)
  }

  // MARK: Writing

  #set(set) {
    const ids = this.#app.selection.ids()
    if (ids.length > 0) this.#app.edit((session) => session.edit(ids.map((shape) => ({ shape, set }))))
  }

  #place(placed) {
    const places = this.#shapes().map(placed)
    if (places.length > 0) this.#app.edit((session) => session.place(places))
  }

  /** One goes there; of many, the box around all does. */
  #moveTo({ x, y }) {
    const shapes = this.#shapes()
    const box = shapes.length === 1 ? shapes[0] : this.#app.session.bounds(shapes.map(({ id }) => id))
    if (!box) return
    const across = x === undefined ? 0 : x - box.x
    const down = y === undefined ? 0 : y - box.y
    this.#place((shape) => ({ id: shape.id, x: shape.x + across, y: shape.y + down }))
  }

  /** The unrotated box's corner stays where it is seen, so that a turned shape grows from there too. */
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
