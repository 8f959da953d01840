import { personColors } from '../basics/person-colors.js'
import type { Connection } from '../network/connection.js'
import type { Me } from '../state/me.js'
import type { OwnTabs } from '../state/own-tabs.js'
import type { Presence } from '../state/presence.js'

/**
 * How long to wait until it is known which people are other tabs of this browser. Those tabs have this tab's colour on
 * purpose.
 */
const patienceMilliseconds = 300

/**
 * Gives this person a free colour for this visit, if the person has just come, has chosen none, and somebody else
 * already has the same colour. Only the newcomer changes, because otherwise both would. If there are more people than
 * colours, some share a colour.
 */
export function keepDistinct({ connection, presence, ownTabs, me }: {
  connection: Connection, presence: Presence, ownTabs: OwnTabs, me: Me,
}) {
  const stop = connection.on('effect', (effect) => {
    if (effect.type !== 'state' || effect.state !== 'live') return
    stop()
    const met = presence.people()
    setTimeout(() => {
      const colorsOf = (people: typeof met) => people.filter(({ actor }) => !ownTabs.has(actor)).map(({ color }) => color.toUpperCase())
      if (me.isColorChosen || !colorsOf(met).includes(me.color.toUpperCase())) return
      const taken = colorsOf(presence.people())
      const free = personColors.filter((color) => !taken.includes(color))
      if (free.length > 0) me.wear(free[Math.floor(Math.random() * free.length)])
    }, patienceMilliseconds)
  })
}
