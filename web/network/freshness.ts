import { Source } from '../basics/source.js'

// Checks whether the server has a newer version of the page, and registers the service worker that stores the page.

/** If the server doesn't answer within this time, its version counts as unknown for now. */
const patienceMilliseconds = 3_000
/** The pause between a failed request for the page's own version and the next one. */
const againMilliseconds = 5_000

/**
 * @param own whether to ask for the version of this page's own files; otherwise the server's version is asked for
 * @returns `isKept`: whether it comes from the stored files from which the page was opened, and not from the server; null
 *   if the version is unknown
 */
async function versionOf(own = false): Promise<{ version: string, isKept: boolean } | null> {
  try {
    const answer = await fetch(own ? '/page.json?own' : '/page.json', {
      cache: 'no-store', signal: own ? null : endedAfter(patienceMilliseconds),
    })
    return answer.ok ? { version: (await answer.json()).version, isKept: answer.headers.has('kept') } : null
  } catch {
    return null
  }
}

/** Null if the version isn't known in time. It may be known later. */
const soon = (version: Promise<string | null>) => Promise.race([version, new Promise<null>((done) => {
  setTimeout(() => done(null), patienceMilliseconds)
})])

function endedAfter(milliseconds: number) {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), milliseconds)
  return controller.signal
}

/** Thrown if a lazily loaded part might belong to a newer version than the open page. */
export class NewerPage extends Error {}

/**
 * Knows the version of the open page, and whether the server has another version. The event `newer` reports that the
 * server has another version.
 */
export class Freshness extends Source<{ newer: null }> {
  #wasLost = false
  /** Over a thin line it may take long until this is known. */
  #own = this.#askForOwn()

  /**
   * To be called when the connection to the server is lost. From then on the server can be of another version, so it
   * can't be asked for the page's own one any more.
   */
  connectionLost() { this.#wasLost = true }
  get wasLost() { return this.#wasLost }

  /** @returns null if the connection was lost before the server answered */
  async #askForOwn(): Promise<string | null> {
    for (;;) {
      const own = await versionOf(true)
      if (own) return this.#wasLost && !own.isKept ? null : own.version
      await new Promise((resolve) => setTimeout(resolve, againMilliseconds))
      if (this.#wasLost) return null
    }
  }

  /**
   * @returns whether the server has another version, or might have one, because the page's own version wasn't known
   *   before the connection was lost; false if the server's version is unknown
   */
  async look(): Promise<boolean> {
    const [own, newest] = await Promise.all([soon(this.#own), versionOf()])
    const isNewer = newest !== null && (own === null ? this.#wasLost : newest.version !== own)
    if (isNewer) this.tell('newer', null)
    return isNewer
  }

  /**
   * Fails with `NewerPage` if a part that was just loaded might be of another version than the open page. To be called
   * after loading, because the server's files can change meanwhile. Loading can also fail because the other version has
   * no such part.
   */
  async expectSame() { if (await this.look()) throw new NewerPage() }
}

let registering: Promise<ServiceWorkerRegistration | void> | undefined

/**
 * Makes the browser store the server's current page. This needs a service worker, which some browsers don't have, and
 * which requires HTTPS.
 */
export async function keepPage() {
  registering ??= navigator.serviceWorker?.register('/worker.js').catch((error) => {
    console.warn('This browser won’t keep the page for when there is no network:', error)
  })
  // Only an active worker has to refresh the page's files. A worker that is being installed loads them anyway.
  const registration = await registering
  registration?.active?.postMessage('refresh')
}
