// Tests which edits that tabs have left are sent by another tab. The script that sends them is tested as pages load it:
// a bundle, with its own copies of the modules that a room's script has too.

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, mock, test } from 'node:test'
import { kept } from './stored.mjs'
import { claim, placeFor } from '../../build/modules/storage/claims.js'
import { keyOf } from '../../build/modules/storage/database.js'
import { claimEdits } from '../../build/modules/storage/keeper.js'

// Node takes a file for a module by its name.
const folder = mkdtempSync(join(tmpdir(), 'couriers-'))
after(() => rmSync(folder, { recursive: true }))
copyFileSync(new URL('../../build/page/storage/couriers.js', import.meta.url), join(folder, 'couriers.mjs'))
const { Couriers } = await import(join(folder, 'couriers.mjs'))

/** Each test has a room of its own, because what it claims stays claimed. */
let room = 'garden'

mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
beforeEach(() => {
  kept.clear()
  room += 's'
})

/** Edits that were stored a minute ago, so that their tab counts as closed in a browser without locks. */
function keep(actor, unsent) {
  const record = { key: keyOf(room, actor, 0), room, actor, bytes: new Uint8Array([actor, unsent]), unsent, at: Date.now() - 61_000 }
  kept.set(record.key, record)
  return record
}

/** A tab in the room, as actor 1, whose couriers have made-up replicas. */
class Tab {
  /** The actors whose edits are sent. */
  senders = []
  /** Of the tab's own replica. */
  state = 'live'
  /** What the newest courier has still to send, and its effects that nobody has got yet. */
  unsent = 0
  role = 'editor'
  /** What the person is told, and which shapes of theirs were refused, or lost their text. */
  said = []
  refused = []
  lost = []
  #effects = []

  /** @param token one that names the actor makes every courier the tab's own one */
  constructor(token = null) {
    const replica = { actor: 1, status: () => ({ state: this.state }), stop: () => [{ state: 'offline' }] }
    this.couriers = new Couriers({
      room, claimEdits, placeFor, core: { restoreReplica: (bytes) => this.#restored(bytes) }, options: () => ({}), notices: { say: (words) => this.said.push(words) },
      connection: { replica, token, perform: ([effect]) => { effect.type === 'textLost' ? this.lost.push(effect.shape) : this.state = effect.state }, start: () => { this.state = 'live' } },
      permission: { isViewOnly: false }, refusals: { take: ({ shape }) => this.refused.push(shape) },
    })
  }

  #restored([actor, unsent]) {
    this.senders.push(actor)
    this.unsent = unsent
    const tab = this, none = () => []
    return {
      actor: 1, get unsentCount() { return tab.unsent }, save: () => new Uint8Array([1, this.unsent]), takeShare: none,
      status: () => ({ role: this.role }), watchLine() {}, start: none, lookAtLine: () => this.#effects.splice(0), destroy() {},
    }
  }

  /** The courier comes into the room as somebody who may only look on. */
  lookOn() {
    this.role = 'viewer'
    this.#effects.push({ type: 'state', state: 'loading' })
  }

  /** The person joins in another place, as the same actor. */
  goElsewhere() { this.#effects.push({ type: 'state', state: 'closed', code: 'actor_elsewhere' }) }

  /** The server acknowledges or refuses some of the courier's edits. `lost`: of which shape somebody had replaced the text. */
  answer(edits, { refused = [], lost = [] } = {}) {
    this.unsent -= edits
    for (const shape of refused) this.#effects.push({ type: 'rejected', shape })
    this.#effects.push({ type: 'unsent', count: this.unsent })
    for (const shape of lost) this.#effects.push({ type: 'textLost', shape })
  }
}

/** Lets time pass, with all that waits for promises and for the storage. */
async function pass(seconds) {
  for (let quarter = 0; quarter < seconds * 4; quarter += 1) {
    mock.timers.tick(250)
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
  }
}

test('without locks, a tab that has stored nothing for long does not take its own edits for those of a closed tab', async () => {
  for (const actor of [1, 2]) keep(actor, 1)
  await claim(keyOf(room, 1, 0))
  const tab = new Tab()
  await tab.couriers.look()
  assert.deepEqual(tab.senders, [2])
})

const named = `.${btoa('{"actor":"ann-ann-ann"}')}.`

for (const [whose, actor] of [['the actor that a token names', 1], ['another actor', 2]]) {
  test(`a tab is out of the room for edits of ${whose} while they are acknowledged, and keeps what is left`, async () => {
    keep(actor, 40)
    const tab = new Tab(named)
    const looked = tab.couriers.look()
    await pass(1)
    for (let turn = 0; turn < 5; turn += 1) {
      tab.answer(6)
      await pass(8)
      assert.equal(tab.state, 'offline', `after ${turn} times 8 seconds`)
    }
    await pass(23)
    await looked
    assert.equal(tab.state, 'live')
    const [[key, { unsent, bytes, share }], ...others] = kept
    assert.deepEqual([unsent, [...bytes], others], [10, [1, 10], []])
    assert.equal(key, keyOf(room, 1, share))
  })
}

for (const [whose, actor, token] of [['its own actor', 1, null], ['the actor that a token names', 2, named], ['another actor', 2, null]]) {
  test(`a tab that is closed while it sends edits of ${whose} leaves only what is not acknowledged`, async () => {
    keep(actor, 40)
    const tab = new Tab(token)
    tab.couriers.look()
    await pass(1)
    for (const left of [30, 20]) {
      tab.answer(10)
      await pass(1)
      assert.deepEqual([...kept.values()].map(({ unsent, bytes }) => [unsent, [...bytes]]), [[left, [1, left]]])
    }
    tab.answer(20)
    await pass(1)
    assert.equal(kept.size, 0)
  })
}

test('of what a tab has left, what is refused or has lost its text is told as such, and not as arrived', async () => {
  for (const [how, ...words] of [
    [{}, '2 changes from a tab you closed have arrived.'], [{ refused: [7] }, 'A change from a tab you closed has arrived.'], [{ lost: [8] }, 'A change from a tab you closed has arrived.'],
    [{ refused: [7, 8] }],
  ]) {
    keep(2, 2)
    const tab = new Tab()
    await tab.couriers.look()
    tab.answer(2, how)
    await pass(1)
    assert.deepEqual([tab.said, tab.refused, tab.lost], [words, how.refused ?? [], how.lost ?? []])
  }
})

test('a tab that is out of the room for edits of its actor stays out if the person goes to another place meanwhile', async () => {
  for (const goes of [true, false]) {
    keep(1, 40)
    const tab = new Tab(named)
    tab.couriers.look()
    await pass(1)
    assert.equal(tab.state, 'offline')
    if (goes) tab.goElsewhere()
    else tab.answer(40)
    await pass(1)
    assert.deepEqual([tab.state, kept.size], goes ? ['closed', 1] : ['live', 0])
    kept.clear()
  }
})

for (const [whose, actor, token] of [['its own actor', 1, null], ['another actor', 2, null]]) {
  test(`edits of ${whose} wait if the room is locked while they are sent`, async () => {
    keep(actor, 40)
    const tab = new Tab(token)
    tab.couriers.look()
    await pass(1)
    tab.lookOn()
    await pass(1)
    tab.answer(40)
    await pass(1)
    assert.equal(tab.state, 'live')
    assert.deepEqual([...kept.values()].map(({ unsent }) => unsent), [40])
  })
}

test('without locks, what a tab has stored since its edits were taken for those of a closed tab is not overwritten', async () => {
  keep(2, 40)
  const tab = new Tab()
  await tab.couriers.look()
  const newer = { ...kept.get(keyOf(room, 2, 0)), at: Date.now() + 1, unsent: 41 }
  kept.set(newer.key, newer)
  tab.answer(10)
  await pass(1)
  tab.answer(30)
  await pass(1)
  assert.deepEqual([...kept.values()], [newer])
})

test('each time that nothing is acknowledged, a tab stays out of the room for longer, so that a thin line carries a long message', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const tab = new Tab(named)
  const absences = []
  for (let time = 0; time < 4; time += 1) {
    kept.clear()
    keep(1, 40)
    now += 1_000_000
    const looked = tab.couriers.look()
    let seconds = 0
    do await pass(1); while (tab.state === 'offline' && (seconds += 1))
    await looked
    absences.push(seconds)
  }
  assert.deepEqual(absences, [30, 60, 120, 120])
})
