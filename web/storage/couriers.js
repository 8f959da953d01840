import { Connection } from '../network/connection.js'
import { claim } from './claims.js'
import { drawingOf, editsOf, forgetEdits } from './database.js'
import { inTime, restore } from './keeper.js'

/** @typedef {import('./database.js').KeptEdits} KeptEdits */

/**
 * Sends the edits that other tabs of this browser had not sent when they were closed. For each such tab a separate
 * replica sends them, which lasts until the server has answered all of them.
 */
export class Couriers {
  #core
  #room
  #options
  #connection
  #permission
  #refusals
  #notices
  #atWork = new Set(/** @type {string[]} */ ([]))
  #isLooking = false

  /**
   * @param {{core: import('../core/core.js').Core, room: string,
   *   options: import('../core/types.js').ReplicaOptions, connection: Connection,
   *   permission: import('../state/permission.js').Permission, refusals: import('../state/refusals.js').Refusals,
   *   notices: import('../state/notices.js').Notices}} parts
   */
  constructor({ core, room, options, connection, permission, refusals, notices }) {
    this.#core = core
    this.#room = room
    this.#options = options
    this.#connection = connection
    this.#permission = permission
    this.#refusals = refusals
    this.#notices = notices
  }

  /** Looks for edits that closed tabs have left. */
  async look() {
    const { replica } = this.#connection
    if (this.#isLooking || this.#permission.isViewOnly || replica.status().state !== 'live') return
    this.#isLooking = true
    try {
      for (const kept of await inTime(editsOf(this.#room))) {
        if (this.#atWork.has(kept.key) || kept.actor === replica.actor) continue
        const release = await claim(kept.key, kept.at)
        if (!release) continue
        // Without the drawing, the courier loads the room.
        if (kept.unsent > 0) this.#send(kept, await inTime(drawingOf(this.#room)).catch(() => undefined), release)
        else await inTime(forgetEdits(kept.key)).finally(release)
      }
    } catch (error) {
      console.warn('What other tabs have left can’t be read:', error)
    } finally {
      this.#isLooking = false
    }
  }

  /** @param {KeptEdits} kept @param {import('./database.js').KeptDrawing | undefined} drawing @param {() => void} release */
  #send({ key, bytes }, drawing, release) {
    const replica = restore(this.#core, bytes, drawing, { ...this.#options, readonly: false })
    if (!replica) {
      release()
      return
    }
    this.#atWork.add(key)
    let count = replica.unsentCount
    const connection = new Connection(replica, { room: this.#room, token: this.#connection.token })
    /** @param {boolean} isDelivered */
    const end = async (isDelivered) => {
      connection.end()
      replica.destroy()
      this.#atWork.delete(key)
      if (isDelivered) {
        await forgetEdits(key).catch(() => {})
        if (count > 0) this.#notices.say(count === 1
          ? 'A change from a tab you closed has arrived.' : `${count} changes from a tab you closed have arrived.`)
      }
      release()
    }
    connection.on('effect', (effect) => {
      if (effect.type === 'rejected') {
        this.#refusals.take(effect)
        count -= 1
      }
      const isDelivered = effect.type === 'unsent' && effect.count === 0
      if (isDelivered || (effect.type === 'state' && effect.state === 'closed')) end(isDelivered)
    })
    connection.start()
  }
}
