import { within } from '../basics/words.js'
import { changedBit } from '../core/table.js'
import type { ShapeChange } from '../core/types.js'
import type { Connection } from '../network/connection.js'
import type { Editing } from '../state/editing.js'
import type { Names } from '../state/names.js'
import type { Notices } from '../state/notices.js'
import type { Presence } from '../state/presence.js'
import type { Shown } from '../state/shown.js'
import { textInPlaceOf, type Writing } from './writing.js'

/** A person who overwrites a text this soon after the text arrived, or after they joined, has probably not read it. */
const soonMilliseconds = 15_000
const shownMilliseconds = 30_000
/** The upper bound on the number of texts that are remembered. */
const keptMax = 500

/**
 * A text that this person has written. `writers`: other people who were already writing in the same shape when this
 * text arrived, and when each of them stopped.
 */
type OwnText = { text: string, at: number, writers: Map<number, number | null> }

/**
 * Two people may write in the same shape at the same time. Then the later text replaces the earlier one. This class
 * tells the person whose text was lost, and offers to put it back.
 *
 * Replacing a text that one has read is no loss. So a text counts as lost only if the next writer can hardly have read
 * it, in one of these cases:
 * - Presence shows that the next writer had begun before the text arrived.
 * - The next text came within 15 seconds, or within 15 seconds after its writer had joined.
 * - The next text came while this page was away, hidden or showing the past.
 * - The server answered that a later text was already there (`superseded`).
 *
 * If the new text contains the old one, nothing is lost.
 */
export class TextLosses {
  #shown
  #editing
  #notices
  #names
  #presence
  /** The last text that this person has written in each shape. */
  #own = new Map<number, OwnText>()
  /**
   * The texts that shapes had when the page began, if an earlier visit has left unsent edits. This person might have
   * written any of these texts.
   */
  #found: Map<number, string>
  /** When each person joined, for those who joined after this page. */
  #cameAt = new Map<number, number>()
  /**
   * The time since which changes have arrived late, because the page was away, hidden or showing the past; null if they
   * arrive in time.
   */
  #behindSince: number | null = null

  constructor({ connection, shown, editing, notices, names, presence, writing }: {
    connection: Connection, shown: Shown, editing: Editing, notices: Notices, names: Names, presence: Presence,
    writing: Writing,
  }) {
    this.#shown = shown
    this.#editing = editing
    this.#notices = notices
    this.#names = names
    this.#presence = presence
    const found = shown.live.unsentCount > 0 ? shown.live.shapes().filter(({ written }) => written) : []
    this.#found = new Map(found.map(({ id, text }) => [id, text]))
    shown.on('changes', ({ reset, shapes }) => {
      if (shown.isPast) return
      for (const change of shapes) if ((change.changed & changedBit.text) !== 0) this.#follow(change)
      // After a complete state it is unknown which texts have changed, so all are compared.
      if (reset) for (const id of this.#own.keys()) this.#compare(id, 0)
      if (this.#isUpToDate) this.#behindSince = null
    })
    writing.on('kept', ({ id, text }) => this.#remember(id, text))
    presence.on('change', () => this.#watchWriters())
    connection.on('effect', (effect) => {
      if (effect.type === 'joined') this.#cameAt.set(effect.peer.actor, Date.now())
      if (effect.type === 'state') this.#fallBehind()
      if (effect.type !== 'superseded') return
      for (const { shape, property, by } of effect.values) {
        if (property === 'text') this.#lost(shape, by, this.#own.get(shape)?.text ?? this.#found.get(shape))
      }
    })
    document.addEventListener('visibilitychange', () => this.#fallBehind())
    shown.on('past', () => this.#fallBehind())
  }

  get #isUpToDate() { return !document.hidden && !this.#shown.isPast && this.#shown.live.status().state === 'live' }

  #fallBehind() { if (!this.#isUpToDate) this.#behindSince ??= Date.now() }

  #follow({ id, shape, by }: ShapeChange) {
    if (by !== this.#shown.live.actor) return this.#compare(id, by)
    if (shape && this.#own.get(id)?.text !== shape.text) this.#remember(id, shape.text)
  }

  #remember(id: number, text: string) {
    this.#own.delete(id)
    if (text === '') return
    const writers = this.#presence.people().filter(({ writing }) => writing === id)
    this.#own.set(id, { text, at: Date.now(), writers: new Map(writers.map(({ actor }) => [actor, null])) })
    for (const [oldest] of this.#own) {
      if (this.#own.size <= keptMax) break
      this.#own.delete(oldest)
    }
  }

  /** Notes when each person has stopped writing. The text that they wrote can arrive a little later. */
  #watchWriters() {
    for (const [id, { writers }] of this.#own) {
      for (const [actor, endedAt] of writers) {
        const person = this.#presence.person(actor)
        if (endedAt === null && person && person.writing !== id) writers.set(actor, Date.now())
      }
    }
  }

  /** @param by the actor who changed the text; 0 if unknown */
  #compare(id: number, by: number) {
    const own = this.#own.get(id)
    if (!own || by < 0) return
    const now = Date.now()
    const isSoon = (moment: number) => now - moment < soonMilliseconds
    const endedAt = own.writers.get(by)
    const hadBegun = endedAt === null || (endedAt !== undefined && isSoon(endedAt))
    const cameAt = this.#cameAt.get(by) ?? 0
    const wasAway = cameAt > own.at && isSoon(cameAt)
    const isNear = (this.#behindSince ?? now) - own.at < soonMilliseconds
    if (hadBegun || wasAway || isNear) this.#lost(id, by, own.text)
  }

  /** @param text the lost text */
  #lost(id: number, by: number, text = '') {
    const { live } = this.#shown
    const shape = live.shape(id)
    if (text === '' || !shape || shape.text.includes(text) || by === live.actor) return
    this.#own.delete(id)
    this.#found.delete(id)
    const group = `lost text ${id}`
    const who = by > 0 ? this.#names.of(by) : 'Somebody'
    this.#notices.say(`${who} wrote over your text in ${within(live.shownName(id))}: “${within(text)}”`, {
      group, isWhole: true, milliseconds: shownMilliseconds,
      action: {
        words: 'Put mine back',
        run: () => this.#editing.edit((replica) => (replica.shape(id)
          ? replica.edit([{ shape: id, set: { text } }]) : replica.add(textInPlaceOf(shape, text)).effects)) !== undefined,
      },
    })
  }
}
