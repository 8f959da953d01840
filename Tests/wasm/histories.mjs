// Replays the random histories of ReplicaTests with core.wasm in node. core.wasm must send, refuse, save and show the
// same as the native replica at every event. Half of the replicas in these histories are pages, whose events were
// recorded.
//
//     scripts/wasm && CANVAS_WRITE_HISTORIES=$PWD/build/histories swift test --filter ReplicaHistoryTests
//     node Tests/wasm/histories.mjs

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { loadCore } from '../../build/modules/core/core.js'
import { epoch, play } from './playing.mjs'

const root = new URL('../../', import.meta.url)
const folder = new URL('build/histories/', root)
const core = await loadCore(readFileSync(new URL('build/page/core.wasm', root)), { seed: 1n })
await core.loadExchange(readFileSync(new URL('build/page/exchange.wasm', root)))

/** How often each kind of event has happened. */
const seen = new Map()

function replay([beginning, ...events]) {
  const isText = beginning.encoding === 'json'
  let time = 0
  const clock = { wall: () => epoch + time, monotonic: () => time }
  const options = (seed) => ({ encoding: beginning.encoding, seed: BigInt(`0x${seed}`), clock })
  let replica = core.createReplica(options(beginning.seed))
  let saved = null
  for (const [number, event] of events.entries()) {
    time = event.time
    const where = `event ${number + 1}, ${event.event}`
    let effects = []
    if (event.event === 'save') {
      saved = replica.save(event.isWithDrawing)
      assert.equal(Buffer.from(saved).toString('base64'), event.frame, where)
    } else if (event.event === 'restore') {
      replica.destroy()
      replica = core.restoreReplica(saved, options(event.seed))
    } else {
      // After a connection was closed because a message was too long, core.wasm finds that message by its length in the
      // binary encoding. In JSON the lengths differ, so the replay ends here.
      if (isText && event.code === 1009) break
      effects = play(replica, event, isText)
    }
    const sent = effects.filter(({ type }) => type === 'send')
      .map(({ bytes }) => Buffer.from(bytes).toString(isText ? 'utf8' : 'base64'))
    const rejected = effects.filter(({ type }) => type === 'rejected').map(({ code }) => code)
    assert.deepEqual(sent, event.sent, where)
    assert.deepEqual(rejected, event.rejected, where)
    assert.deepEqual(
      [replica.digest, replica.confirmedDigest, replica.unsentCount, replica.canUndo, replica.canRedo],
      [event.digest, event.confirmedDigest, event.unsent, event.canUndo, event.canRedo], where)
    for (const happened of [event.event, ...rejected]) seen.set(happened, (seen.get(happened) ?? 0) + 1)
  }
  replica.destroy()
}

let passed = 0
let failed = 0
for (const file of readdirSync(folder).sort()) {
  const histories = []
  for (const line of readFileSync(new URL(file, folder), 'utf8').trim().split('\n')) {
    const event = JSON.parse(line)
    if (event.encoding) histories.push([])
    histories.at(-1).push(event)
  }
  for (const history of histories) {
    try {
      replay(history)
      passed += 1
    } catch (error) {
      failed += 1
      if (failed <= 5) console.error(`✘ ${file}, the replica with the seed ${history[0].seed}: ${error.message}\n`)
    }
  }
}

// A run with few histories must not count as a success.
assert.ok(passed + failed > 1_000, `only ${passed + failed} replicas in build/histories`)
const codes = ['bad_value', 'room_full', 'too_old', 'read_only', 'quota_exceeded']
for (const happening of ['disconnected', 'restore', 'beginGroup', 'abandonStep', 'undo', 'redo', ...codes]) {
  assert.ok(seen.get(happening) > 10, `${happening}: ${seen.get(happening) ?? 0} times`)
}
console.log(`${passed} replicas did the same, ${failed} did not`)
process.exitCode = failed === 0 ? 0 : 1
