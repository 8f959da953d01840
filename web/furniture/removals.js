import { properties } from '../core/table.js'
import { identifierText } from '../core/values.js'
import { counted, within } from '../basics/words.js'
import { ask } from '../network/address.js'
import { writeAll } from './restoration.js'

/** How long to wait for more that goes before saying anything, and how long that is said. */
const gatherMilliseconds = 400
const shownMilliseconds = 30_000
/** Somebody who removes at least so many shapes, and half of the drawing, has emptied the canvas. */
const emptiedMin = 3
/** How far back the history is asked for what this page doesn't know: longer than a removal takes to arrive. */
const historyMilliseconds = 1_500
const group = 'removed'
const backGroup = 'brought back'
/** So many of the shapes that have gone are known again when they come back. */
const goneMax = 10_000

/** @typedef {import('../core/types.js').Shape} Shape */
/** @typedef {{id: number, by: number, shape: Shape, isSwallowed: boolean, isHeld: boolean, name: string}} Lost */

/**
 * Says who has emptied the canvas, or deleted what was in one's hand, and offers to bring it back.
 *
 * Nothing of a deleted shape is left in the replica. Its looks are kept here from before; its name and its place in the drawing
 * order come from the room's history, where that can be had.
 */
export class Removals {
  #room
  #shown
  #editing
  #notices
  #permission
  #names
  #hand
  /** @type {Map<number, Shape>} */
  #known = new Map()
  /** @type {Lost[]} */
  #lost = []
  #timer = 0
  /** The shapes that have gone since the page was opened. */
  #gone = new Set(/** @type {number[]} */ ([]))

  /**
   * @param {{room: string, shown: import('../state/shown.js').Shown, editing: import('../state/editing.js').Editing,
   *   notices: import('../state/notices.js').Notices, permission: import('../state/permission.js').Permission,
   *   names: import('../panels/names.js').Names, hand: import('../state/hand.js').Hand}} parts
   */
  constructor({ room, shown, editing, notices, permission, names, hand }) {
    this.#room = room
    this.#shown = shown
    this.#editing = editing
    this.#notices = notices
    this.#permission = permission
    this.#names = names
    this.#hand = hand
    shown.on('changes', (changes) => { if (!shown.isPast) this.#follow(changes) })
  }

  /** @param {import('../core/types.js').Changes} changes */
  #follow({ reset, shapes }) {
    if (reset) this.#known.clear()
    const own = this.#shown.live.actor
    /** @type {import('../core/types.js').ShapeChange[]} */
    const back = []
    for (const change of shapes) {
      const { id, shape, by, departure } = change
      const before = this.#known.get(id)
      if (shape) {
        this.#known.set(id, shape)
        if (this.#gone.delete(id)) back.push(change)
        continue
      }
      this.#known.delete(id)
      if (before && this.#gone.size < goneMax) this.#gone.add(id)
      if (!before || by === own || by < 0) continue
      this.#lost.push({
        id, by, shape: before, isSwallowed: departure !== null, isHeld: this.#hand.holds(id), name: this.#hand.nameOf(id),
      })
    }
    if (back.length > 0) this.#tellBack(back, own)
    if (this.#lost.length > 0 && this.#timer === 0) this.#timer = setTimeout(() => this.#tell(), gatherMilliseconds)
  }

  #tell() {
    this.#timer = 0
    const lost = this.#lost.filter(({ id }) => !this.#known.has(id))
    this.#lost = []
    const left = this.#known.size
    for (const by of new Set(lost.map((each) => each.by))) {
      const theirs = lost.filter((each) => each.by === by)
      const held = theirs.filter(({ isHeld }) => isHeld)
      const who = by === 0 ? 'Somebody' : this.#names.of(by)
      if (by !== 0 && theirs.length >= emptiedMin && theirs.length >= left) {
        const what = theirs.every(({ isSwallowed }) => isSwallowed) ? 'dropped everything into the black hole' : 'cleared the canvas'
        this.#say(left === 0 ? `${who} ${what}.` : `${who} removed ${counted(theirs.length, 'shape')}.`, theirs)
      } else if (held.length > 0) {
        const what = held.length === 1 && held[0].name !== '' ? within(held[0].name) : counted(held.length, 'shape')
        this.#say(`${who} deleted ${what} while you held ${held.length === 1 ? 'it' : 'them'}.`, held)
      }
    }
  }

  /** @param {string} words @param {Lost[]} lost */
  #say(words, lost) {
    const at = Math.floor((this.#shown.live.serverMilliseconds || Date.now()) - gatherMilliseconds - historyMilliseconds)
    const action = this.#permission.isViewOnly ? undefined : { words: 'Bring back', run: () => this.#bringBack(lost, at) }
    this.#notices.say(words, { group, action, milliseconds: shownMilliseconds })
  }

  /** @param {import('../core/types.js').ShapeChange[]} back @param {number} own */
  #tellBack(back, own) {
    this.#notices.withdraw(group)
    const [{ by }] = back
    if (by <= 0 || by === own || back.length < emptiedMin) return
    this.#notices.say(`${this.#names.of(by)} brought back ${counted(back.length, 'shape')}.`, { group: backGroup })
  }

  /** @param {Lost[]} lost @param {number} at a moment before */
  async #bringBack(lost, at) {
    const then = await this.#drawingAt(at)
    const edits = lost.filter(({ id }) => !this.#known.has(id)).sort((one, other) => one.shape.place - other.shape.place)
      .map(({ id, shape }) => {
        const was = then.get(identifierText(id))
        const set = valuesOf(shape)
        if (was?.z !== undefined) set.z = was.z
        if (was?.name !== undefined && shape.named) set.name = was.name
        return { shape: id, set }
      })
    if (edits.length > 0 && writeAll(this.#editing, edits, [])) {
      this.#editing.sayUndoable(`${counted(edits.length, 'shape')} brought back.`, backGroup)
    }
  }

  /** @param {number} at @returns {Promise<Map<string, import('./restoration.js').KeptShape>>} empty where it isn't to be had */
  async #drawingAt(at) {
    try {
      const answer = await ask(`/v1/rooms/${this.#room}?at=${at}`)
      if (!answer.ok) return new Map()
      /** @type {{shapes: import('./restoration.js').KeptShape[]}} */
      const { shapes } = await answer.json()
      return new Map(shapes.map((shape) => [shape.id, shape]))
    } catch {
      return new Map()
    }
  }
}

/**
 * What a shape is made of, to be written again.
 *
 * @param {Shape} shape @returns {import('../core/types.js').Values}
 */
function valuesOf(shape) {
  return Object.fromEntries(properties.filter(({ parts, isRare }) => parts.length > 0 && (!isRare || shape.written))
    .map(({ name, parts }) => [name, parts.length === 1 ? shape[parts[0]] : parts.map((part) => shape[part])]))
}
