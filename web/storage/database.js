import { forgetAtOnce, keptAtOnce } from './farewell.js'

// The rooms' data in this browser: each actor's unsent edits, and the drawing that was last seen.

const name = 'canvas'
const version = 1

/**
 * The unsent edits of one actor in a room.
 *
 * @typedef {object} KeptEdits
 * @property {string} key the room and the actor
 * @property {string} room
 * @property {number} actor
 * @property {Uint8Array} bytes what `Replica.save` returned, without the drawing
 * @property {number} unsent how many edits had no answer
 * @property {number} at when, by this computer's clock
 */

/** @typedef {{room: string, bytes: Uint8Array, at: number}} KeptDrawing the newest that any tab has seen */

/** @type {Promise<IDBDatabase> | undefined} */
let opening

/**
 * The database. It is opened again if the browser has closed it, or if opening failed before.
 *
 * @returns {Promise<IDBDatabase>}
 */
function open() {
  opening ??= opened()
  opening.catch(forget)
  return opening
}

function forget() { opening = undefined }

/** @returns {Promise<IDBDatabase>} */
function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version)
    request.onupgradeneeded = () => {
      request.result.createObjectStore('edits', { keyPath: 'key' }).createIndex('room', 'room')
      request.result.createObjectStore('drawings', { keyPath: 'room' })
    }
    request.onsuccess = () => {
      // If a newer page in another tab needs another form of the database, this page closes the database. Opening it
      // again then fails, which the page reports.
      request.result.onversionchange = () => {
        request.result.close()
        forget()
      }
      // The browser closes the database if the person clears the browser's storage, or if the browser can't use the
      // file any more.
      request.result.onclose = forget
      resolve(request.result)
    }
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('another tab holds the browser’s storage'))
  })
}

/**
 * Begins a transaction. A browser may close a database without an event. If it has, the database is opened again for
 * this transaction.
 *
 * @param {string} store @param {IDBTransactionMode} [mode] @param {IDBTransactionOptions} [options]
 */
async function begin(store, mode, options) {
  try {
    return (await open()).transaction(store, mode, options)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error
    forget()
    return (await open()).transaction(store, mode, options)
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
})

/**
 * Waits until everything that a transaction writes is stored. A browser without space may report that only when the
 * transaction ends.
 *
 * @param {IDBTransaction} transaction @returns {Promise<void>}
 */
const stored = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve()
  transaction.onabort = () => reject(transaction.error)
})

/** @param {string} room @param {number} actor */
export const keyOf = (room, actor) => `${room} ${actor}`

/**
 * Moves edits that pages saved at the moment they were left into the database, if they are newer than the edits there.
 *
 * @returns {Promise<KeptEdits[]>} those that stay where they are: a browser without space still reads what it has
 */
async function takeFarewells() {
  const left = /** @type {KeptEdits[]} */ ([])
  for (const record of keptAtOnce()) {
    try {
      const transaction = await begin('edits', 'readwrite')
      const isStored = stored(transaction)
      const store = transaction.objectStore('edits')
      const here = await done(store.get(record.key))
      if (!here || here.at < record.at) store.put(record)
      await isStored
      forgetAtOnce(record.key)
    } catch {
      left.push(record)
    }
  }
  return left
}

/**
 * The saved edits of each actor in a room, the newest first.
 *
 * @param {string} room @returns {Promise<KeptEdits[]>}
 */
export async function editsOf(room) {
  const left = (await takeFarewells()).filter((record) => record.room === room)
  /** @type {KeptEdits[]} */
  const inStore = await done((await begin('edits')).objectStore('edits').index('room').getAll(room))
  const newest = new Map(inStore.map((record) => [record.key, record]))
  for (const record of left) if (!(record.at <= (newest.get(record.key)?.at ?? -Infinity))) newest.set(record.key, record)
  return [...newest.values()].sort((one, other) => other.at - one.at)
}

/** @param {string} room @returns {Promise<KeptDrawing | undefined>} */
export async function drawingOf(room) {
  return done((await begin('drawings')).objectStore('drawings').get(room))
}

/** @param {'edits' | 'drawings'} store @param {KeptEdits | KeptDrawing} record */
export async function keep(store, record) {
  // With relaxed durability a crash of the computer may lose the last moments. A crash of the browser loses nothing.
  const transaction = await begin(store, 'readwrite', { durability: 'relaxed' })
  const isStored = stored(transaction)
  transaction.objectStore(store).put(record)
  // Committed at once. Otherwise the commit would wait until the page handles an event, which a page that is being left
  // never does.
  transaction.commit()
  await isStored
}

/**
 * Forgets the edits of one actor in a room.
 *
 * @param {string} key
 */
export async function forgetEdits(key) {
  forgetAtOnce(key)
  await done((await begin('edits', 'readwrite')).objectStore('edits').delete(key))
}

/**
 * The rooms whose drawings this browser has stored, the latest first.
 *
 * @returns {Promise<{room: string, at: number, unsent: number}[]>}
 */
export async function keptRooms() {
  await takeFarewells()
  /** @type {Map<string, {room: string, at: number, unsent: number}>} */
  const rooms = new Map()
  for (const store of ['drawings', 'edits']) {
    const cursor = (await begin(store)).objectStore(store).openCursor()
    await new Promise((/** @type {(done: void) => void} */ resolve, reject) => {
      cursor.onerror = () => reject(cursor.error)
      cursor.onsuccess = () => {
        const at = cursor.result
        if (!at) return resolve()
        const known = rooms.get(at.value.room) ?? { room: at.value.room, at: 0, unsent: 0 }
        known.at = Math.max(known.at, at.value.at)
        if (store === 'edits') known.unsent += at.value.unsent
        rooms.set(at.value.room, known)
        at.continue()
      }
    })
  }
  return [...rooms.values()].sort((one, other) => other.at - one.at)
}
