// Tests what part of the canvas a view shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { View } from '../../build/modules/canvas/view.js'

function opened(width, height) {
  const view = new View()
  view.resize(width, height, 2)
  return view
}

test('however large or small a box is, and wherever, all of it is shown in the middle', () => {
  for (const [width, height] of [[320, 480], [390, 844], [1280, 800]]) {
    for (const side of [1, 300, 5e4, 1e6, 2.1e7]) {
      for (const box of [{ width: side, height: side }, { width: side, height: 1 }, { width: 1, height: side }]) {
        const view = opened(width, height)
        view.fit({ x: -side / 2, y: 7, ...box })
        const seen = view.visibleBox()
        const said = `${JSON.stringify(box)} in ${width} by ${height}`
        assert.ok(view.scale <= 1, said)
        const fits = (begin, extent, from, length) => begin >= from && begin + extent <= from + length
        assert.ok(fits(-side / 2, box.width, seen.x, seen.width) && fits(7, box.height, seen.y, seen.height), said)
        const middle = view.toScreen({ x: (box.width - side) / 2, y: 7 + box.height / 2 })
        assert.ok(Math.abs(middle.x - width / 2) < 0.01 && Math.abs(middle.y - height / 2) < 0.01, said)
      }
    }
  }
})

test('a zoom keeps the point under the hand, and stops at its bounds', () => {
  const view = opened(1280, 800)
  const hand = { x: 300, y: 500 }
  const before = view.toCanvas(hand)
  for (const [factor, scale] of [[2, 2], [1000, 64], [1e-6, 0.02], [50, 1]]) {
    view.zoomAt(hand, factor)
    const { x, y } = view.toCanvas(hand)
    assert.ok(Math.abs(x - before.x) < 1e-6 && Math.abs(y - before.y) < 1e-6, `by ${factor}`)
    assert.equal(view.scale, scale)
  }
  // Whoever sees a very large drawing whole can only zoom in.
  view.fit({ x: 0, y: 0, width: 2e7, height: 2e7 })
  const { scale } = view
  view.zoomAt(hand, 0.5)
  assert.equal(view.scale, scale)
  view.zoomAt(hand, 2)
  assert.equal(view.scale, 2 * scale)
})

test('a change of size or of the pixels is told, and nothing else is', () => {
  const view = opened(1280, 800)
  let told = 0
  view.on('change', () => { told += 1 })
  const sizes = [[1280, 800, 2], [1280, 800, 3], [1281, 800, 3], [1281, 801, 3], [1281, 801, 3]]
  assert.deepEqual(sizes.map((size) => {
    view.resize(...size)
    return [told, view.width, view.height, view.pixels.scale]
  }), [[0, 1280, 800, 2], [1, 1280, 800, 3], [2, 1281, 800, 3], [3, 1281, 801, 3], [3, 1281, 801, 3]])
})
