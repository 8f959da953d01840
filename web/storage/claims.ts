// Decides which tab has which actor. An actor's unsent edits and drawing belong to the tab that holds the lock of the
// actor's key. The browser frees the lock when the tab closes for any reason.

/**
 * Without locks, as on a page that isn't served securely, a tab counts as closed after it has been silent for this
 * long.
 */
const silentMilliseconds = 60_000

const own = (key: string) => `canvas.claim ${key}`

/**
 * Claims a key that no other tab has. Fails if this browser doesn't store data for the page.
 *
 * @param usedAt when it was last written to
 * @returns gives the key back; null if another tab has it
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
 * Claims a key where the browser has no locks. A reloaded tab takes its own key again. Another tab's key is taken only
 * after that tab was silent for so long that it must be closed. A duplicated tab gets a copy of its original's storage.
 * In that copy the key is marked as held, while a reloaded tab finds its key marked as left.
 */
function claimWithoutLocks(key: string, usedAt: number) {
  const isLeft = sessionStorage.getItem(own(key)) === 'left'
  if (!isLeft && Date.now() - usedAt < silentMilliseconds) return null
  const hold = () => sessionStorage.setItem(own(key), 'held')
  const leave = () => sessionStorage.setItem(own(key), 'left')
  hold()
  addEventListener('pagehide', leave)
  addEventListener('pageshow', hold)
  return () => {
    removeEventListener('pagehide', leave)
    removeEventListener('pageshow', hold)
    sessionStorage.removeItem(own(key))
  }
}
