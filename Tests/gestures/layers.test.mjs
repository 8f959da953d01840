// Tests which rows of the layers keys and clicks select while others delete shapes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Drawing, editingOf } from './drawing.mjs'
import { Element, makeElements } from './elements.mjs'
import { Source } from '../../build/modules/basics/source.js'
import { Layers } from '../../build/modules/panels/layers.js'
import { Groups } from '../../build/modules/state/groups.js'
import { Locks } from '../../build/modules/state/locks.js'
import { Selection } from '../../build/modules/state/selection.js'

/** A list of ten shapes, of which the topmost is 0. */
function tenLayers() {
  makeElements()
  Object.assign(globalThis, { Element, HTMLElement: Element, ResizeObserver: class { observe() {} } })
  const page = new EventTarget()
  globalThis.addEventListener = page.addEventListener.bind(page)
  globalThis.removeEventListener = page.removeEventListener.bind(page)
  const shown = new Drawing()
  const ids = Array.from({ length: 10 }, () => shown.add()).reverse()
  const [editing, selection, notices] = [editingOf(shown), new Selection(shown), { say() {}, withdraw() {} }]
  const locks = new Locks({ shown, editing, notices })
  const groups = new Groups({ shown, selection, locks })
  const place = new Element()
  new Layers({ shown, editing, selection, locks, groups, notices, permission: Object.assign(new Source(), { mayEdit: true }) }, place)
  const [grid] = place.children
  Object.assign(grid, { scrollTop: 0, clientHeight: 360, focus() {} })
  shown.frame()
  return {
    /** The selected rows' numbers. */
    get selected() { return selection.ids().map((id) => ids.indexOf(id)).sort() },
    deletes(...rows) {
      shown.replica.delete(rows.map((row) => ids[row]))
      shown.frame()
    },
    press: (key, how = {}) => grid.dispatchEvent(Object.assign(new Event('keydown'), { key, ...how })),
    groups(group, ...rows) {
      shown.replica.edit(rows.map((row) => ({ shape: ids[row], set: { group } })))
      shown.frame()
    },
    get count() { return shown.replica.shapeCount },
    /** @param row of a group: that of its topmost shape, negated */
    click(row, how = {}) {
      const target = Object.assign(new Element(), { dataset: { row: row < 0 ? -ids[-row] : ids[row] } })
      target.closest = (selector) => (selector === '.layer' ? target : null)
      const at = { button: 0, pointerId: 1, ...how }
      // Node's events have a target of their own.
      grid.dispatchEvent(Object.defineProperty(Object.assign(new Event('pointerdown'), at), 'target', { value: target }))
      page.dispatchEvent(Object.assign(new Event('pointerup'), at))
    },
  }
}

test('a click with Shift selects one row if somebody has deleted the shape from which it would select', () => {
  const layers = tenLayers()
  layers.click(5)
  layers.deletes(5)
  layers.click(7, { shiftKey: true })
  assert.deepEqual(layers.selected, [7])
  layers.click(9, { shiftKey: true })
  assert.deepEqual(layers.selected, [7, 8, 9], 'the next one selects from there')
})

test('arrow keys go on where somebody has deleted the shape of the active row', () => {
  for (const [key, to] of [['ArrowDown', 6], ['ArrowUp', 4]]) {
    const layers = tenLayers()
    layers.click(5)
    layers.deletes(5)
    layers.press('Delete')
    layers.press(key)
    assert.deepEqual(layers.selected, [to], key)
  }
  const layers = tenLayers()
  layers.click(4)
  layers.press('ArrowDown', { shiftKey: true })
  layers.deletes(5)
  layers.press('ArrowDown', { shiftKey: true })
  assert.deepEqual(layers.selected, [4, 6])
  layers.click(9)
  layers.deletes(7, 8, 9)
  layers.press('ArrowDown')
  assert.deepEqual(layers.selected, [6], 'the last row, if there is none below')
})

test('keys are for the group whose row is active, and for none once its topmost shape is the first of another one', () => {
  const layers = tenLayers()
  layers.groups(70, 3, 4)
  layers.click(-3)
  layers.groups(90, 7, 8)
  layers.groups(80, 3, 5)
  layers.press('Delete')
  assert.equal(layers.count, 10)
  layers.click(-7)
  layers.groups(60, 1, 2)
  layers.press('Delete')
  assert.deepEqual([layers.count, layers.selected], [8, [9]])
})
