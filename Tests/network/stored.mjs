// A browser's storage of unsent edits, for tests of what tabs keep there. A test imports this first.

/** What the browser has stored of unsent edits, by their keys, and of drawings, by their rooms. */
export const kept = new Map()
export const drawings = new Map()
/** Whether there is space for more edits, and beside how many drawings; and whether not even deletions are stored. */
export const space = {
  isLeft: true, besides: Infinity, isBroken: false,
  get isEnough() { return this.isLeft && drawings.size <= this.besides },
}

const answered = (result) => {
  const request = { result }
  queueMicrotask(() => request.onsuccess?.())
  return request
}
const storeOf = (records) => ({
  index: () => ({ getAll: () => answered([...records.values()]) }),
  get: (key) => answered(records.get(key)),
  openCursor() {
    const [values, request] = [[...records.values()], {}]
    const goOn = () => {
      const [value] = values.splice(0, 1)
      request.result = value ? { value, continue: goOn } : null
      queueMicrotask(() => request.onsuccess?.())
    }
    goOn()
    return request
  },
  delete: (key) => answered(space.isBroken || records.delete(key)),
})
const stores = { edits: storeOf(kept), drawings: storeOf(drawings) }
const database = { transaction(name) {
  const records = []
  let isStored = !space.isBroken
  const transaction = {
    objectStore: () => ({ ...stores[name], put: (record) => { if (name === 'edits') records.push(record) } }),
    commit() {
      for (const record of records.splice(0)) {
        isStored &&= space.isEnough
        if (isStored) kept.set(record.key, record)
      }
    },
    error: new DOMException('full', 'QuotaExceededError'),
  }
  // Who doesn't commit waits for another turn of the loop, which a page that is closed doesn't have.
  setImmediate(() => {
    transaction.commit()
    ;(isStored ? transaction.oncomplete : transaction.onabort)?.()
  })
  return transaction
} }
const target = { addEventListener() {}, removeEventListener() {} }
for (const [name, value] of Object.entries({
  ...target, document: target, indexedDB: { open: () => answered(database) }, navigator: {}, sessionStorage: { getItem: () => null, setItem() {}, removeItem() {} },
})) Object.defineProperty(globalThis, name, { value, configurable: true })
