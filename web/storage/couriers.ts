import type { Core } from '../core/core.js'
import type { ReplicaOptions } from '../core/types.js'
import { Connection } from '../network/connection.js'
import type { Notices } from '../state/notices.js'
import type { Permission } from '../state/permission.js'
import type { Refusals } from '../state/refusals.js'
import { drawingOf, editsOf, forgetEdits, inTime, isKeyOf, keep, type KeptDrawing, type KeptEdits } from './database.js'
import { restore } from './keeper.js'

/** The pause before the second try to send edits of this tab's own actor, if the first one has got nowhere. */
const pauseMilliseconds = 60_000
/**
 * How long this tab is out of the room without any of these edits being acknowledged: for half of the next pause, and at
 * most this long. On a thin line, loading the room and sending one long message take a while.
 */
const absenceMillisecondsMax = 120_000
/** How often the core looks whether the connection is alive. */
const lookMilliseconds = 250

/**
 * Sends the edits that other tabs of this browser hadn't sent when they were closed. Each such tab gets a replica and a
 * connection of its own, until the server has acknowledged all of its edits. If a token names the actor, that replica
 * becomes the same actor as this tab, whoever drew the edits, and an actor has one connection. So this tab leaves the
 * room meanwhile.
 */
export class Couriers {
  #core
  #room
  #options
  #connection
  #permission
  #refusals
  #notices
  #claimEdits
  #placeFor
  #atWork = new Set<string>()
  #isLooking = false
  /** Until when this tab doesn't try to send what a closed tab of the same actor has left, and the next pause. */
  #restsUntil = 0
  #pause = pauseMilliseconds

  /** @param claimEdits this and `placeFor` are those of the room's script: a copy doesn't know what that has claimed */
  constructor({ core, room, options, connection, permission, refusals, notices, claimEdits, placeFor }: {
    core: Core, room: string, options: () => ReplicaOptions, connection: Connection, permission: Permission,
    refusals: Refusals, notices: Notices,
    claimEdits: typeof import('./keeper.js').claimEdits, placeFor: typeof import('./claims.js').placeFor,
  }) {
    this.#core = core
    this.#room = room
    this.#options = options
    this.#connection = connection
    this.#permission = permission
    this.#refusals = refusals
    this.#notices = notices
    this.#claimEdits = claimEdits
    this.#placeFor = placeFor
  }

  /** Looks for edits that closed tabs have left. */
  async look() {
    const { replica } = this.#connection
    if (this.#isLooking || this.#permission.isViewOnly || replica.status().state !== 'live') return
    this.#isLooking = true
    try {
      for (const { key, at } of await inTime(editsOf(this.#room))) {
        if (this.#atWork.has(key)) continue
        const claimed = await this.#claimEdits(this.#room, key, at)
        if (!claimed) continue
        const { own, release } = claimed
        const isSelf = own?.actor === replica.actor || namesActor(this.#connection.token)
        // If the drawing can't be read, the replica loads the room.
        if (!own || own.unsent === 0) await inTime(forgetEdits(key)).finally(release)
        else if (isSelf && performance.now() < this.#restsUntil) release()
        else {
          const sent = this.#send(own, isSelf, await inTime(drawingOf(this.#room)).catch(() => undefined), release)
          if (isSelf) await sent
        }
      }
    } catch (error) {
      console.warn('What other tabs have left can’t be read:', error)
    } finally {
      this.#isLooking = false
    }
  }

  /**
   * @param isSelf whether the server makes the replica the actor that this tab is
   * @returns when it has ended, whether or not the edits were delivered
   */
  async #send(
    { key, at, actor, share, bytes }: KeptEdits, isSelf: boolean, drawing: KeptDrawing | undefined, release: () => void,
  ): Promise<void> {
    const own = this.#connection
    const sender = isSelf ? own.replica.actor : actor
    // The place tells in which share the stamps are. So edits of another actor's place need one of the sender.
    const place = isKeyOf(key, this.#room, sender) ? null : await this.#placeFor(this.#room, sender)
    const leave = () => {
      release()
      place?.release?.()
    }
    // The person may have joined in another place meanwhile.
    const isGone = isSelf && own.replica.status().state !== 'live'
    const replica = isGone ? null : restore(this.#core, bytes, drawing, { ...this.#options(), readonly: false })
    if (!replica) return leave()
    this.#atWork.add(key)
    let count = replica.unsentCount
    const begun = count
    let fewest = begun
    const connection = new Connection(replica, { room: this.#room, token: own.token })
    let timer = 0
    const stayOut = () => {
      clearTimeout(timer)
      timer = setTimeout(() => end(false), Math.min(this.#pause / 2, absenceMillisecondsMax))
    }
    let stored = { key, at }
    let keeping = Promise.resolve()
    /**
     * Replaces the stored edits by what is left of them, so that the next try goes on there. Without locks, their tab may
     * still be open, and have stored more since.
     *
     * @param isDelivered whether nothing is left
     */
    const keepLeft = (isDelivered = false) => {
      const left = isDelivered ? null : {
        key: place?.key ?? key, share: place?.share ?? share ?? 0, room: this.#room, actor: replica.actor,
        bytes: replica.save(false), unsent: replica.unsentCount, at: Date.now(),
      }
      keeping = keeping.then(async () => {
        const { key, at } = stored
        const kept = await inTime(editsOf(this.#room))
        if (!kept.some((edits) => edits.key === key && edits.at === at)) return
        if (left) {
          await inTime(keep('edits', left))
          stored = left
        }
        if (left?.key !== key) await inTime(forgetEdits(key))
      }).catch(() => {})
    }
    let tellEnd = () => {}
    const ended = new Promise<void>((done) => { tellEnd = done })
    const end = async (isDelivered: boolean) => {
      if (!this.#atWork.delete(key)) return
      clearTimeout(timer)
      clearInterval(looking)
      const { isElsewhere } = connection
      connection.end()
      if (isDelivered || isSelf) keepLeft(isDelivered)
      replica.destroy()
      if (isSelf && own.replica.status().state === 'offline') {
        // If the person has joined in another place meanwhile, they stay there.
        if (isElsewhere) own.perform([{ type: 'state', state: 'closed', code: 'actor_elsewhere' }])
        else own.start()
      }
      if (isSelf && !isDelivered) {
        // While nothing is acknowledged, this tab leaves the room less and less often for them.
        if (fewest < begun) this.#pause = pauseMilliseconds
        this.#restsUntil = performance.now() + this.#pause
        this.#pause *= 2
      }
      await keeping
      if (isDelivered && count > 0) this.#notices.say(count === 1
        ? 'A change from a tab you closed has arrived.' : `${count} changes from a tab you closed have arrived.`)
      leave()
      tellEnd()
    }
    connection.on('effect', (effect) => {
      // The room was locked meanwhile. The edits wait for somebody who may edit: what would be sent next is refused.
      if (effect.type === 'state' && effect.state === 'loading' && replica.status().role === 'viewer') end(false)
      if (effect.type === 'rejected') this.#refusals.take(effect)
      // This tab tells of the texts that somebody has overwritten meanwhile, and can put them back.
      if (effect.type === 'textLost') own.perform([effect])
      if (effect.type === 'rejected' || effect.type === 'textLost') count -= 1
      if (effect.type === 'unsent' && effect.count < fewest) {
        fewest = effect.count
        if (isSelf) stayOut()
        // This tab can be closed before all are delivered.
        if (fewest > 0) keepLeft()
      }
      const isDelivered = effect.type === 'unsent' && effect.count === 0
      // The effects of the same moment come first, because a lost text comes after `unsent`.
      if (isDelivered || (effect.type === 'state' && effect.state === 'closed')) queueMicrotask(() => end(isDelivered))
    })
    replica.watchLine()
    const looking = setInterval(() => connection.perform(replica.lookAtLine()), lookMilliseconds)
    connection.perform(replica.takeShare(place?.share ?? share ?? 0))
    if (isSelf) {
      own.perform(own.replica.stop())
      stayOut()
    }
    connection.start()
    return ended
  }
}

/** Whether a token names the actor that its bearer is (C10). Only the server can tell whether the token is valid. */
function namesActor(token: string | null) {
  try {
    const claims = token?.split('.')[1] ?? ''
    return 'actor' in JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return false
  }
}
