// Runs core.wasm in node: with the histories that the native tests replay too, and with calls that only a page makes.
//
//     scripts/wasm && node Tests/wasm/run.mjs

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { webcrypto } from 'node:crypto'
import { loadCore } from '../../build/modules/core/core.js'
import { changedBit, properties } from '../../build/modules/core/table.js'
import { identifierNumber, identifierText } from '../../build/modules/core/values.js'
import { epoch, play } from './playing.mjs'

// In node 18, this global has another name.
globalThis.crypto ??= webcrypto

const root = new URL('../../', import.meta.url)
const histories = new URL('histories/', import.meta.url)
const core = await loadCore(readFileSync(new URL('build/page/core.wasm', root)), { seed: 1n })
const coreAlone = await loadCore(readFileSync(new URL('build/page/core.wasm', root)), { seed: 1n })
await core.loadExchange(readFileSync(new URL('build/page/exchange.wasm', root)))

let passed = 0
let failed = 0
function test(name, body) {
  try {
    body()
    passed += 1
  } catch (error) {
    failed += 1
    console.error(`✘ ${name}\n${error.stack}\n`)
  }
}

/** The shapes of a page that reads only `changes`. */
class Follower {
  shapes = new Map()
  pairs = new Set()

  follow(replica) {
    const changes = replica.changes()
    if (changes.reset) {
      this.shapes.clear()
      this.pairs.clear()
    }
    for (const { id, shape } of changes.shapes) {
      if (shape) this.shapes.set(id, shape)
      else this.shapes.delete(id)
    }
    for (const { first, second, overlaps } of changes.pairs) {
      const pair = `${identifierText(first)} ${identifierText(second)}`
      if (overlaps) this.pairs.add(pair)
      else this.pairs.delete(pair)
    }
    if (changes.reordered || changes.reset) this.order = replica.drawingOrder()
    return changes
  }

  check(replica) {
    const shapes = replica.shapes()
    assert.deepEqual(this.order, shapes.map(({ id }) => id))
    assert.equal(this.shapes.size, shapes.length)
    for (const shape of shapes) {
      // A shape's `place` also changes when shapes below it come or go, which is not a change of the shape itself. So
      // places are compared by `order`.
      assert.deepEqual({ ...this.shapes.get(shape.id), place: 0 }, { ...shape, place: 0 })
    }
    const pairs = replica.overlapPairs().map((pair) => pair.map(identifierText).join(' '))
    assert.deepEqual([...this.pairs].sort(), pairs)
  }
}

function pictureOf(replica) {
  return {
    order: replica.drawingOrder().map(identifierText),
    names: replica.shownNames(),
    overlaps: replica.overlapPairs().map((pair) => pair.map(identifierText)),
  }
}

for (const file of readdirSync(histories).sort()) {
  const [beginning, ...events] = readFileSync(new URL(file, histories), 'utf8').trim().split('\n').map(JSON.parse)
  const isText = beginning.encoding === 'json'

  test(`${file}: core.wasm does and shows what the native core did and showed`, () => {
    let time = 0
    const clock = { wall: () => epoch + time, monotonic: () => time }
    const replica = core.createReplica({
      actor: beginning.actor, encoding: beginning.encoding, seed: BigInt(`0x${beginning.seed}`), clock,
    })
    const follower = new Follower()
    assert.equal(identifierText(replica.actor), beginning.actor)
    events.forEach((event, number) => {
      time = event.time
      const where = `event ${number + 1}, ${event.event}`
      const sent = play(replica, event, isText).filter(({ type }) => type === 'send')
        .map(({ bytes }) => Buffer.from(bytes).toString(isText ? 'utf8' : 'base64'))
      assert.deepEqual(sent, event.sent, where)
      assert.equal(replica.digest, event.digest, where)
      assert.equal(replica.confirmedDigest, event.confirmedDigest, where)
      assert.equal(replica.unsentCount, event.unsent, where)
      if (event.picture) assert.deepEqual(pictureOf(replica), event.picture, where)
      // The changes are read only after every third event, so that several are read together, as between two frames.
      if (number % 3 === 0) {
        follower.follow(replica)
        follower.check(replica)
      }
    })
    replica.destroy()
  })

  test(`${file}: a replica that was saved in the middle and restored ends the same`, () => {
    let time = 0
    const clock = { wall: () => epoch + time, monotonic: () => time }
    const replica = core.createReplica({ actor: beginning.actor, encoding: beginning.encoding, clock })
    for (const event of events) {
      time = event.time
      play(replica, event, isText)
      if (event.event === 'disconnected') break
    }
    const restored = core.restoreReplica(replica.save(), { encoding: beginning.encoding, clock })
    assert.equal(restored.digest, replica.digest)
    assert.deepEqual(pictureOf(restored), pictureOf(replica))
    assert.equal(restored.unsentCount, replica.unsentCount)
    // Edits and drawing can be saved separately. Together they restore the same replica. The drawing alone restores a
    // replica with a new actor and without pending edits.
    const drawing = replica.save()
    const joined = core.restoreReplica(replica.save(false), { encoding: beginning.encoding, clock }, drawing)
    assert.equal(joined.digest, replica.digest)
    assert.equal(joined.actor, replica.actor)
    const other = core.restoreReplica(null, { encoding: beginning.encoding, clock }, drawing)
    assert.equal(other.digest, replica.confirmedDigest)
    assert.equal(other.unsentCount, 0)
    assert.notEqual(other.actor, replica.actor)
    // A replica can also start with the saved visible drawing, including unsent edits, until the room's state arrives.
    const begun = core.restoreReplica(null, { encoding: beginning.encoding, clock }, replica.saveShown())
    assert.equal(begun.digest, replica.digest)
    assert.equal(begun.status().cursor, undefined)
    for (const used of [replica, restored, joined, other, begun]) used.destroy()
  })
}

test('how long a line is silent is measured by a clock that nobody can set', () => {
  const { now } = performance
  try {
    let time = 1_000
    performance.now = () => time
    const replica = core.createReplica()
    replica.watchLine()
    replica.start()
    time += 5_000
    assert.ok(replica.lookAtLine().some(({ type }) => type === 'connect'))
  } finally {
    performance.now = now
  }
})

test('damaged bytes are refused in words, as are edits that are not allowed', () => {
  assert.throws(() => core.restoreReplica(new Uint8Array(40)), /saved/)
  const replica = core.createReplica()
  assert.throws(() => replica.add({ size: [0, 1] }), /size must be/)
  assert.throws(() => replica.add({ colour: 'red' }), /no such property/)
  assert.throws(() => replica.importDocument('{"shapes": 3}'), /shapes/)
  assert.throws(() => replica.setPresence([1]), Error)
  assert.throws(() => core.createReplica({ name: '' }), Error)
  assert.equal(replica.shapeCount, 0)
  replica.destroy()
})

test('a shape is added on top, placed, named, found, reordered, undone and done again', () => {
  const replica = core.createReplica({ name: 'Ann', color: '#E4572E' })
  const follower = new Follower()
  const { shape: sun } = replica.add({ name: 'Sun', position: [0, 0], size: [100, 100] })
  const { shape: moon } = replica.add({ kind: 'ellipse', name: 'Sun', position: [50, 0], size: [100, 100] })
  assert.deepEqual(replica.drawingOrder(), [sun, moon])
  assert.deepEqual(replica.shownNames(), ['Sun', 'Sun 2'])
  assert.equal(replica.shapeNamed('Sun 2'), moon)
  assert.equal(replica.shapeNamed('Mars'), null)
  assert.deepEqual(replica.shapesAt(75, 50), [moon, sun])
  assert.deepEqual(replica.shapesAt(10, 50), [sun])
  assert.deepEqual(replica.overlapPairs(), [[sun, moon].sort((a, b) => a - b)])
  assert.deepEqual(replica.neighbours(sun), [moon])
  const [region] = replica.commonRegion(sun, moon)
  assert.ok(region.length > 8 && region.every(({ x, y }) => x >= 50 - 1e-9 && x <= 100 && y >= 0 && y <= 100))
  assert.deepEqual(replica.bounds(), { x: 0, y: 0, width: 150, height: 100 })
  assert.deepEqual(replica.shapesInBox({ x: -1, y: -1, width: 102, height: 102 }, true), [sun])
  assert.deepEqual(replica.shapesInView({ x: 120, y: 0, width: 10, height: 10 }).map(({ id }) => id), [moon])
  assert.equal(replica.outline(sun).length, 4)
  assert.equal(replica.written(sun, 'position').actor, replica.actor)
  assert.equal(replica.written(sun, 'rotation'), null)
  const first = follower.follow(replica)
  assert.ok(first.reset && first.shapes.length === 2 && first.pairs.length === 1)

  replica.place([{ id: moon, x: 500, y: 0, rotation: 45 }])
  const moved = follower.follow(replica)
  assert.ok(!moved.reset && !moved.reordered)
  assert.equal(moved.shapes[0].changed, changedBit.position | changedBit.rotation)
  assert.equal(moved.shapes[0].by, replica.actor)
  assert.deepEqual(moved.pairs.map(({ overlaps }) => overlaps), [false])
  const { x, y } = replica.freePlace({ width: 50, height: 50 }, { x: 0, y: 0 })
  assert.deepEqual(replica.shapesInBox({ x, y, width: 50, height: 50 }), [])

  replica.reorder([sun], 'front')
  assert.deepEqual(replica.drawingOrder(), [moon, sun])
  replica.reorder([sun], 0)
  assert.deepEqual(replica.drawingOrder(), [sun, moon])
  assert.ok(follower.follow(replica).reordered)
  follower.check(replica)

  replica.beginGroup()
  replica.edit([{ shape: sun, set: { position: [900, 900], size: [1, 1], deleted: true } }])
  replica.delete([moon])
  replica.endGroup()
  const gone = follower.follow(replica)
  assert.deepEqual(gone.shapes.find(({ id }) => id === sun).departure, { x: 900, y: 900, width: 1, height: 1 })
  assert.equal(gone.shapes.find(({ id }) => id === moon).departure, null)
  assert.equal(replica.shapeCount, 0)
  replica.undo()
  assert.equal(replica.shapeCount, 2)
  assert.equal(replica.shape(moon).x, 500)
  replica.redo()
  assert.equal(replica.shapeCount, 0)
  assert.ok(replica.canUndo && !replica.canRedo)
  follower.follow(replica)
  follower.check(replica)
  replica.destroy()
})

test('a new shape is on top, and a gesture writes only what it changes of a shape that is there', () => {
  const replica = core.createReplica()
  const ids = Array.from({ length: 9 }, (_, at) => replica.add({ kind: 'star', position: [at, 1], size: [10, 20], rotation: 3 }).shape)
  assert.deepEqual(replica.drawingOrder(), ids)
  const [id, gone] = ids
  const place = () => {
    const { x, y, width, height, rotation } = replica.shape(id)
    return [x, y, width, height, rotation]
  }
  for (const [set, expected] of [
    [{ x: 5, y: 6 }, [5, 6, 10, 20, 3]], [{ width: 30, height: 40 }, [5, 6, 30, 40, 3]], [{ rotation: 7 }, [5, 6, 30, 40, 7]],
    [{ x: 1, y: 2, width: 3, height: 4, rotation: 5 }, [1, 2, 3, 4, 5]],
  ]) {
    replica.delete([gone])
    replica.place([{ id: gone, x: 1, y: 1 }, { id, ...set }])
    assert.deepEqual(place(), expected)
    assert.equal(replica.shape(gone), null)
  }
  replica.undo()
  assert.deepEqual(place(), [5, 6, 30, 40, 7])
  replica.destroy()
})

test('what lies where is as it is by now, whoever asks and whenever, and in each replica its own', () => {
  const replica = core.createReplica()
  const other = core.createReplica()
  const { shape: one } = replica.add({ position: [0, 0], size: [10, 10], strokeWidth: 4 })
  assert.deepEqual(replica.shapesAt(5, 5), [one])
  assert.deepEqual(other.shapesAt(5, 5), [])
  assert.equal(other.bounds(), null)
  // `changes` reports the new pair once, although `neighbours` has already returned it.
  const { shape: two } = replica.add({ position: [5, 0], size: [10, 10] })
  assert.deepEqual(replica.neighbours(one), [two])
  assert.equal(replica.changes().pairs.length, 1)
  assert.equal(replica.changes().pairs.length, 0)
  // This view contains only a part of the stroke of `one`.
  assert.deepEqual(replica.shapesInView({ x: -3, y: -3, width: 1.5, height: 1.5 }).map(({ id }) => id), [one])
  // Moves the shape away and back before the changes are read, so no change is reported.
  replica.place([{ id: two, x: 50, y: 0 }])
  assert.deepEqual(replica.shapesAt(55, 5), [two])
  replica.place([{ id: two, x: 5, y: 0 }])
  assert.deepEqual(replica.changes().pairs, [])
  replica.edit([{ shape: two, set: { visible: false } }])
  assert.deepEqual(replica.shapesAt(12, 5), [])
  assert.equal(replica.outline(two).length, 4)
  assert.deepEqual(replica.bounds(), { x: 0, y: 0, width: 10, height: 10 })
  assert.deepEqual(replica.changes().pairs.map(({ overlaps }) => overlaps), [false])
  replica.delete([one])
  assert.equal(replica.bounds(), null)
  assert.deepEqual(replica.outline(one), [])
  replica.destroy()
  other.destroy()
})

test('values cross the boundary as they are, those of an edit that is refused back again', () => {
  const replica = core.createReplica({ readonly: true, name: 'Ännchen 😀', actor: 'zzz-zzz-zzz' })
  assert.equal(identifierText(replica.actor), 'zzz-zzz-zzz')
  const set = {
    position: [-1.5, 2e6], size: [1, 300.25], rotation: 45, fill: '#00FF7F', alpha: 3, visible: false, kind: 'star',
    name: 'Stern \u2603 ä😀', z: 'V0a', stroke: '#000001', strokeWidth: 2.5, cornerRadius: 0, points: 64, innerRatio: 0.05,
  }
  const shape = identifierNumber('afy-kw5-t7o')
  const [rejected] = replica.edit([{ shape, set }])
  assert.deepEqual(rejected, { type: 'rejected', code: 'read_only', message: rejected.message, shape, set })
  assert.deepEqual(replica.edit([{ shape, set: { deleted: true, name: undefined } }])[0].set, { deleted: true })
  for (const { name, form, min, max, words } of properties) {
    const extremes = {
      color: ['#000000', '#FFFFFF'], flag: [false, true], choice: words, pair: [[min, max], [max, min]], number: [min, max],
      integer: [min, max], tie: [{ shape, x: 0, y: 65535 }, null], identifier: [shape, null],
      path: [[], [[0, 0, 100], [65535, 65535, 1], [0, 65535, 200]]],
    }[form] ?? []
    for (const value of extremes) assert.deepEqual(replica.edit([{ shape, set: { [name]: value } }])[0].set, { [name]: value })
  }
  for (const [property, wrong] of Object.entries({
    position: [1], size: ['1', 2], rotation: null, fill: 'red', alpha: 1.5, visible: 1, deleted: false, kind: 'blob', path: [[0, 0]], from: ['afy-kw5-t7o', 0], to: 7, fromEnd: 'ring',
    name: 5, z: '0', stroke: 0, strokeWidth: NaN, cornerRadius: -1, points: 1e9, innerRatio: '1',
  })) assert.throws(() => replica.edit([{ shape, set: { [property]: wrong } }]), new RegExp(`^Error: ${property} must be`))
  assert.throws(() => replica.edit([{ shape, set: {} }]), /must set something/)
  assert.throws(() => replica.edit([{ shape: NaN, set }]), /shape must be/)
  assert.throws(() => replica.edit([{ shape, set: { shownName: 'x' } }]), /no such property/)
  replica.destroy()
})

test('what makes no sense in JSON ends the connection, and what is not known yet does not', () => {
  const replica = core.createReplica({ encoding: 'json' })
  replica.start()
  replica.connected()
  const told = (frame) => replica.received(frame).map(({ type }) => type)
  assert.deepEqual(told('{"type":"fireworks"}'), ['failure'])
  assert.ok(told('{"type":').includes('disconnect'))
  replica.destroy()
  // A replica that doesn't use JSON takes no text at all, and doesn't need exchange.wasm to say so.
  const binary = coreAlone.createReplica()
  binary.start()
  binary.connected()
  assert.ok(binary.received('{"type":"fireworks"}').some(({ type }) => type === 'disconnect'))
  binary.destroy()
})

test('what is handed over for documents is what is shown by then', () => {
  const replica = core.createReplica()
  const other = core.createReplica()
  replica.add({ name: 'one', text: 'one' })
  const names = (document) => JSON.parse(document).shapes.map(({ name }) => name)
  for (const namesIn of [
    (of) => names(of.exportDrawing()), (of) => names(of.exportShapes(of.drawingOrder())),
    (of) => ['one', 'two'].filter((word) => of.exportPicture().includes(`>${word}<`)),
  ]) {
    assert.deepEqual([namesIn(replica), namesIn(other), namesIn(replica)], [['one'], [], ['one']])
    replica.add({ name: 'two', text: 'two' })
    assert.deepEqual(namesIn(replica), ['one', 'two'])
    replica.undo()
    assert.deepEqual([namesIn(replica), namesIn(other)], [['one'], []])
  }
  replica.destroy()
  other.destroy()
})

test('a drawing goes out and comes back, and squares come from a layout', () => {
  const replica = core.createReplica()
  const layout = "{'squares': [{'x': 120, 'y': 230, 'colour': '#FF0000', 'size': 250}, "
    + "{'x': 0, 'y': 0, 'colour': '#00ff00', 'size': 20}]}"
  const { shapes } = replica.importDocument(layout, { x: 5 }).find(({ type }) => type === 'added')
  assert.deepEqual(shapes.map((id) => replica.shape(id)).map(({ x, width, fill }) => [x, width, fill]),
    [[125, 250, '#FF0000'], [5, 20, '#00FF00']])
  const [square] = replica.addSquare({ x: 0, y: 0, width: 800, height: 600 }).find(({ type }) => type === 'added').shapes
  assert.equal(replica.shape(square).width, 100)
  const [circle] = replica.addCircle(400, 300).find(({ type }) => type === 'added').shapes
  assert.deepEqual([replica.shape(circle).kind, replica.shape(circle).x], ['ellipse', 350])
  replica.addRandomShape({ x: 0, y: 0, width: 800, height: 600 })
  assert.match(replica.brightColor(), /^#[0-9A-F]{6}$/)

  const other = core.createReplica()
  other.importDocument(replica.exportDrawing(), { keepsIdentifiers: true })
  assert.deepEqual(other.shapes(), replica.shapes())
  assert.deepEqual(other.shownNames(), replica.shownNames())
  other.importDocument(replica.exportShapes([circle]))
  assert.equal(other.shapeCount, replica.shapeCount + 1)
  assert.match(replica.exportPicture('Plan', true), /^<svg /)
  assert.equal(JSON.parse(replica.exportDrawing(true)).shapes[0].stamps.kind.split('.').length, 3)
  replica.destroy()
  other.destroy()
})

test('documents are of the drawing as it is, however little time has passed since the last', () => {
  // The clock stands still, so stamps differ only in their counters.
  const replica = core.createReplica({ clock: { wall: () => epoch, monotonic: () => 0 } })
  const [shape] = replica.addCircle(400, 300).find(({ type }) => type === 'added').shapes
  const exported = () => JSON.parse(replica.exportDrawing()).shapes.map(({ position }) => position ?? null)
  const places = () => replica.shapes().map(({ x, y }) => [x, y])
  for (let round = 0; round < 50; round += 1) {
    for (const step of [() => replica.place([{ id: shape, x: round, y: 1 }]), () => replica.undo(), () => replica.redo()]) {
      step()
      assert.deepEqual(exported(), places())
    }
  }
  const other = core.createReplica()
  other.addCircle(1, 1)
  assert.equal(JSON.parse(other.exportDrawing()).shapes.length, 1)
  assert.deepEqual(exported(), places())
  replica.destroy()
  other.destroy()
})

const welcome = (...peers) => JSON.stringify({
  type: 'welcome', room: 'demo', actor: 'k3j-9x2-m1p', role: 'editor', time: Date.now(), peers,
  limits: { messageBytes: 1048576, opsPerMessage: 1024, opsPerSecond: 2000, shapes: 100000,
    clockAheadMs: 60000, presenceBytes: 4096, horizonMs: 2592000000 },
})

test('what a page is told of others comes as values', () => {
  const replica = core.createReplica({ encoding: 'json', actor: 'k3j-9x2-m1p' })
  assert.deepEqual(replica.start(), [{ type: 'state', state: 'connecting' }, { type: 'connect' }])
  const [state, hello, wake] = replica.connected()
  assert.equal(state.state, 'greeting')
  assert.equal(JSON.parse(new TextDecoder().decode(hello.bytes)).actor, 'k3j-9x2-m1p')
  assert.ok(wake.at > 0)
  const peer = { actor: 'abc-abc-abc', name: 'Bob', color: '#00FF00' }
  const told = replica.received(welcome(peer))
  const known = { ...peer, actor: identifierNumber(peer.actor) }
  assert.deepEqual(told.find(({ type }) => type === 'peers').peers.map(({ actor, name }) => [actor, name]),
    [[known.actor, 'Bob']])
  const [presence] = replica.received('{"type":"presence","peers":[{"actor":"abc-abc-abc","state":{"x":1}}]}')
  assert.deepEqual(presence, { type: 'presence', peer: { ...known, state: { x: 1 } } })
  for (const [message, effect] of [
    [{ type: 'leave', actor: peer.actor }, { type: 'left', actor: known.actor }],
    [{ type: 'join', peer }, { type: 'joined', peer: known }],
    [{ type: 'crowd', people: 9 }, { type: 'crowd', people: 9 }],
    [{ type: 'token', until: 5 }, { type: 'tokenTaken' }],
  ]) assert.deepEqual(replica.received(JSON.stringify(message)), [effect])
  assert.equal(replica.status().room, 'demo')
  assert.deepEqual(replica.received('{"type":"error","code":"gone","message":"why"}'),
    [{ type: 'error', code: 'gone', message: 'why' }])
  replica.destroy()
})

test('of what the server refuses a page is told whether it was an undo or a redo, and of what had lost by whom', () => {
  const replica = core.createReplica({ encoding: 'json', actor: 'k3j-9x2-m1p' })
  replica.start()
  replica.connected()
  replica.received(welcome())
  replica.received('{"type":"ops","cursor":"1","ops":[],"reset":true}')
  let cursor = 1
  const sent = (effects) => JSON.parse(new TextDecoder().decode(effects.find(({ type }) => type === 'send').bytes)).id
  const take = (effects, superseded) => replica.received(
    JSON.stringify({ type: 'ack', id: sent(effects), cursor: String(cursor += 1), superseded }))
  const refuse = (effects) => replica.received(JSON.stringify({ type: 'reject', id: sent(effects), op: 0, code: 'room_full', message: 'why' }))
    .find(({ type }) => type === 'rejected')
  const { effects, shape } = replica.add({ name: 'one' })
  take(effects)
  assert.equal(refuse(replica.edit([{ shape, set: { alpha: 3 } }])).origin, undefined)
  assert.equal(refuse(replica.undo()).origin, 'undo')
  take(replica.undo())
  assert.equal(refuse(replica.redo()).origin, 'redo')
  const winner = { op: 0, property: 'alpha', by: '1763650000124.0.abc-abc-abc' }
  const lost = take(replica.edit([{ shape, set: { alpha: 5 } }]), [winner]).find(({ type }) => type === 'superseded')
  assert.deepEqual(lost.values,
    [{ shape, property: 'alpha', by: identifierNumber('abc-abc-abc'), milliseconds: 1763650000124 }])
  replica.destroy()
})

test('ten thousand shapes come and go, and the memory grows no further the second time', () => {
  const document = JSON.stringify({ squares: Array.from({ length: 10_000 }, (_, index) => (
    { x: (index % 100) * 50, y: Math.floor(index / 100) * 50, colour: '#123456', size: 40 })) })
  const round = () => {
    // Each round uses the same identifiers, so that the tables for them have the same size.
    const replica = core.createReplica({ seed: 1n })
    replica.importDocument(document)
    assert.equal(replica.shapes().length, 10_000)
    assert.equal(replica.shapesInView({ x: 0, y: 0, width: 120, height: 120 }).length, 9)
    replica.destroy()
    return core.memoryBytes
  }
  round()
  const after = round()
  assert.equal(round(), after)
})

test('a page that fetches no changes for long gets the whole drawing instead of thousands of changes', () => {
  const replica = core.createReplica({ seed: 1n })
  const follower = new Follower()
  follower.follow(replica)
  for (let round = 0; round < 30; round += 1) {
    const shapes = Array.from({ length: 1_000 }, () => replica.newIdentifier())
    replica.edit(shapes.map((shape, index) => ({ shape, set: { kind: 'rectangle', name: 'Sun', position: [index * 200, round * 200] } })))
    if (round > 0) replica.delete(shapes)
  }
  const changes = follower.follow(replica)
  assert.ok(changes.reset)
  assert.equal(changes.shapes.length, 1_000)
  follower.check(replica)
  assert.equal(replica.shownNames()[999], 'Sun 1000')
  replica.destroy()
})

test('a line is in view where only its caption is, also if it gets the caption later', () => {
  const replica = core.createReplica({ seed: 1n })
  const { shape } = replica.add({ kind: 'line', position: [0, 0], size: [400, 1], strokeWidth: 2 })
  const inView = () => replica.shapesInView({ x: 195, y: -60, width: 10, height: 10 }).map(({ id }) => id)
  assert.deepEqual(inView(), [])
  replica.edit([{ shape, set: { text: 'Hello' } }])
  replica.edit([{ shape, set: { textSize: 120 } }])
  assert.deepEqual(inView(), [shape])
  replica.destroy()
})

test('a tied line is where its shape is, also in a room that was loaded anew', () => {
  const replica = core.createReplica({ encoding: 'json', actor: 'k3j-9x2-m1p' })
  replica.start()
  replica.connected()
  replica.received(welcome())
  const [box, line] = ['afy-kw5-t7o', 'lin-e00-000']
  const load = (cursor, position) => replica.received(JSON.stringify({
    type: 'ops', cursor, reset: true, ops: [
      { shape: box, at: '1.0.abc-abc-abc', set: { kind: 'rectangle', position, size: [100, 100] } },
      { shape: line, at: '1.1.abc-abc-abc', set: { kind: 'line', position: [0, 0], size: [400, 100], from: [box, 65535, 0] } },
    ] }))
  const drawn = () => {
    const { x, y, width, height } = replica.shape(identifierNumber(line))
    return [x, y, width, height]
  }
  load('1', [0, 0])
  assert.deepEqual(drawn(), [100, 0, 300, 100])
  load('2', [50, 50])
  assert.deepEqual(drawn(), [150, 50, 250, 50])
  replica.place([{ id: identifierNumber(box), x: 0, y: 0 }])
  assert.deepEqual(drawn(), [100, 0, 300, 100])
  replica.edit([{ shape: identifierNumber(line), set: { size: [600, 100] } }])
  assert.deepEqual(drawn(), [100, 0, 500, 100])
  replica.delete([identifierNumber(box)])
  assert.deepEqual(drawn(), [100, 0, 500, 100], 'its ends stay where they were drawn')
  replica.destroy()
})

test('the modules import nothing', () => {
  for (const name of ['core', 'exchange']) {
    const module = new WebAssembly.Module(readFileSync(new URL(`build/page/${name}.wasm`, root)))
    assert.deepEqual(WebAssembly.Module.imports(module), [])
  }
})

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
