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
  put: (record) => { if (space.isLeft) kept.set(record.key, record) },
  delete: (key) => answered(kept.delete(key)),
}
const database = { transaction(name) {
  const transaction = { objectStore: () => (name === 'edits' ? store : { ...store, put() {} }), commit() {} }
  setImmediate(() => (space.isLeft ? transaction.oncomplete : transaction.onabort)?.())
  return transaction
} }
const target = { addEventListener() {}, removeEventListener() {} }
for (const [name, value] of Object.entries({
  ...target, document: target, indexedDB: { open: () => answered(database) }, navigator: {}, sessionStorage: { getItem: () => null, setItem() {}, removeItem() {} },
})) Object.defineProperty(globalThis, name, { value, configurable: true })
