// Whether the server has a newer page than the one that is open, and the worker that keeps the page.

const lookMilliseconds = 600_000
/** Taking in all files is for when the room is there and one's hands are busy. */
const registeredAfterMilliseconds = 1_500

/**
 * @param {boolean} [own] of the page that is open, where it was opened from what the worker kept
 * @returns {Promise<string | null>} null where nobody can tell
 */
async function versionOf(own = false) {
  try {
    const answer = await fetch(own ? '/page.json?own' : '/page.json', { cache: 'no-store' })
    return answer.ok ? (await answer.json()).version : null
  } catch {
    return null
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
 * upgraded, and now and then.
 *
 * @param {import('./app.js').App} app @param {import('./states.js').States} states
 */
export async function watchFreshness(app, states) {
  const own = versionOf(true)
  const look = async () => {
    const version = await own
    const newest = await versionOf()
    if (newest === null) return
    if (version !== null && newest !== version) {
      states.banner('newer', {
        words: 'The server has a newer page. Everything you drew is kept.',
        action: { words: 'Reload', run: () => location.reload() },
      })
    }
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
