// Measures how a replica in core.wasm receives the benchmark's updates, and prints one JSON object.
//
//     canvas-bench frames 10000 build/updates.frames && node Benchmarks/wasm/apply.mjs build/updates.frames
//
//     receiveMicroseconds  for one update in its own frame
//     digest               of the drawing afterwards
//     wasmBytes            the size of core.wasm

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { webcrypto } from 'node:crypto'
import { loadCore } from '../../build/modules/core/core.js'

globalThis.crypto ??= webcrypto

const [path, times = '7'] = process.argv.slice(2)
const wasm = readFileSync(new URL('../../build/page/core.wasm', import.meta.url))
const core = await loadCore(wasm)
const file = readFileSync(path)

const joining = []
const updates = []
let frames = joining
for (let at = 0; at < file.length;) {
  const count = file.readUInt32LE(at)
  if (count === 0) frames = updates
  else frames.push(new Uint8Array(file.subarray(at + 4, at + 4 + count)))
  at += 4 + count
}

const microseconds = []
let digest
for (let time = 0; time < Number(times); time++) {
  const replica = core.createReplica()
  replica.start()
  replica.connected()
  for (const frame of joining) replica.received(frame)
  const before = performance.now()
  for (const frame of updates) replica.received(frame)
  microseconds.push(((performance.now() - before) * 1e3) / updates.length)
  assert.equal(replica.status().state, 'live')
  digest = replica.confirmedDigest
  replica.destroy()
}
console.log(JSON.stringify({
  receiveMicroseconds: Number(microseconds.sort((a, b) => a - b)[microseconds.length >> 1].toFixed(4)),
  digest,
  wasmBytes: wasm.length,
}))
