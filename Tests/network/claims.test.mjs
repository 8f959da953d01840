// Checks which tab gets which actor if the browser has no locks, as on a page without TLS.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

let tabs = 0

/** A simulated tab: its storage, the events of its window, and its own copy of the code. */
class Tab extends EventTarget {
  constructor(stored = {}) {
    super()
    this.stored = { ...stored }
    this.code = import(`../../build/modules/storage/claims.js?tab=${tabs += 1}`)
  }
  async claim(...how) { return (await this.code).claim(...how) }
  async placeFor(...whom) { return (await this.code).placeFor(...whom) }
  getItem(name) { return this.stored[name] ?? null }
  setItem(name, value) { this.stored[name] = value }
  removeItem(name) { delete this.stored[name] }

  /** Makes this tab's storage and events the global ones, so that code run after this belongs to this tab. */
  show() {
    Object.defineProperty(globalThis, 'sessionStorage', { value: this, configurable: true })
    globalThis.addEventListener = this.addEventListener.bind(this)
    globalThis.removeEventListener = this.removeEventListener.bind(this)
    return this
  }
  leave() {
    this.show()
    this.dispatchEvent(new Event('pagehide'))
  }
  /**
   * The page after this tab was reloaded or duplicated. It has a copy of this tab's storage, and gets none of the old
   * page's events.
   */
  next() { return new Tab(this.stored).show() }
}

beforeEach(() => Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true }))

test('a reloaded tab takes its own key again, and a duplicate of it does not', async () => {
  const first = new Tab().show()
  assert.ok(await first.claim('room 1'))
  assert.equal(await first.claim('room 1'), null, 'it has it already')
  assert.equal(await first.next().claim('room 1', Infinity), null, 'the first is still there')
  first.leave()
  assert.ok(await first.next().claim('room 1', Infinity), 'it was left')
})

test('a page that comes back without being loaded anew holds its key again', async () => {
  const first = new Tab().show()
  await first.claim('room 1')
  first.leave()
  first.dispatchEvent(new Event('pageshow'))
  assert.equal(await first.next().claim('room 1', Infinity), null)
})

test('a key that was given back is left to whoever finds it silent', async () => {
  const first = new Tab().show()
  const release = await first.claim('room 1')
  release()
  first.leave()
  const second = first.next()
  assert.equal(await second.claim('room 1', Date.now()), null)
  assert.ok(await second.claim('room 1', Date.now() - 61_000))
})

test('two tabs that are one actor, because a token names it, never keep their edits in one place', async () => {
  const places = []
  for (let tab = 0; tab < 20; tab += 1) places.push(await new Tab().show().placeFor('room', 1))
  assert.equal(new Set(places.map(({ key }) => key)).size, 20)
  assert.ok(places.every(({ key, release }) => key.startsWith('room 1 ') && release))
})

test('nor if there are locks, but the storage does not say which places are taken, or nothing can be locked', async () => {
  for (const request of [async (_, __, take) => { take({}) }, async () => { throw new Error('denied') }]) {
    Object.defineProperty(globalThis, 'navigator', { value: { locks: { request } }, configurable: true })
    const places = []
    for (let tab = 0; tab < 20; tab += 1) places.push(await new Tab().show().placeFor('room', 1))
    assert.equal(new Set(places.map(({ key }) => key)).size, 20)
  }
})
