// Whether the server has a newer page than the one that is open, and the worker that keeps the page.

const lookMilliseconds = 600_000
/** A server that doesn't answer within this is none, as far as this question goes. */
const patienceMilliseconds = 3_000
/** Taking in all files is for when the room is there and one's hands are busy. */
const registeredAfterMilliseconds = 1_500

/**
 * @param {boolean} [own] of the page that is open, where it was opened from what the worker kept
 * @returns {Promise<string | null>} null where nobody can tell
 */
async function versionOf(own = false) {
  try {
    const answer = await fetch(own ? '/page.json?own' : '/page.json', {
      cache: 'no-store', signal: AbortSignal.timeout(patienceMilliseconds),
    })
    return answer.ok ? (await answer.json()).version : null
  } catch {
    return null
  }
}

/** A part of the page came that may be of a newer page than the rest. */
export class NewerPage extends Error {}

/** Which page is open, and whether the server has another by now. Dispatches `newer` each time that it has. */
export class Freshness extends EventTarget {
  #own = versionOf(true)

  /** @returns {Promise<boolean>} whether the server has a newer page; false where nobody can tell */
  async look() {
    const [own, newest] = [await this.#own, await versionOf()]
    const isNewer = own !== null && newest !== null && newest !== own
    if (isNewer) this.dispatchEvent(new Event('newer'))
    return isNewer
  }

  /**
   * Hands on what was loaded just now, unless it may be of a newer page: parts of two versions don't understand each other.
   * Asked after it came, since before it could still have been exchanged.
   *
   * @template T @param {T} loaded @returns {Promise<T>} fails with `NewerPage`
   */
  async ofThisPage(loaded) {
    if (await this.look()) throw new NewerPage()
    return loaded
  }
}

let registering = null

/** Has the browser keep the page. Not every browser does, nor any for a page that isn't served securely. */
export function keepPage() {
  registering ??= navigator.serviceWorker?.register('/worker.js').catch((error) => {
    console.warn('This browser won’t keep the page for when there is no network:', error)
  })
}

/**
 * Says when the server's page is another than this one: asked when the connection is back, since that is when a server was
 * upgraded, now and then, and when a part of the page is loaded later.
 *
 * @param {import('../state/app.js').App} app @param {import('../furniture/states.js').States} states
 */
export function watchFreshness(app, states) {
  app.freshness.addEventListener('newer', () => states.banner('newer', {
    words: 'The server has a newer page. Everything you drew is kept.',
    action: { words: 'Reload', run: () => location.reload() },
  }))
  const look = async () => {
    await app.freshness.look()
    const registration = await registering
    registration?.active?.postMessage('refresh')
  }
  let wasLive = false
  app.addEventListener('effect', ({ detail }) => {
    if (detail.type !== 'state' || detail.state !== 'live') return
    if (wasLive || navigator.serviceWorker?.controller) look()
    wasLive = true
    setTimeout(() => { if (app.live.status().state === 'live') keepPage() }, registeredAfterMilliseconds)
  })
  setInterval(look, lookMilliseconds)
}
