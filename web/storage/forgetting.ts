import { editsOf, forgetDrawing, forgetEdits, inTime } from './database.js'
import { claimEdits } from './keeper.js'

/**
 * Forgets what this browser has stored of a room. If there are edits that were never sent, everything stays, unless they
 * are to go too. What an open tab still uses stays in any case.
 */
export async function forgetRoom(room: string, { withUnsent = false } = {}) {
  const edits = await inTime(editsOf(room))
  if (!withUnsent && edits.some(({ unsent }) => unsent > 0)) return
  await forgetDrawing(room)
  for (const { key, at } of edits) {
    const claimed = await claimEdits(room, key, at)
    if (!claimed) continue
    try {
      if (withUnsent || claimed.own?.unsent === 0) await inTime(forgetEdits(key))
    } finally {
      claimed.release()
    }
  }
}
