// Tests that other people's presence can be any JSON, and that only values of the expected form are used.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { Source } from '../../build/modules/basics/source.js'
import { Presence } from '../../build/modules/state/presence.js'

class Line extends Source {
  replica = { noteWriting() {} }
  hear(effect) { this.tell('effect', effect) }
}

const parts = ['cursor', 'selection', 'lifted', 'view', 'writing', 'typed', 'ink', 'restored', 'putBack', 'laser', 'guides', 'follows']
const odd = [
  null, true, 0, -1, 1e300, '', 'x', [], {}, [null], [[]], [{}], { toString: 1 }, [{ toString: 1 }], { valueOf: 1, toString: 1 },
  ['000-000-001', { toString: 1 }], [1, { valueOf: 1, toString: 1 }], { length: 2 }, { shape: { toString: 1 } },
  { shape: '000-000-001', color: { toString: 1 }, width: 1, at: 0, points: [] },
  { shape: '000-000-001', color: '#123456', width: 1, at: 0, points: [1, 2], widths: [{ valueOf: 1, toString: 1 }] },
  { shape: '000-000-001', color: '#123456', width: { valueOf: 1 }, at: { valueOf: 1 }, points: [{ valueOf: 1 }, 2] },
  { stroke: 1, at: 0, points: [{ valueOf: 1 }, 2] }, { stroke: { valueOf: 1 }, at: 0, points: [1, 2] },
]

test('whatever one person tells of themselves, everybody is seen', () => {
  for (const part of parts) {
    for (const value of odd) {
      const line = new Line()
      const presence = new Presence(line)
      const state = { [part]: value, cursor: part === 'cursor' ? value : [1, 2] }
      line.hear({ type: 'peers', peers: [
        { actor: 1, name: 'Ann', color: '#E4572E', state }, { actor: 2, name: 'Bob', color: '#E4572E', state: { cursor: [3, 4] } },
      ] })
      const [ann, bob] = presence.people()
      assert.equal(ann.name, 'Ann', `${part}: ${JSON.stringify(value)}`)
      assert.deepEqual(bob.cursor, { x: 3, y: 4 })
      const { stroke = 0, at = 0, points = [] } = ann.laser ?? {}
      const numbers = [...ann.selection, ...ann.lifted, ann.writing ?? 0, ann.follows ?? 0, stroke, at, ...points]
      for (const number of numbers) assert.ok(Number.isFinite(number), `${part}: ${JSON.stringify(value)}`)
      assert.equal(typeof (ann.typed ?? ''), 'string', `${part}: ${JSON.stringify(value)}`)
      assert.equal(ann.guides, part === 'guides' && value === true)
    }
  }
})

function read(state) {
  const line = new Line()
  const presence = new Presence(line)
  line.hear({ type: 'joined', peer: { actor: 1, name: 'Ann', color: '#E4572E', state: JSON.parse(state) } })
  return presence.person(1)
}

test('a malformed part counts as none, as for the terminal', () => {
  const lines = readFileSync(new URL('../CanvasCRDTTests/Golden/presence.tsv', import.meta.url), 'utf8').trim().split('\n')
  for (const line of lines) {
    const [told, taken] = line.split('\t').map(read)
    assert.deepEqual(told, taken, line)
  }
  for (const laser of [{ stroke: -1, at: 0, points: [1, 2] }, { stroke: 1, at: 0, points: [1] }, { stroke: 1, at: 0, points: [1, 1e300] }, { stroke: 1, at: 0, points: Array(200).fill(1) }]) {
    assert.equal(read(JSON.stringify({ laser })).laser, null, JSON.stringify(laser))
  }
  for (const typed of [7, ['x'], {}, 'x'.repeat(803)]) assert.equal(read(JSON.stringify({ writing: '000-000-001', typed })).typed, null, JSON.stringify(typed))
})
