// Tests which clipboard events and drags are for the canvas.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Drawing, editingOf, view } from './drawing.mjs'
import { Element, makeElements } from './elements.mjs'
import { Clipboard } from '../../build/modules/keep/clipboard.js'
import { Drop } from '../../build/modules/keep/drop.js'
import { Selection } from '../../build/modules/state/selection.js'

let page
let body
beforeEach(() => {
  page = new EventTarget()
  Object.assign(globalThis, { Element, getSelection: () => null, addEventListener: page.addEventListener.bind(page), document: page })
  body = makeElements()
})

const tell = (type, values = {}) => page.dispatchEvent(Object.assign(new Event(type, { cancelable: true }), values))

test('while a dialog is open, nothing is copied, cut or pasted on the canvas', () => {
  const shown = new Drawing()
  const [selection, pasted] = [new Selection(shown), []]
  selection.set([shown.add()])
  new Clipboard({
    shown, selection, view, editing: editingOf(shown), documents: { isReady: true }, momentum: { settleAll() {} }, locks: { refuse: () => false },
  }, { get: async () => ({ insert: (text) => pasted.push(text) }) })
  const clipboardData = { held: 'a', files: [], setData(type, text) { this.held = text }, getData() { return this.held } }
  page.querySelector = (selector) => (selector === 'dialog[open]' ? body : null)
  for (const type of ['copy', 'cut', 'paste']) assert.ok(tell(type, { clipboardData }), `${type} is the browser’s`)
  assert.deepEqual([clipboardData.held, shown.replica.shapeCount], ['a', 1])
  page.querySelector = () => null
  for (const type of ['copy', 'cut', 'paste']) assert.ok(!tell(type, { clipboardData }), type)
  assert.deepEqual([clipboardData.held === 'a', shown.replica.shapeCount], [false, 0])
})

test('what a drop would do is shown while a drag is over the page, also if an element vanishes under it', () => {
  const permission = { mayEdit: true }
  new Drop(permission, {})
  const [veil] = body.children
  const drag = (type, values) => {
    tell(type, { dataTransfer: { types: ['Files'] }, relatedTarget: null, ...values })
    return !veil.hidden
  }
  for (const end of ['dragleave', 'dragend', 'drop']) {
    // The element of the first `dragenter` vanishes, so there is no `dragleave` of it.
    for (const type of ['dragenter', 'dragover', 'dragenter']) drag(type)
    assert.deepEqual([drag('dragleave', { relatedTarget: body }), drag('dragover')], [true, true])
    assert.equal(drag(end, { dataTransfer: { types: end === 'drop' ? [] : ['Files'] } }), false, end)
  }
  assert.equal(drag('dragover', { dataTransfer: { types: ['text/html'] } }), false)
  permission.mayEdit = false
  assert.equal(drag('dragover'), false)
})
