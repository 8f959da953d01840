// Decides which tab uses which actor. An actor's unsent edits belong to the tab that holds the lock of the actor's key.
// The browser releases the lock when the tab closes, for whatever reason.

/** Browsers have no locks on pages without HTTPS. There, a tab counts as closed if it hasn't saved for this long. */
const silentMilliseconds = 60_000

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
