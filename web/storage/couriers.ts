import type { Core } from '../core/core.js'
import type { ReplicaOptions } from '../core/types.js'
import { Connection } from '../network/connection.js'
import type { Notices } from '../state/notices.js'
import type { Permission } from '../state/permission.js'
import type { Refusals } from '../state/refusals.js'
import { drawingOf, editsOf, forgetEdits, type KeptDrawing, type KeptEdits } from './database.js'
import { claimEdits, inTime, restore } from './keeper.js'

/**
 * Sends the edits that other tabs of this browser hadn't sent when they were closed. Each such tab gets a replica and a
 * connection of its own, until the server has acknowledged all of its edits.
 */
export class Couriers {
  #core
  #room
  #options
  #connection
  #permission
  #refusals
  #notices
  #atWork = new Set<string>()
  #isLooking = false

  constructor({ core, room, options, connection, permission, refusals, notices }: {
    core: Core, room: string, options: ReplicaOptions, connection: Connection, permission: Permission,
    refusals: Refusals, notices: Notices,
  }) {
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
      for (const { key, actor, at } of await inTime(editsOf(this.#room))) {
        if (this.#atWork.has(key) || actor === replica.actor) continue
        const claimed = await claimEdits(this.#room, key, at)
        if (!claimed) continue
        const { own, release } = claimed
        // If the drawing can't be read, the replica loads the room.
        if (own && own.unsent > 0) this.#send(own, await inTime(drawingOf(this.#room)).catch(() => undefined), release)
        else await inTime(forgetEdits(key)).finally(release)
      }
    } catch (error) {
      console.warn('What other tabs have left can’t be read:', error)
    } finally {
      this.#isLooking = false
    }
  }

  #send({ key, bytes }: KeptEdits, drawing: KeptDrawing | undefined, release: () => void) {
    const replica = restore(this.#core, bytes, drawing, { ...this.#options, readonly: false })
    if (!replica) {
      release()
      return
    }
    this.#atWork.add(key)
    let count = replica.unsentCount
    const connection = new Connection(replica, { room: this.#room, token: this.#connection.token })
    const end = async (isDelivered: boolean) => {
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
