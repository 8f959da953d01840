// The state that a page saves at the moment it is left. From then on, no turn of the event loop is sure to happen.
// `localStorage` is written before the call returns, the database only later.

const prefix = 'canvas edits '
/** More than people edit between two savings. It is bounded because the browser stands still during the write. */
const bytesMax = 256 << 10

/**
 * Keeps edits, or forgets those that were kept before.
 *
 * @param {import('./database.js').KeptEdits} record
 */
export function keepAtOnce(record) {
  try {
    if (record.unsent === 0 || record.bytes.length > bytesMax) return forgetAtOnce(record.key)
    const bytes = btoa(Array.from(record.bytes, (byte) => String.fromCharCode(byte)).join(''))
    localStorage.setItem(prefix + record.key, JSON.stringify({ ...record, bytes }))
  } catch {
    // There is no space, or no permission. The database may still have it.
  }
}

/** @param {string} key */
export function forgetAtOnce(key) {
  try {
    localStorage.removeItem(prefix + key)
  } catch {
    // There is nothing to forget where nothing can be kept.
  }
}

/**
 * Everything that was kept this way.
 *
 * @returns {import('./database.js').KeptEdits[]}
 */
export function keptAtOnce() {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix)).flatMap((name) => {
      try {
        const record = JSON.parse(localStorage.getItem(name) ?? '')
        return [{ ...record, bytes: Uint8Array.from(atob(record.bytes), (letter) => letter.charCodeAt(0)) }]
      } catch {
        localStorage.removeItem(name)
        return []
      }
    })
  } catch {
    return []
  }
}
