// A browser's storage of unsent edits, for tests of what tabs keep there. A test imports this first.

/** What the browser has stored of unsent edits, by their keys, and of drawings, by their rooms. */
export const kept = new Map()
export const drawings = new Map()
/** Whether there is space for more edits, and beside how many drawings. */
export const space = {
  isLeft: true, besides: Infinity,
  get isEnough() { return this.isLeft && drawings.size <= this.besides },
}

const answered = (result) => {
  const request = { result }
  queueMicrotask(() => request.onsuccess())
  return request
}
const storeOf = (records) => ({
  index: () => ({ getAll: () => answered([...records.values()]) }),
  get: () => answered(undefined),
  openCursor() {
    const [values, request] = [[...records.values()], {}]
    const goOn = () => {
      const [value] = values.splice(0, 1)
      request.result = value ? { value, continue: goOn } : null
      queueMicrotask(() => request.onsuccess())
    }
    goOn()
    return request
  },
  put: (record) => { if (space.isEnough) records.set(record.key, record) },
  delete: (key) => answered(records.delete(key)),
})
const stores = { edits: storeOf(kept), drawings: { ...storeOf(drawings), put() {} } }
const database = { transaction(name) {
  const transaction = { objectStore: () => stores[name], commit() {}, error: new DOMException('full', 'QuotaExceededError') }
  setImmediate(() => (space.isEnough ? transaction.oncomplete : transaction.onabort)?.())
  return transaction
} }
const target = { addEventListener() {}, removeEventListener() {} }
for (const [name, value] of Object.entries({
  ...target, document: target, indexedDB: { open: () => answered(database) }, navigator: {}, sessionStorage: { getItem: () => null, setItem() {}, removeItem() {} },
})) Object.defineProperty(globalThis, name, { value, configurable: true })
