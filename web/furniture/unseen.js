import { counted } from '../basics/words.js'

/** A connection that is there so soon brings what the other tabs have sent by then. */
const patienceMilliseconds = 1_500
/** The notice stays as long as it is true. */
const shownMilliseconds = 24 * 3_600_000
const group = 'unseen'

/**
 * A tab that is opened without a connection doesn't show what this browser's other tabs haven't sent yet, and says so.
 *
 * @param {import('../network/connection.js').Connection} connection @param {import('../state/notices.js').Notices} notices
 * @param {number} count how many changes
 */
export function tellUnseen(connection, notices, count) {
  const timer = setTimeout(() => notices.say(count === 1
    ? 'A change from another tab isn’t shown here: it hasn’t been sent yet. It’s kept, and appears once it’s sent.'
    : `${counted(count, 'change')} from another tab aren’t shown here: they haven’t been sent yet. They’re kept, and appear once they’re sent.`,
  { group, milliseconds: shownMilliseconds }), patienceMilliseconds)
  const stop = connection.on('effect', (effect) => {
    if (effect.type !== 'state' || effect.state !== 'live') return
    stop()
    clearTimeout(timer)
    notices.withdraw(group)
  })
}
