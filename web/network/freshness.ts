import { Source } from '../basics/source.js'

// Checks whether the server has a newer page than the open one, and installs the worker that stores the page.

/** If the server takes longer than this to answer, it counts as unreachable here. */
const patienceMilliseconds = 3_000

/**
 * @param own of the open page, if that was opened from the worker's files
 * @returns null if nobody can tell
 */
async function versionOf(own = false): Promise<string | null> {
  try {
    const answer = await fetch(own ? '/page.json?own' : '/page.json', {
      cache: 'no-store', signal: endedAfter(patienceMilliseconds),
    })
    return answer.ok ? (await answer.json()).version : null
  } catch {
    return null
  }
}

function endedAfter(milliseconds: number) {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), milliseconds)
  return controller.signal
}

/** Thrown when a part was loaded that may belong to a newer page than the rest. */
export class NewerPage extends Error {}

/**
 * The version of the open page, and whether the server has another version by now. `newer`: the server has another
 * version.
 */
export class Freshness extends Source<{ newer: null }> {
  #own = versionOf(true)

  /** @returns whether the server has a newer page; false where nobody can tell */
  async look(): Promise<boolean> {
    const [own, newest] = [await this.#own, await versionOf()]
    const isNewer = own !== null && newest !== null && newest !== own
    if (isNewer) this.tell('newer', null)
    return isNewer
  }

  /**
   * Returns what was just loaded, but throws if it may belong to a newer page: parts of two versions don't work
   * together. The check comes after the loading, because the server's page could change while the part is loaded.
   *
   * @returns fails with `NewerPage`
   */
  async ofThisPage<T>(loaded: T): Promise<T> {
    if (await this.look()) throw new NewerPage()
    return loaded
  }
}

let registering: Promise<ServiceWorkerRegistration | void> | undefined

/**
 * Makes the browser store the server's current page. Some browsers can't, and no browser can if the page isn't served
 * securely.
 */
export async function keepPage() {
  registering ??= navigator.serviceWorker?.register('/worker.js').catch((error) => {
    console.warn('This browser won’t keep the page for when there is no network:', error)
  })
  // A worker that is being installed loads the page by itself, so nothing needs to be done.
  const registration = await registering
  registration?.active?.postMessage('refresh')
}
