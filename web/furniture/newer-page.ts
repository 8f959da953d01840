import type { Connection } from '../network/connection.js'
import { type Freshness, keepPage } from '../network/freshness.js'
import type { States } from './states.js'

const lookMilliseconds = 600_000
/**
 * When the worker that stores the page is registered. It loads all files again, so it waits until the room is shown.
 */
const registeredAfterMilliseconds = 1_500

/**
 * Tells the person when the server has a newer page than this one. It is checked after each reconnect, since an upgrade
 * of the server interrupts the connection, and every ten minutes.
 */
export function watchFreshness({ connection, freshness, states }: {
  connection: Connection, freshness: Freshness, states: States,
}) {
  freshness.on('newer', () => states.banner('newer', {
    words: 'There’s a newer version of this page. Everything you drew is kept.',
    action: { words: 'Reload', run: () => location.reload() },
  }))
  let wasLive = false
  connection.on('effect', (effect) => {
    if (effect.type !== 'state' || effect.state !== 'live') return
    if (wasLive || navigator.serviceWorker?.controller) freshness.look()
    wasLive = true
    setTimeout(() => {
      if (connection.replica.status().state === 'live') keepPage()
    }, registeredAfterMilliseconds)
  })
  setInterval(async () => {
    await freshness.look()
    await keepPage()
  }, lookMilliseconds)
}
