import { counted, momentWords } from '../basics/words.js'
import type { Shape } from '../core/table.js'
import type { Changes, ShapeChange } from '../core/types.js'
import type { Connection } from '../network/connection.js'
import type { Editing } from '../state/editing.js'
import type { Hand } from '../state/hand.js'
import type { Names } from '../state/names.js'
import type { Notices } from '../state/notices.js'
import type { LaterPart } from '../state/parts.js'
import type { Permission } from '../state/permission.js'
import type { Presence, Restored } from '../state/presence.js'
import type { Shown } from '../state/shown.js'
import type { BringingBack } from './bringing-back.js'

/**
 * How long to gather removals after the latest one before they are reported; how long to gather at most; and how long
 * the notice is shown.
 */
const gatherMilliseconds = 400
const gatherMillisecondsMax = 2_000
const shownMilliseconds = 30_000
/** If at least this many shapes and half of the drawing are removed, that counts as emptying the canvas. */
const emptiedMin = 3
/** How long after a restoration this person can still get a notice about it. */
const restoredMilliseconds = 10_000
export const group = 'removed'
const heldGroup = 'removed from the hand'
export const backGroup = 'brought back'
/**
 * The upper bound on the number of removed shapes that are remembered, so that they are recognised when they come back.
 */
const goneMax = 10_000

/**
 * A shape as it was before its removal. `by`: who deleted it, or 0 if unknown. `deed`: what this person was doing to it
 * at that time.
 */
export type Lost = {
  id: number, by: number, at: number, shape: Shape, isSwallowed: boolean, deed: string | null, name: string,
}

/**
 * What a notice offers to bring back, and the time of the first part of the offer. `bringBack` returns the shapes that it has
 * written.
 */
type Offer = { by: number, parts: Lost[][], since: number, bringBack: (part: BringingBack) => Promise<number[]> }

/**
 * Tells this person that somebody has emptied the canvas, restored it, or deleted a shape that this person was holding.
 * Offers to bring the shapes back.
 *
 * The replica doesn't keep the values of deleted shapes, so this class remembers them. A shape's name and place in the
 * drawing order come from the room's history, if it is available.
 */
export class Removals {
  #bringingBack
  #shown
  #editing
  #notices
  #permission
  #presence
  #names
  #hand
  #known = new Map<number, Shape>()
  /** Whether this page has entered the room. Removals before that are not reported. */
  #isLive = false
  #isEntered = false
  #lost: Lost[] = []
  /** The number of shapes before the first of the gathered removals, and the time of that removal. */
  #countBefore = 0
  #firstAt = 0
  #timer = 0
  /** The newest offer of each group of notices. */
  #offers = new Map<string, Offer>()
  /** What was brought back and isn't acknowledged yet, and how to offer it again if the server refuses it. */
  #unanswered: { shapes: number[], again: () => void }[] = []
  /** The last restoration of each person, and whether this person has got a notice about it. */
  #restored = new Map<number, Restored & { isSaid: boolean }>()
  /** The identifiers of shapes that were removed since the page was opened. */
  #gone = new Set<number>()

  constructor({ connection, shown, editing, notices, permission, presence, names, hand }: {
    connection: Connection, shown: Shown, editing: Editing, notices: Notices, permission: Permission,
    presence: Presence, names: Names, hand: Hand,
  }, bringingBack: LaterPart<BringingBack>) {
    this.#bringingBack = bringingBack
    this.#shown = shown
    this.#editing = editing
    this.#notices = notices
    this.#permission = permission
    this.#presence = presence
    this.#names = names
    this.#hand = hand
    connection.on('effect', (effect) => {
      if (effect.type === 'state' && effect.state === 'live') this.#isLive = true
      if (effect.type === 'rejected') for (const deed of this.#unanswered) if (deed.shapes.includes(effect.shape)) {
        deed.shapes = []
        deed.again()
      }
      if (effect.type === 'unsent' && effect.count === 0) this.#unanswered = []
    })
    shown.on('changes', (changes) => { if (!shown.isPast) this.#follow(changes) })
    presence.on('change', () => this.#noteRestorations())
  }

  #follow({ reset, shapes }: Changes) {
    const countBefore = this.#known.size
    const lostBefore = this.#lost.length
    const vanished = reset ? this.#known : new Map()
    if (reset) this.#known = new Map()
    const back: ShapeChange[] = []
    for (const change of shapes) {
      const { id, shape, by, departure } = change
      if (shape) {
        vanished.delete(id)
        this.#known.set(id, shape)
        if (this.#gone.delete(id)) back.push(change)
        continue
      }
      const before = this.#known.get(id)
      this.#known.delete(id)
      if (before) this.#lose(before, by, departure !== null)
    }
    for (const shape of vanished.values()) this.#lose(shape, 0, false)
    this.#isEntered ||= this.#isLive
    if (back.length > 0) this.#tellBack(back)
    if (this.#lost.length > lostBefore) this.#gather(countBefore)
  }

  /**
   * @param shape before its removal
   * @param by who deleted the shape, as reported with the change; 0 if unknown
   */
  #lose(shape: Shape, by: number, isSwallowed: boolean) {
    const { id } = shape
    const { live } = this.#shown
    if (this.#gone.size < goneMax) this.#gone.add(id)
    const erased = live.written(id, 'deleted')
    const eraser = by || (erased?.actor ?? 0)
    if (!this.#isEntered || eraser === live.actor || eraser < 0) return
    this.#lost.push({
      id, by: eraser, at: erased?.milliseconds ?? this.#now, shape, isSwallowed,
      deed: this.#hand.deedTo(id), name: this.#hand.nameOf(id),
    })
  }

  /**
   * Gathers removals of the same kind, which are then reported together.
   *
   * @param countBefore the number of shapes before this removal
   */
  #gather(countBefore: number = this.#known.size) {
    const now = performance.now()
    if (this.#timer === 0) {
      this.#countBefore = countBefore
      this.#firstAt = now
    }
    clearTimeout(this.#timer)
    const wait = Math.min(gatherMilliseconds, Math.max(0, this.#firstAt + gatherMillisecondsMax - now))
    this.#timer = setTimeout(() => this.#tell(), wait)
  }

  get #now() { return this.#shown.live.serverMilliseconds || Date.now() }

  #noteRestorations() {
    for (const { actor, restored } of this.#presence.people()) {
      if (!restored || this.#restored.get(actor)?.until === restored.until) continue
      const isNews = this.#isEntered && Math.abs(this.#now - restored.until) < restoredMilliseconds
      this.#restored.set(actor, { ...restored, isSaid: !isNews })
      if (isNews) this.#gather()
    }
  }

  /**
   * Whether a person's removal was a part of restoring an older state.
   *
   * @param at in milliseconds
   */
  #isRestored(by: number, at = 0) {
    const restored = this.#restored.get(by)
    return restored !== undefined && at >= restored.from && at <= restored.until
  }

  #tell() {
    this.#timer = 0
    const lost = this.#lost.filter(({ id }) => !this.#known.has(id))
    this.#lost = []
    for (const [by, restored] of this.#restored) {
      if (!restored.isSaid) this.#sayRestored(by, restored)
      restored.isSaid = true
    }
    const left = this.#countBefore - lost.length
    for (const by of new Set(lost.map((each) => each.by))) {
      const theirs = lost.filter((each) => each.by === by && !this.#isRestored(by, each.at))
      const deed = theirs.find((each) => each.deed !== null)?.deed
      const held = theirs.filter((each) => each.deed === deed)
      const who = this.#who(by)
      if (theirs.length >= emptiedMin && theirs.length >= left) {
        const what = theirs.every(({ isSwallowed }) => isSwallowed) ? 'dropped everything into the black hole' : 'cleared the canvas'
        this.#offer(group, by, this.#known.size === 0 ? `${who} ${what}.` : `${who} removed ${counted(theirs.length, 'shape')}.`, theirs)
      } else if (deed) {
        const what = held.length === 1 && held[0].name !== '' ? held[0].name : counted(held.length, 'shape')
        this.#offer(heldGroup, by, `${who} deleted ${what} while you ${deed} ${held.length === 1 ? 'it' : 'them'}.`, held)
      }
    }
  }

  #who(by: number) { return by === 0 ? 'Somebody' : this.#names.of(by) }

  /**
   * Offers to bring shapes back. If the same person has emptied the canvas just before, what went then is offered too.
   * Otherwise whoever empties the canvas, draws something and empties it again would replace that offer.
   */
  #offer(kind: typeof group | typeof heldGroup, by: number, words: string, lost: Lost[]) {
    const now = performance.now()
    const former = this.#offers.get(kind)
    const goesOn = kind === group && former?.by === by && now - former.since < shownMilliseconds
      && former.parts.flat().length + lost.length <= goneMax
    const parts = goesOn ? [...former.parts, lost] : [lost]
    this.#say(kind, words, { by, parts, since: goesOn ? former.since : now, bringBack: (part) => part.bringBack(parts) })
  }

  #say(kind: string, words: string, offer: Offer) {
    this.#offers.set(kind, offer)
    if (!this.#permission.isViewOnly) this.#bringingBack.prepare()
    const again = () => { if ((this.#offers.get(kind) ?? offer) === offer) this.#say(kind, words, offer) }
    const run = async () => {
      const part = await this.#bringingBack.get()
      // If the part can't be loaded, the offer stays.
      part ? this.#unanswered.push({ shapes: await offer.bringBack(part), again }) : again()
    }
    const action = this.#permission.isViewOnly ? undefined
      : { words: 'Bring back', run: () => !this.#editing.refuses() && run() }
    this.#notices.say(words, { group: kind, action, isKept: true, milliseconds: shownMilliseconds })
  }

  #sayRestored(by: number, restored: Restored) {
    this.#notices.withdraw(backGroup)
    const words = `${this.#who(by)} restored the drawing as of ${momentWords(restored.asOf)}.`
    this.#say(group, words, { by, parts: [], since: 0, bringBack: (part) => part.takeBack(by, restored) })
  }

  #tellBack(changes: ShapeChange[]) {
    const { live } = this.#shown
    const back = changes.filter(({ id, by }) => !this.#isRestored(by, live.written(id, 'kind')?.milliseconds))
    if (back.length === 0) return
    for (const [kind, { parts }] of this.#offers) {
      // The offer to take a restoration back has no parts.
      if (parts.length === 0 || !parts.every((lost) => lost.every(({ id }) => this.#known.has(id)))) continue
      this.#offers.delete(kind)
      this.#notices.withdraw(kind)
    }
    const [{ by }] = back
    if (by <= 0 || by === live.actor || back.length < emptiedMin) return
    this.#notices.say(`${this.#names.of(by)} brought back ${counted(back.length, 'shape')}.`, { group: backGroup })
  }
}
