// Checks which tab gets which actor if the browser has no locks, as on a page without TLS.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import { claim } from '../../build/modules/storage/claims.js'

/** A simulated tab: its storage, and the events of its window. */
class Tab extends EventTarget {
  constructor(stored = {}) {
    super()
    this.stored = { ...stored }
  }
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
  assert.ok(await claim('room 1'))
  first.next()
  assert.equal(await claim('room 1', Infinity), null, 'the first is still there')
  first.leave()
  first.next()
  assert.ok(await claim('room 1', Infinity), 'it was left')
})

test('a page that comes back without being loaded anew holds its key again', async () => {
  const first = new Tab().show()
  await claim('room 1')
  first.leave()
  first.dispatchEvent(new Event('pageshow'))
  first.next()
  assert.equal(await claim('room 1', Infinity), null)
})

test('a key that was given back is left to whoever finds it silent', async () => {
  const first = new Tab().show()
  const release = await claim('room 1')
  release()
  first.leave()
  first.next()
  assert.equal(await claim('room 1', Date.now()), null)
  assert.ok(await claim('room 1', Date.now() - 61_000))
})
