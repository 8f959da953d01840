import { claim } from './claims.js'
import { drawingOf, editsOf, forgetEdits, keep, keyOf } from './database.js'
import { keepAtOnce } from './farewell.js'

/** How often one looks for what other tabs have left, and how long one that says farewell takes to be gone, with its lock. */
const lookMilliseconds = 20_000
const farewellMilliseconds = 500

/** How soon edits are kept after they were made, and how soon the drawing after it changed. */
const editsMilliseconds = 60
const drawingMilliseconds = 1_500
/** Keeping takes no more than this part of the time, however large the drawing. */
const costFactor = 100

/**
 * A session for a room: the one that a closed or reloaded tab has left, or else a new one; either begins with the drawing
 * that this browser last saw.
 *
 * @param {import('../core/core.js').Core} core
 * @param {string} room
 * @param {import('../core/types.js').ReplicaOptions} options one that only looks on takes over nobody's edits
 * @returns {Promise<{session: import('../core/replica.js').Replica, release: (() => void) | null, isLeftBehind: boolean}>}
 *   `release` gives the actor back; `isLeftBehind`: there are edits of others that were not sent when they were kept
 */
export async function openReplica(core, room, options) {
  let edits = []
  try {
    let drawing
    ;[edits, drawing] = await Promise.all([editsOf(room), drawingOf(room)])
    if (!options.readonly) {
      for (const { key, bytes } of edits) {
        // Without locks only what this tab had itself: what others may still hold is for couriers.
        const release = await claim(key, Infinity)
        if (!release) continue
        const session = restore(core, bytes, drawing, options)
        if (session) return { session, release, isLeftBehind: hasUnsent(edits, key) }
        release()
      }
    }
    const session = drawing ? restore(core, null, drawing, options) : null
    if (session) return { session, release: await claim(keyOf(room, session.actor)), isLeftBehind: hasUnsent(edits) }
  } catch (error) {
    // A browser that keeps nothing: the room itself is on the server.
    console.warn('What was kept of this room can’t be read:', error)
  }
  const session = core.createReplica(options)
  return { session, release: await claim(keyOf(room, session.actor)).catch(() => null), isLeftBehind: hasUnsent(edits) }
}

const hasUnsent = (edits, own) => edits.some(({ key, unsent }) => unsent > 0 && key !== own)

/**
 * Looks after what other tabs of this browser leave: what was found at the beginning, when one says farewell, when the
 * connection is back, and now and then.
 *
 * @param {import('../state/app.js').App} app @param {boolean} isLeftBehind
 * @param {() => Promise<import('./couriers.js').Couriers>} load
 */
export function watchTabs(app, isLeftBehind, load) {
  let couriers = null
  const look = () => {
    if (app.live.status().state !== 'live') return
    couriers ??= load()
    couriers.then((all) => all.look(), (error) => {
      couriers = null
      console.warn('What other tabs have left can’t be sent yet:', error)
    })
  }
  app.addEventListener('effect', ({ detail }) => {
    if (detail.type !== 'state' || detail.state !== 'live') return
    if (isLeftBehind) look()
    isLeftBehind = true
  })
  setInterval(look, lookMilliseconds)
  if (!('BroadcastChannel' in globalThis)) return
  const channel = new BroadcastChannel('canvas tabs')
  channel.addEventListener('message', ({ data }) => { if (data === app.room) setTimeout(look, farewellMilliseconds) })
  addEventListener('pagehide', () => channel.postMessage(app.room))
}

/**
 * Another version of this page may have kept what this one can't read; then the drawing comes from the server.
 *
 * @param {import('../core/core.js').Core} core @param {Uint8Array | null} edits
 * @param {import('./database.js').KeptDrawing | undefined} drawing @param {import('../core/types.js').ReplicaOptions} options
 * @returns {import('../core/replica.js').Replica | null}
 */
export function restore(core, edits, drawing, options) {
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

/** Keeps a room's unsent edits and its drawing, as they change. */
export class Keeper {
  #app
  #key
  #actor
  #release
  #isEditsStale = false
  #isDrawingStale = false
  #editsTimer = 0
  #drawingTimer = 0
  #cost = 0
  #hasFailed = false
  #keptEdits = new Uint8Array()

  /** @param {import('../state/app.js').App} app @param {(() => void) | null} release */
  constructor(app, release) {
    this.#app = app
    this.#release = release
    this.#actor = app.live.actor
    this.#key = keyOf(app.room, this.#actor)
    app.addEventListener('effect', ({ detail }) => this.#take(detail))
    app.addEventListener('changes', ({ detail }) => {
      if (detail.reset || detail.shapes.length > 0) this.#drawingChanged()
    })
    addEventListener('pagehide', () => this.#leave())
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.#leave() })
  }

  #take(effect) {
    // One's own edits, and answers to them: dragging on while offline changes the edits and not their number.
    if (effect.type === 'unsent' || effect.type === 'rejected') this.editsChanged()
    if (effect.type === 'state' && effect.state === 'loading') this.#follow()
  }

  /** The server has made one somebody new. */
  #follow() {
    const { actor } = this.#app.live
    if (actor === this.#actor) return
    const former = this.#key
    this.#release?.()
    this.#actor = actor
    this.#key = keyOf(this.#app.room, actor)
    claim(this.#key).then((release) => { this.#release = release }, () => {})
    this.editsChanged()
    this.#drawingChanged()
    this.keepNow().then(() => forgetEdits(former)).catch(() => {})
  }

  editsChanged() {
    this.#isEditsStale = true
    if (this.#editsTimer === 0) this.#editsTimer = setTimeout(() => this.#keepEdits(), editsMilliseconds)
  }

  #drawingChanged() {
    if (this.#app.live.unsentCount > 0) this.editsChanged()
    this.#isDrawingStale = true
    const pause = Math.max(drawingMilliseconds, this.#cost * costFactor)
    if (this.#drawingTimer === 0) this.#drawingTimer = setTimeout(() => this.#keepDrawing(), pause)
  }

  /** The page may be gone in a moment. */
  #leave() {
    if (this.#app.live.unsentCount > 0 || this.#isEditsStale) keepAtOnce(this.#edits())
    this.keepNow()
  }

  /** All that is new. */
  async keepNow() {
    await Promise.all([this.#isEditsStale && this.#keepEdits(), this.#isDrawingStale && this.#keepDrawing()])
  }

  async #keepEdits() {
    clearTimeout(this.#editsTimer)
    this.#editsTimer = 0
    this.#isEditsStale = false
    const edits = this.#edits()
    if (isSame(edits.bytes, this.#keptEdits)) return
    this.#keptEdits = edits.bytes
    await this.#keep('edits', edits)
  }

  /** @returns {import('./database.js').KeptEdits} */
  #edits() {
    const { live, room } = this.#app
    return {
      key: this.#key, room, actor: this.#actor, bytes: live.save(false), unsent: live.unsentCount, at: Date.now(),
    }
  }

  async #keepDrawing() {
    clearTimeout(this.#drawingTimer)
    this.#drawingTimer = 0
    this.#isDrawingStale = false
    const { live, room } = this.#app
    // One that has never been in the room has edits only, and what was kept of the drawing is better.
    if (live.status().cursor === undefined) return
    const began = performance.now()
    const bytes = live.save(true)
    this.#cost = performance.now() - began
    await this.#keep('drawings', { room, bytes, at: Date.now() })
  }

  async #keep(store, record) {
    try {
      await keep(store, record)
      this.#hasFailed = false
    } catch (error) {
      if (this.#hasFailed || this.#app.live.unsentCount === 0) return
      this.#hasFailed = true
      this.#app.say('This browser keeps nothing: don’t close the page before all is saved.', { kind: 'refused' })
      console.warn(error)
    }
  }
}

const isSame = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at])
