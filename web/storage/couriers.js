import { Connection } from '../network/connection.js'
import { claim } from './claims.js'
import { drawingOf, editsOf, forgetEdits } from './database.js'
import { restore } from './keeper.js'

/**
 * Brings in what other tabs of this browser were closed with before it was sent: each in a session of its own, which
 * lasts until the server has answered for everything.
 */
export class Couriers {
  #app
  #options
  #atWork = new Set()
  #isLooking = false

  /**
   * @param {import('../state/app.js').App} app @param {import('../core/types.js').ReplicaOptions} options
   */
  constructor(app, options) {
    this.#app = app
    this.#options = options
  }

  /** Looks for what was left behind. */
  async look() {
    if (this.#isLooking || this.#app.viewOnly || this.#app.live.status().state !== 'live') return
    this.#isLooking = true
    try {
      for (const kept of await editsOf(this.#app.room)) {
        if (this.#atWork.has(kept.key) || kept.actor === this.#app.live.actor) continue
        const release = await claim(kept.key, kept.at)
        if (!release) continue
        if (kept.unsent > 0) this.#send(kept, await drawingOf(this.#app.room), release)
        else await forgetEdits(kept.key).finally(release)
      }
    } catch (error) {
      console.warn('What other tabs have left can’t be read:', error)
    } finally {
      this.#isLooking = false
    }
  }

  #send({ key, bytes }, drawing, release) {
    const { core, room, token } = this.#app
    const session = restore(core, bytes, drawing, { ...this.#options, readonly: false })
    if (!session) {
      release()
      return
    }
    this.#atWork.add(key)
    const count = session.unsentCount
    const end = async (isDelivered) => {
      connection.end()
      session.destroy()
      this.#atWork.delete(key)
      if (isDelivered) {
        await forgetEdits(key).catch(() => {})
        this.#app.say(`${count === 1 ? 'A change' : `${count} changes`} from a tab you closed arrived.`)
      }
      release()
    }
    const effects = []
    let isOver = false
    const perform = (more) => {
      effects.push(...more)
      if (effects.length > more.length) return
      while (effects.length > 0 && !isOver) {
        const effect = effects[0]
        if (!connection.take(effect)) {
          if (effect.type === 'rejected') this.#app.dispatchEvent(new CustomEvent('effect', { detail: effect }))
          const isClosed = effect.type === 'state' && effect.state === 'closed'
          const isDelivered = effect.type === 'unsent' && effect.count === 0
          if (isClosed || isDelivered) {
            isOver = true
            end(isDelivered)
          }
        }
        effects.shift()
      }
    }
    const connection = new Connection(session, { room, token, perform })
    perform(session.start())
  }
}
