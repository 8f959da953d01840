import { editsOf, inTime, keyOf } from './database.js'

// Decides which tab uses which actor. An actor's unsent edits belong to the tab that holds the lock of the actor's key.
// The browser releases the lock when the tab closes, for whatever reason.

/** Browsers have no locks on pages without HTTPS. There, a tab counts as closed if it hasn't saved for this long. */
const silentMilliseconds = 60_000

/**
 * The keys that this tab has claimed without locks. A script that is loaded later has its own copy of this module, so
 * only the room's script may claim.
 */
const held = new Set<string>()

/** Where a tab keeps its edits. `share`: see `Replica.takeShare`; `release` releases the key and is null if nothing can be claimed. */
export interface Place { key: string, share: number, release: (() => void) | null }

/**
 * Finds a place for the edits of an actor that this tab has become. If a token names the actor, other tabs can be the
 * same one, and each needs a place of its own: otherwise one would overwrite the other's edits. In a browser without
 * locks, or if its storage doesn't answer, nothing tells which places other tabs have. Then the place has a random
 * number.
 */
export async function placeFor(room: string, actor: number): Promise<Place> {
  const place = (number: number, release: Place['release']) =>
    ({ key: keyOf(room, actor, number), share: number, release })
  const random = Math.floor(Math.random() * 1e9)
  try {
    const kept = navigator.locks && await inTime(editsOf(room)).catch(() => null)
    for (let number = kept ? 0 : random; ; number += 1) {
      const { key } = place(number, null)
      // What a closed tab hasn't sent stays in its place until a courier has sent it.
      if (kept?.some((edits) => edits.key === key && edits.unsent > 0)) continue
      const release = await claim(key)
      if (release) return place(number, release)
    }
  } catch {
    // The browser allows no claims.
    return place(random, null)
  }
}

/** The rooms that tabs of this browser have open. Fails in a browser without locks. */
export async function openRooms() {
  const { held = [] } = await navigator.locks.query()
  return new Set(held.map(({ name = '' }) => name.split(' ')[1]))
}

const own = (key: string) => `canvas.claim ${key}`

/**
 * Takes a key for this tab, so that no other tab can claim the key. Fails if the browser allows no storage.
 *
 * @param usedAt when the actor's edits were last saved
 * @returns a function that releases the key; null if another tab has it
 */
export async function claim(key: string, usedAt = 0): Promise<(() => void) | null> {
  if (!navigator.locks) return claimWithoutLocks(key, usedAt)
  return new Promise((resolve, reject) => {
    navigator.locks.request(`canvas ${key}`, { ifAvailable: true }, (lock) => {
      if (!lock) {
        resolve(null)
        return undefined
      }
      return new Promise((release) => resolve(() => release(undefined)))
    }).catch(reject)
  })
}

/**
 * Claims a key in a browser without locks. A tab that is reloaded gets its own key again. Another tab's key is taken
 * only after a long time without a save.
 *
 * The mark in `sessionStorage` is `left` while this tab's page is not open, for example during a reload, and otherwise
 * `held`. If a person duplicates the tab, the copy also gets a copy of the mark. That mark is `held`, so the copy
 * doesn't take the key.
 */
function claimWithoutLocks(key: string, usedAt: number) {
  if (held.has(key)) return null
  const isLeft = sessionStorage.getItem(own(key)) === 'left'
  if (!isLeft && Date.now() - usedAt < silentMilliseconds) return null
  const hold = () => sessionStorage.setItem(own(key), 'held')
  const leave = () => sessionStorage.setItem(own(key), 'left')
  hold()
  held.add(key)
  addEventListener('pagehide', leave)
  addEventListener('pageshow', hold)
  return () => {
    held.delete(key)
    removeEventListener('pagehide', leave)
    removeEventListener('pageshow', hold)
    sessionStorage.removeItem(own(key))
  }
}
