// Tests which edits that tabs have left are sent by another tab. The script that sends them is tested as pages load it:
// a bundle, with its own copies of the modules that a room's script has too.

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, mock, test } from 'node:test'
import { claim, placeFor } from '../../build/modules/storage/claims.js'
import { keyOf } from '../../build/modules/storage/database.js'
import { claimEdits } from '../../build/modules/storage/keeper.js'

// Node takes a file for a module by its name.
const folder = mkdtempSync(join(tmpdir(), 'couriers-'))
after(() => rmSync(folder, { recursive: true }))
copyFileSync(new URL('../../build/page/storage/couriers.js', import.meta.url), join(folder, 'couriers.mjs'))
const { Couriers } = await import(join(folder, 'couriers.mjs'))

const room = 'garden'
/** What the browser has stored of unsent edits, by their keys. */
const kept = new Map()

const answered = (result) => {
  const request = { result }
  queueMicrotask(() => request.onsuccess())
  return request
}
const store = {
  index: () => ({ getAll: () => answered([...kept.values()]) }),
  get: () => answered(undefined),
  put: (record) => kept.set(record.key, record),
  delete: (key) => answered(kept.delete(key)),
}
const database = { transaction() {
  const transaction = { objectStore: () => store, commit() {} }
  setImmediate(() => transaction.oncomplete?.())
  return transaction
} }
const storage = { getItem: () => null, setItem() {}, removeItem() {} }
for (const [name, value] of Object.entries({
  indexedDB: { open: () => answered(database) }, navigator: {}, sessionStorage: storage, addEventListener() {}, removeEventListener() {},
})) Object.defineProperty(globalThis, name, { value, configurable: true })

mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
beforeEach(() => kept.clear())

/** Edits that were stored a minute ago, so that their tab counts as closed in a browser without locks. */
function keep(actor, unsent) {
  const record = { key: keyOf(room, actor, 0), room, actor, bytes: new Uint8Array([actor]), unsent, at: Date.now() - 61_000 }
  kept.set(record.key, record)
  return record
}

/** A tab in the room, as actor 1, whose couriers have made-up replicas. */
class Tab {
  /** The actors whose edits are sent. */
  senders = []

  constructor() {
    const replica = { actor: 1, status: () => ({ state: 'live' }) }
    this.couriers = new Couriers({
      room, claimEdits, placeFor, core: { restoreReplica: (bytes) => this.#restored(bytes) }, options: {}, notices: { say() {} },
      connection: { replica, token: null, perform() {}, start() {} }, permission: { isViewOnly: false }, refusals: { take() {} },
    })
  }

  #restored([actor]) {
    this.senders.push(actor)
    const none = () => []
    return { unsentCount: 1, takeShare: none, watchLine() {}, start: () => [{ type: 'unsent', count: 0 }], destroy() {} }
  }
}

test('without locks, a tab that has stored nothing for long does not take its own edits for those of a closed tab', async () => {
  for (const actor of [1, 2]) keep(actor, 1)
  await claim(keyOf(room, 1, 0))
  const tab = new Tab()
  await tab.couriers.look()
  assert.deepEqual(tab.senders, [2])
})
