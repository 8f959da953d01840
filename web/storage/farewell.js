// Saves the state of a page at the moment it is left. After that moment, no turn of the event loop is certain.
// `localStorage` is written before the call returns, the database only later.

const prefix = 'canvas edits '
/**
 * More bytes than people edit between two savings. There is a bound because the browser stands still during the write.
 */
const bytesMax = 256 << 10

/**
 * Saves edits, or drops those that were saved before.
 *
 * @param {import('./database.js').KeptEdits} record
 */
export function keepAtOnce(record) {
  try {
    if (record.unsent === 0 || record.bytes.length > bytesMax) return forgetAtOnce(record.key)
    const bytes = btoa(Array.from(record.bytes, (byte) => String.fromCharCode(byte)).join(''))
    localStorage.setItem(prefix + record.key, JSON.stringify({ ...record, bytes }))
  } catch {
    // There is no space, or no permission. The database may still have the edits.
  }
}

/** @param {string} key */
export function forgetAtOnce(key) {
  try {
    localStorage.removeItem(prefix + key)
  } catch {
    // If nothing can be saved, there is nothing to drop.
  }
}

/**
 * Everything that was saved in this way.
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
