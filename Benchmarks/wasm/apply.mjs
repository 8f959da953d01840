// Measures how core.wasm applies the benchmark's updates, and prints one JSON object.
//
//     canvas-bench frames 10000 build/updates.frames && node Benchmarks/wasm/apply.mjs build/updates.frames
//
//     applyMicroseconds          for one update, with one call for each frame, as frames come from a socket
//     applyTogetherMicroseconds  for one update, with one call for all frames
//     digest                     of the canvas afterwards
//     wasmBytes                  the size of core.wasm

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { webcrypto } from 'node:crypto'
import { loadCore } from '../../build/modules/core/core.js'

globalThis.crypto ??= webcrypto

const [path, times = '7'] = process.argv.slice(2)
const wasm = readFileSync(new URL('../../build/page/core.wasm', import.meta.url))
const core = await loadCore(wasm)
const file = readFileSync(path)

const frames = []
let base = null
let start = 0
for (let at = 0; at < file.length;) {
  const count = file.readUInt32LE(at)
  if (count === 0) {
    base = file.subarray(0, at)
    start = at + 4
  } else if (base) {
    frames.push(new Uint8Array(file.subarray(at + 4, at + 4 + count)))
  }
  at += 4 + count
}
const together = file.subarray(start)

function measure(apply) {
  const microseconds = []
  let digest
  for (let time = 0; time < Number(times); time++) {
    const canvas = core.createCanvas()
    canvas.mergeAll(base)
    const before = performance.now()
    apply(canvas)
    microseconds.push(((performance.now() - before) * 1e3) / frames.length)
    digest = canvas.digest
    canvas.destroy()
  }
  return { median: microseconds.sort((a, b) => a - b)[microseconds.length >> 1], digest }
}

const each = measure((canvas) => { for (const frame of frames) canvas.merge(frame) })
const all = measure((canvas) => canvas.mergeAll(together))
assert.equal(all.digest, each.digest)
console.log(JSON.stringify({
  applyMicroseconds: Number(each.median.toFixed(4)),
  applyTogetherMicroseconds: Number(all.median.toFixed(4)),
  digest: each.digest,
  wasmBytes: wasm.length,
}))
