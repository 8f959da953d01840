// Saves edits when the page is closed. The event loop may not run again after that, so they are saved in
// `localStorage`, which writes before the call returns. The database writes only later.

import type { KeptEdits } from './database.js'

const prefix = 'canvas edits '
/**
 * The upper bound on the bytes that are saved at once, because the write blocks the browser. Between two regular saves,
 * people edit less than this.
 */
const bytesMax = 256 << 10

/** Saves edits in `localStorage`, or deletes the edits that were saved there before. */
export function keepAtOnce(record: KeptEdits) {
  try {
    if (record.unsent === 0 || record.bytes.length > bytesMax) return forgetAtOnce(record.key)
    const bytes = btoa(Array.from(record.bytes, (byte) => String.fromCharCode(byte)).join(''))
    localStorage.setItem(prefix + record.key, JSON.stringify({ ...record, bytes }))
  } catch {
    // There is no space, or storage isn't allowed. The database can still have the edits.
  }
}

export function forgetAtOnce(key: string) {
  try {
    localStorage.removeItem(prefix + key)
  } catch {
    // Storage isn't allowed, so there is nothing to delete.
  }
}

/** All edits that `keepAtOnce` has saved. */
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
