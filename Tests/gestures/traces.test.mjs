import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { check, readTrace } from './replaying.mjs'

const folder = new URL('traces/', import.meta.url)
for (const file of readdirSync(folder).filter((name) => name.endsWith('.ndjson')).sort()) {
  const trace = readTrace(new URL(file, folder))
  test(`${file}: ${trace.name}`, () => check(trace))
}
