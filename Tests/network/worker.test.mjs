// Tests which files the service worker caches if the server is upgraded while it caches older ones, and what a page learns of
// its own version.

import assert from 'node:assert/strict'
import { test } from 'node:test'

/** A server's files, and a browser's cache. */
class Origin extends EventTarget {
  version = 'one'
  stored = new Map()
  clients = { matchAll: async () => [] }

  /** Starts a service worker, which belongs to this origin from now on. */
  async start() {
    Object.assign(globalThis, { self: this, location: { origin: 'http://127.0.0.1' } })
    globalThis.fetch = (path) => this.answer(path)
    globalThis.caches = {
      open: async (name) => this.set(name),
      keys: async () => [...this.stored.keys()],
      has: async (name) => this.stored.has(name),
      match: async (path, { cacheName }) => this.stored.get(cacheName)?.get(path)?.clone(),
      delete: async (name) => this.stored.delete(name),
    }
    await import('../../build/modules/worker.js')
    return this
  }
  set(name) {
    const files = this.stored.get(name) ?? new Map()
    this.stored.set(name, files)
    return {
      match: async (path) => files.get(path)?.clone(),
      put: async (path, answer) => {
        // The listing says that all files are there.
        if (path === '/page.json') assert.ok(files.has('/room.js'))
        await new Promise(setImmediate)
        files.set(path, answer)
      },
      keys: async () => [],
    }
  }
  async answer(path) {
    return new Response(path === '/page.json' ? JSON.stringify({ version: this.version, files: ['/room.js'] }) : this.version)
  }
  /** Asks the worker to refresh its cache, as a page does. Resolves when that is done. */
  refresh() {
    let done
    this.dispatchEvent(Object.assign(new Event('message'), { data: 'refresh', waitUntil: (work) => { done = work } }))
    return done
  }
  /** What a page gets from the worker. A page that is opened is the page of that name from then on. */
  get(path, page, mode = 'cors') {
    let given
    const request = { method: 'GET', url: `http://127.0.0.1${path}`, mode, destination: '' }
    this.dispatchEvent(Object.assign(new Event('fetch'), {
      request, clientId: page, resultingClientId: page, respondWith: (answer) => { given = answer },
    }))
    return given
  }
}

const origin = await new Origin().start()

test('a visit after an upgrade takes in the newer page, though an older one is just being taken in', async () => {
  const { answer } = origin
  let listings = 0
  /** @type {Promise<void> | undefined} */
  let second
  origin.answer = async (path) => {
    const given = await answer.call(origin, path)
    if (path === '/page.json') listings += 1
    // The first run has now compared the list of files for the last time. The server is upgraded at this moment, and a
    // second run starts.
    if (listings === 2 && origin.version === 'one') {
      origin.version = 'two'
      second = origin.refresh()
    }
    return given
  }
  await origin.refresh()
  await second
  assert.ok(second, 'the server was upgraded meanwhile')
  assert.deepEqual([...origin.stored.keys()].filter((name) => name.startsWith('page ')), ['page two'])
})

test('a page learns whether its own version comes from stored files or from the server', async () => {
  const { answer } = origin
  const own = async (page) => {
    const listing = await origin.get('/page.json?own', page)
    return [(await listing.json()).version, listing.headers.has('kept')]
  }
  origin.answer = async (request) => answer.call(origin, typeof request === 'string' ? request : new URL(request.url).pathname)
  await origin.refresh()
  const { version } = origin
  await origin.get('/room.js', 'online', 'navigate')
  const online = origin.answer
  origin.answer = async () => { throw new TypeError('no network') }
  await origin.get('/room.js', 'offline', 'navigate')
  origin.answer = online
  origin.version = 'three'
  assert.deepEqual(await own('online'), ['three', false])
  assert.deepEqual(await own('offline'), [version, true])
})
