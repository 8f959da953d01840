import { personColors } from '../basics/person-colors.js'

/** How long this browser's other tabs have to introduce themselves. They rightly have this person's colour. */
const patienceMilliseconds = 300

/**
 * A newcomer whose colour is taken gets a free one, in this room and for this visit. Only the newcomer changes, so that
 * two people don't change at once. If there are more people than colours, some share one.
 *
 * @param {{connection: import('../network/connection.js').Connection, presence: import('../state/presence.js').Presence,
 *   ownTabs: import('../state/own-tabs.js').OwnTabs, me: import('../state/me.js').Me}} parts
 */
export function keepDistinct({ connection, presence, ownTabs, me }) {
  const stop = connection.on('effect', (effect) => {
    if (effect.type !== 'state' || effect.state !== 'live') return
    stop()
    const met = presence.people()
    setTimeout(() => {
      const others = met.filter(({ actor }) => !ownTabs.has(actor))
      const taken = new Set(presence.people().filter(({ actor }) => !ownTabs.has(actor)).map(({ color }) => color.toUpperCase()))
      if (!others.some(({ color }) => color.toUpperCase() === me.color.toUpperCase())) return
      const free = personColors.filter((color) => !taken.has(color))
      if (free.length > 0) me.wear(free[Math.floor(Math.random() * free.length)])
    }, patienceMilliseconds)
  })
}
