import { forgetAtOnce, keptAtOnce } from './farewell.js'

const readingMilliseconds = 5_000

/** Adds a timeout to an answer of the storage, because the storage might hang. */
export const inTime = <T>(answer: Promise<T>): Promise<T> => Promise.race([answer, new Promise<never>((_, reject) => {
  setTimeout(() => reject(new Error('the browser’s storage doesn’t answer')), readingMilliseconds)
})])

// The IndexedDB database: each actor's unsent edits, and the last known drawing of each room.

const name = 'canvas'
const version = 1

/** The unsent edits of one actor in a room. */
export interface KeptEdits {
  /** Made from the room, the actor and a number: see `keyOf`. */
  key: string
  room: string
  actor: number
  /** See `Place`. Pages of earlier versions have stored none, which means 0. */
  share?: number
  /** What `Replica.save` returned, without the drawing. */
  bytes: Uint8Array
  /** The number of edits that the server has not acknowledged. */
  unsent: number
  /**
   * When the edits were saved, by this computer's clock, which can be set back. What a tab saves later has a greater
   * number anyway.
   */
  at: number
}

/** The newest drawing of a room that any tab has saved. */
export type KeptDrawing = { room: string, bytes: Uint8Array, at: number }

let opening: Promise<IDBDatabase> | undefined

/** Opens the database. It is opened again after the browser has closed it, or after opening has failed. */
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
      // A newer page in another tab needs another version of the database, so this page closes it. Opening it again
      // fails, and the page reports that.
      request.result.onversionchange = () => {
        request.result.close()
        forget()
      }
      // The browser closes the database if the person clears the storage, or if the browser can't use the file any
      // more.
      request.result.onclose = forget
      resolve(request.result)
    }
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('another tab holds the browser’s storage'))
  })
}

/** Begins a transaction. If the browser has closed the database without an event, the database is opened again. */
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

/** Waits until a transaction has been committed. If there is no space, browsers may report this only at the commit. */
const stored = (transaction: IDBTransaction): Promise<void> => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve()
  transaction.onabort = () => reject(transaction.error)
})

/** @param number of several tabs that are the same actor, each has another number */
export const keyOf = (room: string, actor: number, number: number) => `${room} ${actor}${number === 0 ? '' : ` ${number}`}`
/** Whether a key is one of this actor's. */
export const isKeyOf = (key: string, room: string, actor: number) => `${key} `.startsWith(`${keyOf(room, actor, 0)} `)

/**
 * Moves edits into the database: those that `keepAtOnce` has saved, unless the database has newer ones.
 *
 * @returns the edits that can't be moved, because the browser has no space to write
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
      // Meanwhile the tab may have saved newer ones.
      if (!keptAtOnce().some(({ key, at }) => key === record.key && at > record.at)) forgetAtOnce(record.key)
    } catch {
      left.push(record)
    }
  }
  return left
}

/** The saved edits of each actor in a room, from the newest to the oldest. */
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
  // With relaxed durability, a crash of the computer can lose the last edits, but a crash of the browser doesn't.
  const transaction = await begin(store, 'readwrite', { durability: 'relaxed' })
  const isStored = stored(transaction)
  transaction.objectStore(store).put(record)
  // Without this call, the commit would wait for another iteration of the event loop, which a closing page doesn't run.
  transaction.commit()
  await isStored
}

/** Deletes the edits of one actor in a room. */
export async function forgetEdits(key: string) {
  forgetAtOnce(key)
  await done((await begin('edits', 'readwrite')).objectStore('edits').delete(key))
}

/** Deletes the stored drawing of a room. */
export async function forgetDrawing(room: string) {
  const transaction = await begin('drawings', 'readwrite')
  const isStored = stored(transaction)
  transaction.objectStore('drawings').delete(room)
  await isStored
}

/** The rooms of which something is stored, in both stores or in one of them, from the newest to the oldest. */
export async function keptRooms(stores = ['drawings', 'edits']): Promise<{ room: string, at: number, unsent: number }[]> {
  await takeFarewells()
  const rooms = new Map<string, { room: string, at: number, unsent: number }>()
  for (const store of stores) {
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
