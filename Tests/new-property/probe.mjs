// Checks that the page handles the new property `blur`, of which this file knows only the name and a value.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'

/** A minimal DOM element, with the members that the code for fields uses. */
class Element extends EventTarget {
  children = []
  attributes = {}
  style = { setProperty() {} }
  classList = { toggle() {}, add() {}, remove() {} }
  hidden = false
  setAttribute(name, value) { this.attributes[name] = value }
  getAttribute(name) { return this.attributes[name] ?? null }
  removeAttribute(name) { delete this.attributes[name] }
  append(...children) { this.children.push(...children) }
  replaceChildren(...children) { this.children = children }
  contains() { return false }
  /** All elements inside this one. */
  get all() { return this.children.flatMap((child) => (child instanceof Element ? [child, ...child.all] : [])) }
}
globalThis.document = {
  createElement: () => new Element(),
  createElementNS: () => new Element(),
  getElementById: () => new Element(),
  addEventListener() {},
}

const { valueRows, readChange } = await import('./build/modules/core/values.js')
const { changedBit, properties, shapeRow } = await import('./build/modules/core/table.js')
const shape = parseInt('afykw5t7o', 36)

if (process.argv[2] === 'write') {
  writeFileSync('values.bin', valueRows([{ shape, set: { blur: 12.5 } }]))

  const { restoration } = await import('./build/modules/keep/restoration.js')
  const then = [{ id: 'afy-kw5-t7o', kind: 'star', blur: 12.5 }]
  assert.deepEqual(restoration(then, [{ id: 'afy-kw5-t7o', kind: 'star', blur: 3 }]).edits, [{ shape, set: { blur: 12.5 } }],
    'blur is passed over by history')

  const { Inspector } = await import('./build/modules/panels/inspector.js')
  const edits = []
  const values = properties.flatMap(({ form, parts }) => parts.map((part) => [part, form === 'color' ? '#000000' : 0]))
  const drawn = { ...Object.fromEntries(values), id: shape, kind: 'star', named: true, blur: 12.5 }
  const replica = { shownName: () => 'Sun', shapesOf: () => [drawn], shape: () => drawn, bounds: () => drawn }
  const anything = { on() {}, size: 1, ids: () => [shape], has: () => true, replica, live: replica, mayEdit: true,
    openStep: () => ({ end() {} }), write: (change) => change({ edit: (made) => edits.push(...made) }) > 0, group: (act) => act() }
  const actions = new Proxy({}, { get: () => ({ words: '', run() {} }) })
  const place = new Element()
  const inspector = new Inspector(
    { shown: anything, editing: anything, selection: anything, permission: anything, locks: { hasAny: () => false, refuse: () => false }, actions }, place)
  inspector.onShow()
  const label = place.all.find((element) => element.children.includes('Blur'))
  assert.ok(label, 'blur is passed over by the inspector')
  const input = place.all.find((element) => element.attributes.id === label.attributes.for)
  assert.equal(input.value, '12.5', 'the inspector shows another blur')
  document.activeElement = input
  input.value = '40'
  input.dispatchEvent(new Event('input'))
  assert.deepEqual(edits, [{ shape, set: { blur: 40 } }], 'the inspector writes another blur')
} else {
  const bytes = readFileSync('shape.bin')
  const change = readChange(new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), 0)
  assert.equal(bytes.length, shapeRow.length * 8)
  assert.equal(change.shape.blur, 12.5, 'blur is passed over by rows of shapes')
  assert.equal(change.shape.kind, 'star')
  assert.equal(change.changed, changedBit.blur, 'blur is passed over by the mask of a change')
}
