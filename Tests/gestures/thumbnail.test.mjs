// Tests what a room's picture is made into for the list of rooms.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { thumbnailOf } from '../../build/modules/lobby/thumbnail.js'

const svg = (inner) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${inner}</svg>`
const text = (lines) => `<text font-size="20">${'<tspan x="0" y="9">so\n</tspan>'.repeat(lines)}</text>`

test('a thumbnail of many texts has none, because each line costs those who look at the list', () => {
  const square = '<rect x="0" y="0" width="9" height="9" fill="#C0C0C0"/>'
  const few = svg(square + text(900) + text(900))
  assert.equal(thumbnailOf(few), few)
  assert.equal(thumbnailOf(svg(text(900) + square + text(1_101))), svg(square))
})
