// Runs core.wasm in node: on the histories that the native tests replay too, and through what only a page asks.
//
//     scripts/wasm && node Tests/wasm/run.mjs

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { webcrypto } from 'node:crypto'
import { loadCore } from '../../web/core/core.js'
import { changedBit, identifierNumber, identifierText } from '../../web/core/values.js'

// Node 18 has it under another name only.
globalThis.crypto ??= webcrypto

const root = new URL('../../', import.meta.url)
const histories = new URL('histories/', import.meta.url)
const epoch = 1_763_650_000_000
const core = await loadCore(
  readFileSync(new URL('web/core.wasm', root)), readFileSync(new URL('web/geometry.wasm', root)), { seed: 1n })
await core.loadExchange(readFileSync(new URL('web/exchange.wasm', root)))

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

/** What a page would hold that follows nothing but `changes`. */
class Follower {
  shapes = new Map()
  pairs = new Set()

  follow(session) {
    const changes = session.changes()
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
    if (changes.reordered || changes.reset) this.order = session.drawingOrder()
    return changes
  }

  check(session) {
    const shapes = session.shapes()
    assert.deepEqual(this.order, shapes.map(({ id }) => id))
    assert.equal(this.shapes.size, shapes.length)
    for (const shape of shapes) {
      // A place changes with what lies below; the order tells of that.
      assert.deepEqual({ ...this.shapes.get(shape.id), place: 0 }, { ...shape, place: 0 })
    }
    const pairs = session.overlapPairs().map((pair) => pair.map(identifierText).join(' '))
    assert.deepEqual([...this.pairs].sort(), pairs)
  }
}

function pictureOf(session) {
  return {
    order: session.drawingOrder().map(identifierText),
    names: session.shownNames(),
    overlaps: session.overlapPairs().map((pair) => pair.map(identifierText)),
  }
}

/** Lets a recorded event happen. */
function play(session, { event, frame, edits, shapes, code }, isText) {
  switch (event) {
    case 'received': return session.received(isText ? frame : Buffer.from(frame, 'base64'))
    case 'disconnected': return session.disconnected(code)
    case 'edit':
      return session.edit(JSON.parse(edits).ops.map(({ shape, set }) => ({ shape: identifierNumber(shape), set })))
    case 'delete': return session.delete(shapes.map(identifierNumber))
    case 'beginGroup': return session.beginGroup() ?? []
    case 'endGroup': return session.endGroup() ?? []
    default: return session[event]()
  }
}

for (const file of readdirSync(histories).sort()) {
  const [beginning, ...events] = readFileSync(new URL(file, histories), 'utf8').trim().split('\n').map(JSON.parse)
  const isText = beginning.encoding === 'json'

  test(`${file}: core.wasm does and shows what the native core did and showed`, () => {
    let time = 0
    const clock = { wall: () => epoch + time, monotonic: () => time }
    const session = core.createSession({
      actor: beginning.actor, encoding: beginning.encoding, seed: BigInt(`0x${beginning.seed}`), clock,
    })
    const follower = new Follower()
    assert.equal(identifierText(session.actor), beginning.actor)
    events.forEach((event, number) => {
      time = event.time
      const where = `event ${number + 1}, ${event.event}`
      const sent = play(session, event, isText).filter(({ type }) => type === 'send')
        .map(({ bytes }) => Buffer.from(bytes).toString(isText ? 'utf8' : 'base64'))
      assert.deepEqual(sent, event.sent, where)
      assert.equal(session.digest, event.digest, where)
      assert.equal(session.confirmedDigest, event.confirmedDigest, where)
      assert.equal(session.unsentCount, event.unsent, where)
      if (event.picture) assert.deepEqual(pictureOf(session), event.picture, where)
      // Not at every event, so that changes come together as between two frames.
      if (number % 3 === 0) {
        follower.follow(session)
        follower.check(session)
      }
    })
    session.destroy()
  })

  test(`${file}: a session that was saved in the middle and restored ends the same`, () => {
    let time = 0
    const clock = { wall: () => epoch + time, monotonic: () => time }
    const session = core.createSession({ actor: beginning.actor, encoding: beginning.encoding, clock })
    for (const event of events) {
      time = event.time
      play(session, event, isText)
      if (event.event === 'disconnected') break
    }
    const restored = core.restoreSession(session.save(), { encoding: beginning.encoding, clock })
    assert.equal(restored.digest, session.digest)
    assert.deepEqual(pictureOf(restored), pictureOf(session))
    assert.equal(restored.unsentCount, session.unsentCount)
    // The edits from one place and the drawing from another come to the same; a drawing alone is somebody else's beginning.
    const drawing = session.save()
    const joined = core.restoreSession(session.save(false), { encoding: beginning.encoding, clock }, drawing)
    assert.equal(joined.digest, session.digest)
    assert.equal(joined.actor, session.actor)
    const other = core.restoreSession(null, { encoding: beginning.encoding, clock }, drawing)
    assert.equal(other.digest, session.confirmedDigest)
    assert.equal(other.unsentCount, 0)
    assert.notEqual(other.actor, session.actor)
    for (const used of [session, restored, joined, other]) used.destroy()
  })
}

test('damaged bytes are refused in words, as are edits that are not allowed', () => {
  assert.throws(() => core.restoreSession(new Uint8Array(40)), /saved/)
  const session = core.createSession()
  assert.throws(() => session.add({ size: [0, 1] }), /size must be/)
  assert.throws(() => session.add({ colour: 'red' }), /no such property/)
  assert.throws(() => session.importDocument('{"shapes": 3}'), /shapes/)
  assert.throws(() => session.setPresence([1]), Error)
  assert.throws(() => core.createSession({ name: '' }), Error)
  assert.equal(session.shapeCount, 0)
  session.destroy()
})

test('a shape is added on top, placed, named, found, reordered, undone and done again', () => {
  const session = core.createSession({ name: 'Ann', color: '#E4572E' })
  const follower = new Follower()
  const { shape: sun } = session.add({ name: 'Sun', position: [0, 0], size: [100, 100] })
  const { shape: moon } = session.add({ kind: 'ellipse', name: 'Sun', position: [50, 0], size: [100, 100] })
  assert.deepEqual(session.drawingOrder(), [sun, moon])
  assert.deepEqual(session.shownNames(), ['Sun', 'Sun 2'])
  assert.equal(session.shapeNamed('Sun 2'), moon)
  assert.equal(session.shapeNamed('Mars'), null)
  assert.deepEqual(session.shapesAt(75, 50), [moon, sun])
  assert.deepEqual(session.shapesAt(10, 50), [sun])
  assert.deepEqual(session.overlapPairs(), [[sun, moon].sort((a, b) => a - b)])
  assert.deepEqual(session.neighbours(sun), [moon])
  const [region] = session.commonRegion(sun, moon)
  assert.ok(region.length > 8 && region.every(({ x, y }) => x >= 50 - 1e-9 && x <= 100 && y >= 0 && y <= 100))
  assert.deepEqual(session.bounds(), { x: 0, y: 0, width: 150, height: 100 })
  assert.deepEqual(session.shapesInBox({ x: -1, y: -1, width: 102, height: 102 }, true), [sun])
  assert.deepEqual(session.shapesInView({ x: 120, y: 0, width: 10, height: 10 }).map(({ id }) => id), [moon])
  assert.equal(session.outline(sun).length, 4)
  assert.equal(session.written(sun, 'position').actor, session.actor)
  assert.equal(session.written(sun, 'rotation'), null)
  const first = follower.follow(session)
  assert.ok(first.reset && first.shapes.length === 2 && first.pairs.length === 1)

  session.place([{ id: moon, x: 500, y: 0, rotation: 45 }])
  const moved = follower.follow(session)
  assert.ok(!moved.reset && !moved.reordered)
  assert.equal(moved.shapes[0].changed, changedBit.position | changedBit.rotation)
  assert.equal(moved.shapes[0].by, session.actor)
  assert.deepEqual(moved.pairs.map(({ overlaps }) => overlaps), [false])
  const { x, y } = session.freePlace({ width: 50, height: 50 }, { x: 0, y: 0 })
  assert.deepEqual(session.shapesInBox({ x, y, width: 50, height: 50 }), [])

  session.reorder([sun], 'front')
  assert.deepEqual(session.drawingOrder(), [moon, sun])
  session.reorder([sun], 0)
  assert.deepEqual(session.drawingOrder(), [sun, moon])
  assert.ok(follower.follow(session).reordered)
  follower.check(session)

  session.beginGroup()
  session.edit([{ shape: sun, set: { position: [900, 900], size: [1, 1], deleted: true } }])
  session.delete([moon])
  session.endGroup()
  const gone = follower.follow(session)
  assert.deepEqual(gone.shapes.find(({ id }) => id === sun).departure, { x: 900, y: 900, width: 1, height: 1 })
  assert.equal(gone.shapes.find(({ id }) => id === moon).departure, null)
  assert.equal(session.shapeCount, 0)
  session.undo()
  assert.equal(session.shapeCount, 2)
  assert.equal(session.shape(moon).x, 500)
  session.redo()
  assert.equal(session.shapeCount, 0)
  assert.ok(session.canUndo && !session.canRedo)
  follower.follow(session)
  follower.check(session)
  session.destroy()
})

test('what lies where is as it is by now, whoever asks and whenever, and in each session its own', () => {
  const session = core.createSession()
  const other = core.createSession()
  const { shape: one } = session.add({ position: [0, 0], size: [10, 10], strokeWidth: 4 })
  assert.deepEqual(session.shapesAt(5, 5), [one])
  assert.deepEqual(other.shapesAt(5, 5), [])
  assert.equal(other.bounds(), null)
  // Told of only once, though asked in between; a stroke is seen beyond the outline.
  const { shape: two } = session.add({ position: [5, 0], size: [10, 10] })
  assert.deepEqual(session.neighbours(one), [two])
  assert.equal(session.changes().pairs.length, 1)
  assert.equal(session.changes().pairs.length, 0)
  assert.deepEqual(session.shapesInView({ x: -3, y: -3, width: 1.5, height: 1.5 }).map(({ id }) => id), [one])
  // Both in one frame: nothing has changed.
  session.place([{ id: two, x: 50, y: 0 }])
  assert.deepEqual(session.shapesAt(55, 5), [two])
  session.place([{ id: two, x: 5, y: 0 }])
  assert.deepEqual(session.changes().pairs, [])
  session.edit([{ shape: two, set: { visible: false } }])
  assert.deepEqual(session.shapesAt(12, 5), [])
  assert.equal(session.outline(two).length, 4)
  assert.deepEqual(session.bounds(), { x: 0, y: 0, width: 10, height: 10 })
  assert.deepEqual(session.changes().pairs.map(({ overlaps }) => overlaps), [false])
  session.delete([one])
  assert.equal(session.bounds(), null)
  assert.deepEqual(session.outline(one), [])
  session.destroy()
  other.destroy()
})

test('values cross the boundary as they are, those of an edit that is refused back again', () => {
  const session = core.createSession({ readonly: true, name: 'Ännchen 😀', actor: 'zzz-zzz-zzz' })
  assert.equal(identifierText(session.actor), 'zzz-zzz-zzz')
  const set = {
    position: [-1.5, 2e6], size: [1, 300.25], rotation: 45, fill: '#00FF7F', alpha: 3, visible: false, kind: 'star',
    name: 'Stern \u2028 ä😀', z: 'V0a', stroke: '#000001', strokeWidth: 2.5, cornerRadius: 0, points: 64, innerRatio: 0.05,
  }
  const shape = identifierNumber('afy-kw5-t7o')
  const [rejected] = session.edit([{ shape, set }])
  assert.deepEqual(rejected, { type: 'rejected', code: 'read_only', message: rejected.message, shape, set })
  assert.deepEqual(session.edit([{ shape, set: { deleted: true, name: undefined } }])[0].set, { deleted: true })
  for (const [property, wrong] of Object.entries({
    position: [1], size: ['1', 2], rotation: null, fill: 'red', alpha: 1.5, visible: 1, deleted: false, kind: 'line',
    name: 5, z: '0', stroke: 0, strokeWidth: NaN, cornerRadius: -1, points: 1e9, innerRatio: '1',
  })) assert.throws(() => session.edit([{ shape, set: { [property]: wrong } }]), new RegExp(`^Error: ${property} must be`))
  assert.throws(() => session.edit([{ shape, set: {} }]), /must set something/)
  assert.throws(() => session.edit([{ shape: NaN, set }]), /shape must be/)
  assert.throws(() => session.edit([{ shape, set: { shownName: 'x' } }]), /no such property/)
  session.destroy()
})

test('what makes no sense in JSON ends the connection, and what is not known yet does not', () => {
  const session = core.createSession({ encoding: 'json' })
  session.start()
  session.connected()
  const told = (frame) => session.received(frame).map(({ type }) => type)
  assert.deepEqual(told('{"type":"fireworks"}'), ['failure'])
  assert.ok(told('{"type":').includes('disconnect'))
  session.destroy()
})

test('what is handed over for documents is what is shown by then', () => {
  const session = core.createSession()
  const other = core.createSession()
  session.add({ name: 'one' })
  const names = (of) => JSON.parse(of.exportDrawing()).shapes.map(({ name }) => name)
  assert.deepEqual([names(session), names(other), names(session)], [['one'], [], ['one']])
  session.add({ name: 'two' })
  assert.deepEqual(names(session), ['one', 'two'])
  session.undo()
  assert.deepEqual([names(session), names(other)], [['one'], []])
  session.destroy()
  other.destroy()
})

test('a drawing goes out and comes back, and squares come from a layout', () => {
  const session = core.createSession()
  const layout = "{'squares': [{'x': 120, 'y': 230, 'colour': '#FF0000', 'size': 250}, "
    + "{'x': 0, 'y': 0, 'colour': '#00ff00', 'size': 20}]}"
  const { shapes } = session.importDocument(layout, { x: 5 }).find(({ type }) => type === 'added')
  assert.deepEqual(shapes.map((id) => session.shape(id)).map(({ x, width, fill }) => [x, width, fill]),
    [[125, 250, '#FF0000'], [5, 20, '#00FF00']])
  const [square] = session.addSquare({ x: 0, y: 0, width: 800, height: 600 }).find(({ type }) => type === 'added').shapes
  assert.equal(session.shape(square).width, 100)
  const [circle] = session.addCircle(400, 300).find(({ type }) => type === 'added').shapes
  assert.deepEqual([session.shape(circle).kind, session.shape(circle).x], ['ellipse', 350])
  session.addRandomShape({ x: 0, y: 0, width: 800, height: 600 })
  assert.match(session.brightColor(), /^#[0-9A-F]{6}$/)

  const other = core.createSession()
  other.importDocument(session.exportDrawing(), { keepsIdentifiers: true })
  assert.deepEqual(other.shapes(), session.shapes())
  assert.deepEqual(other.shownNames(), session.shownNames())
  other.importDocument(session.exportShapes([circle]))
  assert.equal(other.shapeCount, session.shapeCount + 1)
  assert.match(session.exportPicture(true), /^<svg /)
  assert.equal(JSON.parse(session.exportDrawing(true)).shapes[0].stamps.kind.split('.').length, 3)
  session.destroy()
  other.destroy()
})

test('what a page is told of others comes as values', () => {
  const session = core.createSession({ encoding: 'json', actor: 'k3j-9x2-m1p' })
  assert.deepEqual(session.start(), [{ type: 'state', state: 'connecting' }, { type: 'connect' }])
  const [state, hello, wake] = session.connected()
  assert.equal(state.state, 'greeting')
  assert.equal(JSON.parse(new TextDecoder().decode(hello.bytes)).actor, 'k3j-9x2-m1p')
  assert.ok(wake.at > 0)
  const limits = session.status().limits
  const peer = { actor: 'abc-abc-abc', name: 'Bob', color: '#00FF00' }
  const told = session.received(JSON.stringify({
    type: 'welcome', room: 'demo', actor: 'k3j-9x2-m1p', role: 'editor', time: Date.now(), peers: [peer],
    limits: { messageBytes: limits.messageBytes, opsPerMessage: 1024, opsPerSecond: 2000, shapes: 100000,
      clockAheadMs: 60000, presenceBytes: 4096, horizonMs: 2592000000 },
  }))
  const known = { ...peer, actor: identifierNumber(peer.actor) }
  assert.deepEqual(told.find(({ type }) => type === 'peers').peers.map(({ actor, name }) => [actor, name]),
    [[known.actor, 'Bob']])
  const [presence] = session.received('{"type":"presence","peers":[{"actor":"abc-abc-abc","state":{"x":1}}]}')
  assert.deepEqual(presence.peer, { ...known, state: { x: 1 } })
  assert.deepEqual(session.received('{"type":"leave","actor":"abc-abc-abc"}'), [{ type: 'left', actor: known.actor }])
  assert.equal(session.status().room, 'demo')
  assert.deepEqual(session.received('{"type":"error","code":"gone","message":"why"}'),
    [{ type: 'error', code: 'gone', message: 'why' }])
  session.destroy()
})

test('ten thousand shapes come and go, and the memory grows no further the second time', () => {
  const document = JSON.stringify({ squares: Array.from({ length: 10_000 }, (_, index) => (
    { x: (index % 100) * 50, y: Math.floor(index / 100) * 50, colour: '#123456', size: 40 })) })
  const round = () => {
    // The same identifiers each time, so that the tables of them are as large.
    const session = core.createSession({ seed: 1n })
    session.importDocument(document)
    assert.equal(session.shapes().length, 10_000)
    assert.equal(session.shapesInView({ x: 0, y: 0, width: 120, height: 120 }).length, 9)
    session.destroy()
    return [core, core.geometry].map(({ exports }) => exports.memory.buffer.byteLength)
  }
  round()
  const after = round()
  assert.deepEqual(round(), after)
})

test('the modules import nothing', () => {
  for (const name of ['core', 'geometry', 'exchange']) {
    const module = new WebAssembly.Module(readFileSync(new URL(`web/${name}.wasm`, root)))
    assert.deepEqual(WebAssembly.Module.imports(module), [])
  }
})

console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
