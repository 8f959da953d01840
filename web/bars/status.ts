import { counted, sentence } from '../basics/words.js'
import type { Effect } from '../core/types.js'
import { element } from '../elements/element.js'
import type { Connection } from '../network/connection.js'
import type { Pulse } from '../network/pulse.js'
import type { Permission } from '../state/permission.js'
import type { Keeper } from '../storage/keeper.js'

/** Only an interruption longer than this is shown. */
const patienceMilliseconds = 400

/**
 * The line under the room's name that says whether everything is saved.
 *
 * The states `saved`, `saving`, `offline`, `loading`, `viewing` and `closed` are also the dot's CSS classes.
 */
export class Status {
  #connection
  #permission
  #words = element('span', { class: 'status-words clip' })
  #state = 'offline'
  #closeCode = ''
  #unsent = 0
  #wasLive = false
  #hasStopped = false
  #timer = 0
  /** Whether the connection was lost since the server was last reached. */
  #isLost = false
  /**
   * Whether the connection was lost less than `patienceMilliseconds` ago. The loss isn't shown until that time is over.
   */
  #isPatient = false
  #pulse
  #keeper
  readonly element = element('p', { class: 'status small-text quiet', role: 'status' },
    element('span', { class: 'dot' }), this.#words)

  /** @param keeper null if this person can't change anything */
  constructor(connection: Connection, pulse: Pulse, permission: Permission, keeper: Keeper | null) {
    this.#connection = connection
    this.#permission = permission
    this.#pulse = pulse
    this.#keeper = keeper
    this.#unsent = connection.replica.unsentCount
    connection.on('effect', (effect) => this.#take(effect))
    connection.on('stopped', () => {
      this.#hasStopped = true
      this.#show()
    })
    permission.on('change', () => this.#show())
    pulse.on('change', () => this.#show())
    keeper?.on('change', () => this.#show())
    addEventListener('online', () => this.#show())
    addEventListener('offline', () => this.#show())
    this.#show()
  }

  #take(effect: Effect) {
    if (effect.type === 'unsent') this.#unsent = effect.count
    else if (effect.type === 'state') {
      this.#state = effect.state
      this.#closeCode = effect.code ?? ''
      if (effect.state === 'live') this.#wasLive = true
    } else return
    if (this.#isReached) this.#endPatience()
    else if (effect.type === 'state' && !this.#isPatient) this.#beginPatience()
    this.#show()
  }

  #beginPatience() {
    this.#isPatient = this.#wasLive && !this.#isLost
    this.#isLost = true
    if (this.#isPatient) this.#timer = setTimeout(() => {
      this.#isPatient = false
      this.#show()
    }, patienceMilliseconds)
  }

  #endPatience() {
    clearTimeout(this.#timer)
    this.#isPatient = false
    this.#isLost = false
  }

  get #isReached() { return this.#state === 'live' || this.#state === 'closed' }

  #show() {
    const [kind, words] = this.#told()
    this.element.dataset.kind = kind
    // On a phone there is space for a single word beside the dot, and the others are below the bar.
    const short = this.#connection.isTurnedAway ? 'Waiting' : 'Offline'
    if (kind === 'offline' && words !== short) this.element.dataset.short = short
    else delete this.element.dataset.short
    if (this.#words.textContent !== words) this.#words.textContent = words
    const title = this.#state === 'live' ? [words, this.#line()].filter(Boolean).join(' · ') : words
    if (this.element.title !== title) this.element.title = title
  }

  /** Shows the round-trip time. */
  #line() {
    const milliseconds = this.#pulse.roundTrip
    if (milliseconds === null) return ''
    const time = milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
    return `${this.#pulse.isSlow ? 'slow connection: ' : ''}${time} to the server and back`
  }

  #told(): [string, string] {
    if (this.#hasStopped) return ['closed', 'Stopped']
    if (this.#connection.isElsewhere) return ['closed', 'Open in another place']
    if (this.#state === 'closed') return ['closed', this.#closeCode === 'no_such_room' ? 'Deleted' : 'Not connected']
    if (this.#state === 'live' || this.#isPatient) {
      if (this.#permission.isViewOnly) return ['viewing', 'View only']
      return this.#unsent ? ['saving', `Saving ${counted(this.#unsent, 'change')}…`] : ['saved', 'Saved']
    }
    const isTurnedAway = this.#connection.isTurnedAway
    if (!this.#wasLive && !isTurnedAway && navigator.onLine && this.#unsent === 0) return ['loading', 'Opening…']
    const place = this.#keeper?.isKeeping === false ? 'only in this tab' : 'kept'
    const kept = this.#unsent
      ? `your ${counted(this.#unsent, 'change')} ${this.#unsent === 1 ? 'is' : 'are'} ${place}.` : ''
    if (!navigator.onLine) return ['offline', kept ? `Offline: ${kept}` : 'Offline']
    const doing = isTurnedAway ? 'No space right now. Trying again…' : 'Reconnecting…'
    return ['offline', kept ? `${doing} ${sentence(kept)}` : doing]
  }
}
