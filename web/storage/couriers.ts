import type { Core } from '../core/core.js'
import type { ReplicaOptions } from '../core/types.js'
import { Connection } from '../network/connection.js'
import type { Notices } from '../state/notices.js'
import type { Permission } from '../state/permission.js'
import type { Refusals } from '../state/refusals.js'
import { drawingOf, editsOf, forgetEdits, inTime, type KeptDrawing, type KeptEdits } from './database.js'
import { claimEdits, restore } from './keeper.js'

/** How long this tab is out of the room while edits of its own actor are sent. */
const absenceMilliseconds = 10_000

/**
 * Sends the edits that other tabs of this browser hadn't sent when they were closed. Each such tab gets a replica and a
 * connection of its own, until the server has acknowledged all of its edits. If a token names the actor, that tab was
 * the same actor as this one, and an actor has one connection. So this tab leaves the room meanwhile.
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
  /** Until when this tab doesn't try to send what a closed tab of the same actor has left, and the next pause. */
  #restsUntil = 0
  #pause = 60_000

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
      for (const { key, at } of await inTime(editsOf(this.#room))) {
        if (this.#atWork.has(key)) continue
        const claimed = await claimEdits(this.#room, key, at)
        if (!claimed) continue
        const { own, release } = claimed
        // If the drawing can't be read, the replica loads the room.
        if (own && own.unsent > 0 && own.actor === replica.actor && performance.now() < this.#restsUntil) release()
        else if (own && own.unsent > 0) {
          const sent = this.#send(own, await inTime(drawingOf(this.#room)).catch(() => undefined), release)
          if (own.actor === replica.actor) await sent
        } else await inTime(forgetEdits(key)).finally(release)
      }
    } catch (error) {
      console.warn('What other tabs have left can’t be read:', error)
    } finally {
      this.#isLooking = false
    }
  }

  /** @returns when it has ended, whether or not the edits were delivered */
  async #send(
    { key, actor, share, bytes }: KeptEdits, drawing: KeptDrawing | undefined, release: () => void,
  ): Promise<void> {
    const replica = restore(this.#core, bytes, drawing, { ...this.#options, readonly: false })
    if (!replica) return release()
    this.#atWork.add(key)
    const isSelf = actor === this.#connection.replica.actor
    let count = replica.unsentCount
    const connection = new Connection(replica, { room: this.#room, token: this.#connection.token })
    let timer = 0
    let tellEnd = () => {}
    const ended = new Promise<void>((done) => { tellEnd = done })
    const end = async (isDelivered: boolean) => {
      clearTimeout(timer)
      connection.end()
      replica.destroy()
      this.#atWork.delete(key)
      if (isSelf || this.#connection.isElsewhere) this.#connection.start()
      if (isSelf && !isDelivered) {
        // This tab leaves the room less and less often for them.
        this.#restsUntil = performance.now() + this.#pause
        this.#pause *= 2
      }
      if (isDelivered) {
        await forgetEdits(key).catch(() => {})
        if (count > 0) this.#notices.say(count === 1
          ? 'A change from a tab you closed has arrived.' : `${count} changes from a tab you closed have arrived.`)
      }
      release()
      tellEnd()
    }
    connection.on('effect', (effect) => {
      if (effect.type === 'rejected') {
        this.#refusals.take(effect)
        count -= 1
      }
      const isDelivered = effect.type === 'unsent' && effect.count === 0
      if (isDelivered || (effect.type === 'state' && effect.state === 'closed')) end(isDelivered)
    })
    connection.perform(replica.takeShare(share ?? 0))
    if (isSelf) {
      this.#connection.perform(this.#connection.replica.stop())
      timer = setTimeout(() => end(false), absenceMilliseconds)
    }
    connection.start()
    return ended
  }
}
