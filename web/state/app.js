import { Connection } from '../network/connection.js'
import { Freshness } from '../network/freshness.js'
import { sayMissing } from './later.js'
import { Presence } from './presence.js'
import { Selection } from './selection.js'

/** Why one can't edit, as one tells it. */
const viewOnlyWords = 'You are looking on: this link doesn’t let you draw.'
const pastWords = 'This is the past. Restore it, or close the history, to go on drawing.'

/**
 * One room on one page: the session, what is done with its effects, and the frame loop.
 *
 * `session` is what is shown. It is `live`, the one that is connected, unless one looks at the past.
 *
 * Events carry their `detail`: `changes` (once a frame, before painting), `effect` (each that isn't for the network),
 * `selection`, `tool`, `me`, `people`, `mode` (view only or not), `past` (looked at or not), `exchange` (the
 * third module is there), `notice`.
 */
export class App extends EventTarget {
  #connection
  #frame = 0
  #isViewOnlyLink
  #effects = []
  #isPerforming = false
  #isShownAnew = false
  #exchange = null

  /**
   * @param {{core: import('../core/core.js').Core, session: import('../core/replica.js').Replica, room: string,
   *   token: string | null, viewOnly: boolean, me: {name: string, color: string}}} parts
   */
  constructor({ core, session, room, token, viewOnly, me }) {
    super()
    this.core = core
    this.live = session
    this.session = session
    this.room = room
    this.token = token
    this.tool = 'select'
    this.me = { actor: session.actor, name: me.name, color: me.color }
    this.#isViewOnlyLink = viewOnly
    this.viewOnly = viewOnly
    this.selection = new Selection()
    this.presence = new Presence(this)
    this.freshness = new Freshness()
    this.view = null
    this.scene = null
    this.painter = null
    this.overlay = null
    this.#connection = new Connection(session, { room, token, perform: (effects) => this.perform(effects) })
    this.selection.addEventListener('change', () => {
      this.presence.setSelection(this.selection.ids())
      this.#dispatch('selection', this.selection.ids())
      this.invalidate()
    })
    this.presence.addEventListener('change', () => this.invalidate())
    this.presence.addEventListener('people', () => this.#dispatch('people', this.presence.people()))
    // Who does something here may soon copy, add or save: what that takes is there by then, and was not in the way before.
    this.selection.addEventListener('change', () => this.prepareExchange(), { once: true })
    for (const type of ['pointerdown', 'keydown', 'dragenter']) {
      addEventListener(type, () => this.prepareExchange(), { once: true, capture: true })
    }
    addEventListener('online', () => this.#connection.hurry())
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#connection.hurry()
    })
  }

  /** Come into the room. */
  start() { this.perform(this.live.start()) }

  // MARK: Editing

  /**
   * Edits, and carries out what follows. What can't be is said, and not thrown.
   *
   * @template T
   * @param {(session: import('../core/replica.js').Replica) => T} change returns effects, or an object that has them
   * @returns {T | undefined}
   */
  edit(change) {
    if (this.viewOnly || this.isPast) {
      this.say(this.isPast ? pastWords : viewOnlyWords, { kind: 'refused' })
      return undefined
    }
    try {
      const done = change(this.session)
      const effects = Array.isArray(done) ? done : done?.effects
      if (effects) this.perform(effects)
      this.invalidate()
      return done
    } catch (error) {
      this.say(sentence(error.message), { kind: 'refused' })
      return undefined
    }
  }

  /** What is edited within is one step to undo. @template T @param {() => T} edits @returns {T} */
  group(edits) {
    this.beginGroup()
    try {
      return edits()
    } finally {
      this.endGroup()
    }
  }

  beginGroup() { this.live.beginGroup() }
  endGroup() { this.live.endGroup() }

  // MARK: The third module

  /** Whether documents can be read and made, and free places found, without waiting. */
  get hasExchange() { return this.core.hasExchange }

  /** Loads what that takes, or fails quietly. @returns {Promise<boolean>} whether it is there now */
  async prepareExchange() {
    return await this.#loadExchange().then(() => true, () => false)
  }

  /** The same for what can't be done without it: where it can't be loaded, that is said. @returns {Promise<boolean>} */
  async exchange() {
    try {
      await this.#loadExchange()
      return true
    } catch (error) {
      sayMissing(this, error)
      return false
    }
  }

  #loadExchange() {
    this.#exchange ??= bytesAt('/exchange.wasm')
      .then((bytes) => this.freshness.ofThisPage(bytes))
      .then((bytes) => this.core.loadExchange(bytes))
      .then(
        () => this.#dispatch('exchange'),
        (error) => {
          this.#exchange = null
          throw error
        },
      )
    return this.#exchange
  }

  // MARK: Effects

  /** Effects are carried out in order, also those of an event that comes while others are at work. */
  perform(effects) {
    this.#effects.push(...effects)
    if (this.#isPerforming) return
    this.#isPerforming = true
    try {
      while (this.#effects.length > 0) this.#carryOut(this.#effects.shift())
    } finally {
      this.#isPerforming = false
    }
    this.invalidate()
  }

  #carryOut(effect) {
    if (this.#connection.take(effect)) return
    if (effect.type === 'state' && effect.state === 'loading') this.#welcome()
    this.presence.take(effect)
    this.#dispatch('effect', effect)
  }

  #welcome() {
    const { role, actor } = this.live.status()
    this.me = { ...this.me, actor }
    const viewOnly = this.#isViewOnlyLink || role === 'viewer'
    if (viewOnly === this.viewOnly) return
    this.viewOnly = viewOnly
    if (viewOnly) this.setTool('select')
    this.#dispatch('mode', { viewOnly })
  }

  // MARK: What one does

  /** @param {string} name */
  setTool(name) {
    if (this.viewOnly && name !== 'select' && name !== 'hand') return
    if (this.tool === name) return
    this.tool = name
    this.#dispatch('tool', name)
  }

  /** Who one is, from now on. @param {{name: string, color: string}} me */
  setMe({ name, color }) {
    this.me = { ...this.me, name, color }
    this.perform(this.live.introduce({ name, color }))
    this.#dispatch('me', this.me)
  }

  /** A notice. @param {string} text @param {{kind?: string, action?: {words: string, run: () => void}}} [options] */
  say(text, options = {}) { this.#dispatch('notice', { text, ...options }) }

  // MARK: The past

  get isPast() { return this.session !== this.live }

  /** Shows another session in place of the live one, or that again. @param {import('../core/replica.js').Replica | null} past */
  showPast(past) {
    const wasPast = this.isPast
    if (wasPast) this.session.destroy()
    this.session = past ?? this.live
    this.#isShownAnew = true
    if (wasPast !== this.isPast) this.#dispatch('past', { isPast: this.isPast })
    this.invalidate()
  }

  // MARK: Frames

  /** Something is to be painted otherwise, at the next frame. */
  invalidate() {
    if (this.#frame === 0) this.#frame = requestAnimationFrame((now) => this.#paint(now))
  }

  #paint(now) {
    this.#frame = 0
    const changes = this.#changes()
    this.scene?.apply(changes, now)
    this.selection.follow(changes, (id) => this.session.shape(id) !== null)
    this.#dispatch('changes', changes)
    this.painter?.paint(now)
    this.overlay?.paint(now)
    if (this.scene?.moves(now)) this.invalidate()
  }

  #changes() {
    const changes = this.session.changes()
    if (!this.#isShownAnew) return changes
    this.#isShownAnew = false
    return everything(this.session)
  }

  #dispatch(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })) }
}

async function bytesAt(path) {
  const answer = await fetch(path)
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return answer.arrayBuffer()
}

/** What a session shows, as if nothing of it had been shown yet. @returns {import('../core/types.js').Changes} */
function everything(session) {
  return {
    reset: true,
    reordered: true,
    shapes: session.shapes().map((shape) => ({ id: shape.id, shape, changed: -1, by: 0, departure: null })),
    pairs: session.overlapPairs().map(([first, second]) => ({ first, second, overlaps: true })),
  }
}

const sentence = (words) => words && words[0].toUpperCase() + words.slice(1) + (/[.!?…]$/.test(words) ? '' : '.')
