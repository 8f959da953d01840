// Saves a page's edits at the moment the page is left. After that moment, no turn of the event loop is certain.
// `localStorage` is written before the call returns, the database only later.

import type { KeptEdits } from './database.js'

const prefix = 'canvas edits '
/**
 * The upper bound on the bytes that are saved in this way, because the browser stands still during the write. Between
 * two regular savings, people edit less than this.
 */
const bytesMax = 256 << 10

/** Saves edits at once, or drops the edits that were saved in this way before. */
export function keepAtOnce(record: KeptEdits) {
  try {
    if (record.unsent === 0 || record.bytes.length > bytesMax) return forgetAtOnce(record.key)
    const bytes = btoa(Array.from(record.bytes, (byte) => String.fromCharCode(byte)).join(''))
    localStorage.setItem(prefix + record.key, JSON.stringify({ ...record, bytes }))
  } catch {
    // There is no space, or no permission to store data. The database may still have the edits.
  }
}

export function forgetAtOnce(key: string) {
  try {
    localStorage.removeItem(prefix + key)
  } catch {
    // If the browser can't store data, no data was stored that would have to be dropped.
  }
}

/** All edits that were saved in this way. */
export function keptAtOnce(): KeptEdits[] {
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
