// A browser's storage of unsent edits, for tests of what tabs keep there. A test imports this first.

/** What the browser has stored of unsent edits, by their keys, and whether there is space for more. */
export const kept = new Map()
export const space = { isLeft: true }

const answered = (result) => {
  const request = { result }
  queueMicrotask(() => request.onsuccess())
  return request
}
const store = {
  index: () => ({ getAll: () => answered([...kept.values()]) }),
  get: () => answered(undefined),
  openCursor() {
    const [values, request] = [[...kept.values()], {}]
    const goOn = () => {
      const [value] = values.splice(0, 1)
      request.result = value ? { value, continue: goOn } : null
      queueMicrotask(() => request.onsuccess())
    }
    goOn()
    return request
  },
  delete: (key) => answered(kept.delete(key)),
}
const database = { transaction(name) {
  const records = []
  const transaction = {
    objectStore: () => ({ ...store, put: (record) => { if (name === 'edits') records.push(record) } }),
    commit() { for (const record of records.splice(0)) if (space.isLeft) kept.set(record.key, record) },
  }
  // Who doesn't commit waits for another turn of the loop, which a page that is closed doesn't have.
  setImmediate(() => {
    transaction.commit()
    ;(space.isLeft ? transaction.oncomplete : transaction.onabort)?.()
  })
  return transaction
} }
const target = { addEventListener() {}, removeEventListener() {} }
for (const [name, value] of Object.entries({
  ...target, document: target, indexedDB: { open: () => answered(database) }, navigator: {}, sessionStorage: { getItem: () => null, setItem() {}, removeItem() {} },
})) Object.defineProperty(globalThis, name, { value, configurable: true })
