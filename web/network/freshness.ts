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

/** The page's script, and what else `room.html` loads at once. */
const files = [import.meta.url, '/room/room.css', '/core.wasm']

/**
 * The tags of the page's files, which tell whether the server still has the version that this page is of.
 *
 * @param cache `force-cache`: of the files as the browser loaded them; `no-cache`: as the server has them now
 * @returns undefined if the server doesn't answer
 */
const tags = (cache: RequestCache) => Promise.all(files.map(async (path) => {
  const { ok, headers, body } = await fetch(path, { cache })
  body?.cancel()
  return ok ? headers.get('ETag') : Promise.reject()
})).then(String, () => undefined)

/** Null if the version isn't known in time. It may be known later. */
const soon = (version: Promise<string>) => Promise.race([version, new Promise<null>((done) => {
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
  /** The tags of the files that this page has loaded, once the connection was lost. */
  #loaded: ReturnType<typeof tags> | null = null
  /** Over a thin line it may take long until this is known. */
  #own = this.#askForOwn()

  /** To be called when the connection to the server is lost. From then on the server can be of another version. */
  connectionLost() { this.#loaded ??= tags('force-cache') }
  get wasLost() { return this.#loaded !== null }

  /** @returns empty if the server, after a loss, has other files than this page has loaded */
  async #askForOwn(): Promise<string> {
    for (;;) {
      const own = await versionOf(true)
      if (own && (!this.#loaded || own.isKept)) return own.version
      const now = own && await tags('no-cache')
      if (own && now !== undefined) return [now, undefined].includes(await this.#loaded) ? own.version : ''
      await new Promise((resolve) => setTimeout(resolve, againMilliseconds))
    }
  }

  /** @returns whether the server has another version; false if one of the two isn't known */
  async look(): Promise<boolean> {
    const [own, newest] = await Promise.all([soon(this.#own), versionOf()])
    const isNewer = own !== null && newest !== null && newest.version !== own
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
