import { element } from '../elements/element.js'
import type { Connection } from '../network/connection.js'
import { type Freshness, keepPage } from '../network/freshness.js'
import type { Keeper } from '../storage/keeper.js'
import type { States } from './states.js'

const lookMilliseconds = 600_000
/**
 * How long after the start the service worker is registered. It loads all files again, so it must not compete with
 * loading the room.
 */
const registeredAfterMilliseconds = 1_500

/**
 * Tells the person when the server has a newer version of the page. It checks every ten minutes, and after each
 * reconnect, because an upgrade of the server interrupts the connection.
 *
 * @param keeper null if this person can't change anything
 */
export function watchFreshness({ connection, freshness, keeper, states }: {
  connection: Connection, freshness: Freshness, keeper: Keeper | null, states: States,
}) {
  const words = element('span')
  const say = () => {
    words.textContent = `There’s a newer version of this page. ${
      keeper?.isKeeping === false ? 'Don’t reload it until everything is saved.' : 'Everything you drew is kept.'}`
  }
  keeper?.on('change', say)
  freshness.on('newer', () => {
    say()
    states.banner('newer', { words, action: { words: 'Reload', run: () => location.reload() } })
  })
  connection.on('effect', (effect) => {
    if (effect.type !== 'state') return
    // If the page itself leaves, for a new name or to send what a closed tab has left, its state is `offline`.
    if (effect.state === 'waiting' || effect.state === 'closed') freshness.connectionLost()
    if (effect.state !== 'live') return
    if (freshness.wasLost || navigator.serviceWorker?.controller) freshness.look()
    setTimeout(() => {
      if (connection.replica.status().state === 'live') keepPage()
    }, registeredAfterMilliseconds)
  })
  setInterval(async () => {
    await freshness.look()
    await keepPage()
  }, lookMilliseconds)
}
