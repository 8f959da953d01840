import { forgetAtOnce, keptAtOnce } from './farewell.js'

// The rooms' data in this browser: each actor's unsent edits, and the drawing that was last seen.

const name = 'canvas'
const version = 1

/** The unsent edits of one actor in a room. */
export interface KeptEdits {
  /** The room and the actor. */
  key: string
  room: string
  actor: number
  /** What `Replica.save` returned, without the drawing. */
  bytes: Uint8Array
  /** How many edits had no answer. */
  unsent: number
  /** When, by this computer's clock. */
  at: number
}

/** The newest that any tab has seen. */
export type KeptDrawing = { room: string, bytes: Uint8Array, at: number }

let opening: Promise<IDBDatabase> | undefined

/** The database. It is opened again if the browser has closed it, or if opening failed before. */
function open(): Promise<IDBDatabase> {
  opening ??= opened()
  opening.catch(forget)
  return opening
}

function forget() { opening = undefined }

function opened(): Promise<IDBDatabase> {
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
 */
async function begin(store: string, mode?: IDBTransactionMode, options?: IDBTransactionOptions) {
  try {
    return (await open()).transaction(store, mode, options)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error
    forget()
    return (await open()).transaction(store, mode, options)
  }
}

const done = <T>(request: IDBRequest<T>): Promise<T> => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result)
  request.onerror = () => reject(request.error)
})

/**
 * Waits until everything that a transaction writes is stored. A browser without space may report that only when the
 * transaction ends.
 */
const stored = (transaction: IDBTransaction): Promise<void> => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve()
  transaction.onabort = () => reject(transaction.error)
})

export const keyOf = (room: string, actor: number) => `${room} ${actor}`

/**
 * Moves edits that pages saved at the moment they were left into the database, if they are newer than the edits there.
 *
 * @returns those that stay where they are: a browser without space still reads what it has
 */
async function takeFarewells(): Promise<KeptEdits[]> {
  const left: KeptEdits[] = []
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

/** The saved edits of each actor in a room, the newest first. */
export async function editsOf(room: string): Promise<KeptEdits[]> {
  const left = (await takeFarewells()).filter((record) => record.room === room)
  const inStore: KeptEdits[] = await done((await begin('edits')).objectStore('edits').index('room').getAll(room))
  const newest = new Map(inStore.map((record) => [record.key, record]))
  for (const record of left) if (!(record.at <= (newest.get(record.key)?.at ?? -Infinity))) newest.set(record.key, record)
  return [...newest.values()].sort((one, other) => other.at - one.at)
}

export async function drawingOf(room: string): Promise<KeptDrawing | undefined> {
  return done((await begin('drawings')).objectStore('drawings').get(room))
}

export async function keep(store: 'edits' | 'drawings', record: KeptEdits | KeptDrawing) {
  // With relaxed durability a crash of the computer may lose the last moments. A crash of the browser loses nothing.
  const transaction = await begin(store, 'readwrite', { durability: 'relaxed' })
  const isStored = stored(transaction)
  transaction.objectStore(store).put(record)
  // Committed at once. Otherwise the commit would wait until the page handles an event, which a page that is being left
  // never does.
  transaction.commit()
  await isStored
}

/** Forgets the edits of one actor in a room. */
export async function forgetEdits(key: string) {
  forgetAtOnce(key)
  await done((await begin('edits', 'readwrite')).objectStore('edits').delete(key))
}

/** The rooms whose drawings this browser has stored, the latest first. */
export async function keptRooms(): Promise<{ room: string, at: number, unsent: number }[]> {
  await takeFarewells()
  const rooms = new Map<string, { room: string, at: number, unsent: number }>()
  for (const store of ['drawings', 'edits']) {
    const cursor = (await begin(store)).objectStore(store).openCursor()
    await new Promise((resolve: (done: void) => void, reject) => {
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
