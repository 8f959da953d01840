import { Source } from '../basics/source.js'
import { Throttle } from '../basics/throttle.js'
import type { Core } from '../core/core.js'
import type { Replica } from '../core/replica.js'
import type { Effect, ReplicaOptions } from '../core/types.js'
import type { Connection } from '../network/connection.js'
import type { Notices } from '../state/notices.js'
import type { LaterPart } from '../state/parts.js'
import type { Permission } from '../state/permission.js'
import type { Refusals } from '../state/refusals.js'
import type { Shown } from '../state/shown.js'
import { claim, openRooms, type Place, placeFor } from './claims.js'
import type { Couriers } from './couriers.js'
import {
  drawingOf, editsOf, forgetDrawing, forgetEdits, inTime, isKeyOf, keep, type KeptDrawing, type KeptEdits, keptRooms,
} from './database.js'
import { keepAtOnce } from './farewell.js'

/** How often a tab looks for edits that closed tabs have left, and how long a closing tab keeps its lock. */
const lookMilliseconds = 20_000
const farewellMilliseconds = 500

/** The time from a change until the edits are saved, and the time from a change until the drawing is saved. */
const editsMilliseconds = 60
const drawingMilliseconds = 1_500
/** How long an edit waits to be stored before it is sent anyway, because the browser's storage might hang. */
const storageMilliseconds = 1_000
/** The pause between a failed save and the next attempt. */
const againMilliseconds = 5_000
/**
 * Saving the drawing takes at most this fraction of the time: 1 / `costFactor`. So a large drawing is saved less often.
 */
const costFactor = 100

/**
 * Opens a replica for a room. It continues the actor that this tab had before a reload, or the actor of a closed tab.
 * If there is none, the replica is new. It begins with the last known drawing, and with the unsent edits of this
 * browser's other tabs.
 *
 * @param options with `readonly` the replica is always new
 * @returns `leftBehind`: the number of unsent edits that other tabs have saved
 */
export async function openReplica(
  core: Core, room: string, options: ReplicaOptions,
): Promise<{ replica: Replica, place: Place, leftBehind: number }> {
  let edits: KeptEdits[] = []
  try {
    let drawing: KeptDrawing | undefined
    ;[edits, drawing] = await inTime(Promise.all([editsOf(room), drawingOf(room)]))
    if (!options.readonly) {
      for (const { key } of edits) {
        // In a browser without locks, `Infinity` makes `claim` take a key only if this tab itself left the key when it
        // was reloaded.
        const claimed = await claimEdits(room, key, Infinity)
        if (!claimed) continue
        const { own, release } = claimed
        edits = claimed.edits
        const replica = own && restore(core, own.bytes, withUnsent(core, drawing, edits.filter((other) => other !== own)), options)
        if (replica) return { replica, place: { key, share: own.share ?? 0, release }, leftBehind: unsentOf(edits, key) }
        release()
      }
    }
    const begun = withUnsent(core, drawing, edits)
    const replica = begun ? restore(core, null, begun, options) : null
    if (replica) return { replica, place: await placeFor(room, replica.actor), leftBehind: unsentOf(edits) }
  } catch (error) {
    // The storage can't be read. The room itself is on the server, so at most unsent edits are missing.
    console.warn('What was kept of this room can’t be read:', error)
  }
  const replica = core.createReplica(options)
  return { replica, place: await placeFor(room, replica.actor), leftBehind: unsentOf(edits) }
}

/**
 * Claims an actor's edits, and then reads them, because a tab can save more edits until it releases the key.
 *
 * @param usedAt as of `claim`
 * @returns `own`: the claimed edits; `edits`: all edits in the room; null if another tab has the key
 */
export async function claimEdits(room: string, key: string, usedAt: number) {
  const release = await claim(key, usedAt)
  if (!release) return null
  try {
    const edits = await inTime(editsOf(room))
    return { release, edits, own: edits.find((each) => each.key === key) }
  } catch (error) {
    release()
    throw error
  }
}

/** The drawing with the unsent edits of other tabs applied. Those tabs or `Couriers` send these edits. */
function withUnsent(core: Core, drawing: KeptDrawing | undefined, edits: KeptEdits[]): KeptDrawing | undefined {
  let begun = drawing
  for (const { room, at, bytes, unsent } of edits) {
    const other = unsent > 0 ? restore(core, bytes, begun, {}) : null
    if (!other) continue
    begun = { room, at, bytes: other.saveShown() }
    other.destroy()
  }
  return begun
}

/**
 * The number of unsent edits of other tabs.
 *
 * @param own this tab's key
 */
const unsentOf = (edits: KeptEdits[], own?: string) =>
  edits.reduce((sum, { key, unsent }) => sum + (key === own ? 0 : unsent), 0)

/**
 * Loads and starts `Couriers`, which sends the edits that closed tabs of this browser have left. It looks for such edits
 * when a tab closes, after a reconnect, and from time to time.
 *
 * @param isLeftBehind whether there are such edits at the start, so that they are looked for at once
 */
export function watchTabs(connection: Connection, room: string, isLeftBehind: boolean, couriers: LaterPart<Couriers>) {
  const look = async () => {
    if (connection.replica.status().state === 'live') await (await couriers.prepare())?.look()
  }
  connection.on('effect', (effect) => {
    if (effect.type !== 'state' || effect.state !== 'live') return
    if (isLeftBehind) look()
    isLeftBehind = true
  })
  setInterval(look, lookMilliseconds)
  if (!('BroadcastChannel' in globalThis)) return
  const channel = new BroadcastChannel('canvas tabs')
  channel.addEventListener('message', ({ data }) => { if (data === room) setTimeout(look, farewellMilliseconds) })
  addEventListener('pagehide', () => channel.postMessage(room))
}

/**
 * A replica from stored bytes.
 *
 * @returns null if another version of the page stored them and this one can't read them; the drawing then comes from
 *   the server
 */
export function restore(
  core: Core, edits: Uint8Array | null, drawing: KeptDrawing | undefined, options: ReplicaOptions,
): Replica | null {
  for (const begun of drawing ? [drawing.bytes, null] : [null]) {
    if (!edits && !begun) continue
    try {
      return core.restoreReplica(edits, options, begun)
    } catch (error) {
      console.warn('What was kept of this room can’t be used:', error)
    }
  }
  return null
}

/** Stores a room's unsent edits and drawing whenever they change. `change`: `isKeeping` has changed. */
export class Keeper extends Source<{ change: null }> {
  #room
  #connection
  #replica
  #notices
  #refusals
  #actor = 0
  /** Without one no edits are stored: see `#yield`. */
  #place: Place | null
  /** While a place is looked for, because the server has replaced the actor. */
  #moving: Promise<void> | null = null
  /** The places of this tab's former actors. Their edits stay stored and claimed until all edits are in the present one. */
  #former: Place[] = []
  #isEditsStale = false
  #editsTimer = 0
  #againTimer = 0
  /** How many attempts to store edits there were, and the newest one that has stored them. */
  #attempts = 0
  #storedAttempt = 0
  /** While drawings of other rooms give way to edits: whether there were any. */
  #makingSpace: Promise<boolean> | null = null
  #drawing = new Throttle(() => this.#keepDrawing(), drawingMilliseconds, costFactor)
  #isKeeping = true
  /** Whether the person has been told that the browser can’t keep the changes. */
  #hasWarned = false
  /** See `KeptEdits`. */
  #at = 0
  /** The bytes of the edits that are stored. */
  #keptEdits = new Uint8Array()

  constructor(
    { room, connection, shown, notices, permission, refusals }: {
      room: string, connection: Connection, shown: Shown, notices: Notices, permission: Permission, refusals: Refusals,
    },
    place: Place,
  ) {
    super()
    this.#room = room
    this.#connection = connection
    this.#replica = connection.replica
    this.#place = place
    this.#takeShare(place)
    // From now on the replica sends an edit only after the edit's stamp is stored. Otherwise a page that ends and is
    // reopened could use the stamp again for another edit.
    this.#replica.reserveStamps()
    this.#notices = notices
    this.#refusals = refusals
    permission.on('change', async () => {
      while (this.#moving) await this.#moving
      if (permission.isViewOnly && this.#place && this.#replica.unsentCount > 0) this.#yield(this.#place)
      if (!permission.isViewOnly && !this.#place) this.#follow()
    })
    connection.on('effect', (effect) => this.#take(effect))
    shown.on('changes', ({ reset, shapes }) => { if (reset || shapes.length > 0) this.#drawingChanged() })
    addEventListener('pagehide', () => this.#leave())
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.#leave() })
    // A tab that was closed while it looked for a place has kept its edits in that of its former actor.
    if (isKeyOf(place.key, room, this.#replica.actor)) this.#actor = this.#replica.actor
    else this.#follow()
  }

  /** Whether the newest edits are stored. What this person may not send is refused, and then there are none. */
  get isKeeping() { return this.#isKeeping || (!this.#place && this.#replica.unsentCount === 0) }

  #tellKeeping(isKeeping: boolean) {
    if (!isKeeping && !this.#hasWarned && this.#replica.unsentCount > 0) {
      this.#hasWarned = true
      this.#notices.say(
        'This browser can’t keep your changes. Don’t close the page until everything is saved.', { kind: 'refused', group: 'keeping' })
    }
    if (isKeeping === this.#isKeeping) return
    this.#isKeeping = isKeeping
    if (isKeeping) {
      this.#hasWarned = false
      this.#notices.withdraw('keeping')
    }
    this.tell('change', null)
  }

  #take(effect: Effect) {
    // `unsent` comes if their number changes. An edit that replaces another one is seen as a change of the drawing.
    if (effect.type === 'unsent' || effect.type === 'rejected') this.#editsChanged()
    if (effect.type === 'keep') this.#keepEdits()
    if (effect.type !== 'state') return
    if (this.#place && this.#replica.actor !== this.#actor) this.#follow()
    if (effect.state === 'closed' && effect.code === 'no_such_room') this.#forgetDrawing()
  }

  /** A deleted room's drawing is only in this page from now on, until the room is begun anew. */
  #forgetDrawing() {
    this.#drawing.cancel()
    forgetDrawing(this.#room).catch((error) => console.warn('What was kept of this room can’t be deleted:', error))
  }

  /**
   * Leaves what this person may not send any more to a tab of somebody who may. The server refuses it, and what this tab
   * stores from now on lacks it.
   */
  async #yield(place: Place) {
    const keeping = this.#keepEdits()
    this.#place = null
    await keeping
    // There are former places only if the edits couldn't be stored in this one. Then those have what there is of them.
    for (const { release } of [place, ...this.#former.splice(0)]) release?.()
    this.#refusals.isKept = this.#isKeeping
  }

  /** Moves to another place, because the server has replaced the actor or this tab has none. */
  #follow() {
    const { actor } = this.#replica
    this.#actor = actor
    this.#refusals.isKept = false
    const moving = this.#move(actor)
    this.#moving = moving
    moving.then(() => { if (this.#moving === moving) this.#moving = null })
    this.#editsChanged()
    this.#drawingChanged()
    this.keepNow()
  }

  async #move(actor: number) {
    await this.#moving
    const place = await placeFor(this.#room, actor)
    if (this.#place) this.#former.push(this.#place)
    this.#place = place
    this.#takeShare(place)
  }

  /** The replica sends nothing as a new actor before its edits are kept, so all that it sends is of this share. */
  #takeShare({ share }: Place) { this.#connection.perform(this.#replica.takeShare(share)) }

  #forgetFormer() {
    for (const former of this.#former.splice(0)) {
      forgetEdits(former.key).then(() => former.release?.(), () => this.#former.push(former))
    }
  }

  #editsChanged() {
    this.#isEditsStale = true
    if (this.#editsTimer === 0) this.#editsTimer = setTimeout(() => this.#keepEdits(), editsMilliseconds)
  }

  #drawingChanged() {
    if (this.#replica.unsentCount > 0) this.#editsChanged()
    this.#drawing.soon()
  }

  /** Called when the page might be closed. */
  #leave() {
    // An edit of just now may have replaced another one. A change of the drawing tells that only in the next frame.
    if (this.#replica.unsentCount > 0) this.#isEditsStale = true
    const edits = this.#isEditsStale && this.#edits()
    if (edits) keepAtOnce(edits)
    this.keepNow()
  }

  /** Stores the edits and the drawing, if they have changed since they were last stored. */
  async keepNow() {
    await Promise.all([this.#isEditsStale && this.#keepEdits(), this.#drawing.isDue && this.#drawing.now()])
  }

  async #keepEdits() {
    clearTimeout(this.#editsTimer)
    this.#editsTimer = 0
    this.#isEditsStale = false
    while (this.#moving) await this.#moving
    const until = this.#replica.reserveStamps()
    const edits = this.#edits()
    if (edits && !isSame(edits.bytes, this.#keptEdits)) {
      const attempt = ++this.#attempts
      const keeping = keep('edits', edits).then(() => {
        this.#keptEdits = edits.bytes
        this.#storedAttempt = attempt
        if (this.#former.every(({ key }) => key !== edits.key)) this.#forgetFormer()
        this.#tellKeeping(true)
      }, (error) => this.#tryAgain(attempt, error))
      const isLate = await Promise.race([keeping, new Promise((done) => { setTimeout(() => done(true), storageMilliseconds) })])
      if (isLate && this.#storedAttempt < attempt) this.#tellKeeping(false)
    }
    // The edits are sent even if they can't be stored, because otherwise nobody could draw while the storage fails.
    this.#connection.perform(this.#replica.kept(until))
  }

  /**
   * Schedules another attempt, unless one is scheduled or everything is stored. It is made at once if there is space
   * now. It stores the edits of then: a newer attempt may have stored more than the one that has failed.
   */
  async #tryAgain(attempt: number, error: unknown) {
    cantKeep(error)
    if (error instanceof DOMException && error.name === 'QuotaExceededError') {
      this.#makingSpace ??= inTime(makeSpace(this.#room)).catch(() => false).finally(() => { this.#makingSpace = null })
      if (await this.#makingSpace && this.#place) return this.#editsChanged()
    }
    if (this.#storedAttempt > attempt) return
    this.#tellKeeping(false)
    if (this.#againTimer !== 0 || this.#replica.unsentCount === 0) return
    this.#againTimer = setTimeout(() => {
      this.#againTimer = 0
      this.#editsChanged()
    }, againMilliseconds)
  }

  #edits(): KeptEdits | null {
    return this.#place && {
      key: this.#place.key, share: this.#place.share, room: this.#room, actor: this.#actor, bytes: this.#replica.save(false),
      unsent: this.#replica.unsentCount, at: this.#at = Math.max(Date.now(), this.#at + 1),
    }
  }

  #keepDrawing() {
    // Before a replica has entered the room, it has no complete drawing. So the stored drawing is kept. A room that is
    // closed for this person might be deleted.
    const { cursor, state } = this.#replica.status()
    if (cursor === undefined || state === 'closed') return
    return keep('drawings', { room: this.#room, bytes: this.#replica.save(true), at: Date.now() }).catch(cantKeep)
  }
}

const cantKeep = (error: unknown) => console.warn('This browser can’t keep it:', error)

/**
 * Forgets the older half of the drawings of rooms that no tab has open. The server has these drawings too.
 *
 * @param own this tab's room
 * @returns whether there were any
 */
async function makeSpace(own: string) {
  const open = (await openRooms()).add(own)
  const rooms = (await keptRooms(['drawings'])).filter(({ room }) => !open.has(room))
  const older = rooms.slice(rooms.length / 2)
  for (const { room } of older) await forgetDrawing(room)
  return older.length > 0
}

const isSame = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && one.every((byte, at) => byte === other[at])
