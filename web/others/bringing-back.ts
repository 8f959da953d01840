import type { Momentum } from '../arrange/momentum.js'
import { counted } from '../basics/words.js'
import type { Values } from '../core/types.js'
import { identifierText } from '../core/values.js'
import { type KeptShape, ownName, restoration, valuesOf, writeAll } from '../keep/restoration.js'
import type { ask as askServer } from '../network/address.js'
import type { Documents } from '../state/documents.js'
import type { Editing } from '../state/editing.js'
import type { Notices } from '../state/notices.js'
import type { Restored } from '../state/presence.js'
import type { Shown } from '../state/shown.js'
import { backGroup, group, type Lost } from './removals.js'

/**
 * The upper bound on the difference between the server's clock and the clocks of most pages. The page asks for the
 * drawing as it was this long before a removal or a restoration.
 */
const clocksMilliseconds = 250
/**
 * The requested drawing is this much earlier than the restoration. If it doesn't differ from the restored drawing, the
 * next value is tried. The clocks might differ more than usual.
 */
const restoredMargins = [clocksMilliseconds, 1_000, 4_000]

/** Brings back what others have removed, or what was there before they restored an older state. */
export class BringingBack {
  #ask
  #room
  #documents
  #shown
  #editing
  #momentum
  #notices

  /** @param ask has the token, which only the room's script has */
  constructor({ ask, room, documents, shown, editing, momentum, notices }: {
    ask: typeof askServer, room: string, documents: Documents, shown: Shown, editing: Editing, momentum: Momentum,
    notices: Notices,
  }) {
    this.#ask = ask
    this.#room = room
    this.#documents = documents
    this.#shown = shown
    this.#editing = editing
    this.#momentum = momentum
    this.#notices = notices
  }

  /**
   * @param parts what was removed, each part at its own time; of a shape that is in several, the last counts
   * @returns the shapes that were written
   */
  async bringBack(parts: Lost[][]) {
    const edits = new Map<number, { shape: number, set: Values }>()
    for (const lost of parts) for (const edit of await this.#backTo(lost)) edits.set(edit.shape, edit)
    return this.#write([...edits.values()], [])
  }

  /** The edits that bring shapes back as they were before their removal, but not what anybody else has deleted since. */
  async #backTo(lost: Lost[]) {
    const first = Math.min(...lost.map(({ at }) => at))
    const then = new Map<string, KeptShape>()
    for (const margin of [clocksMilliseconds, 1]) {
      // If every lost shape has been found, no later drawing is requested. A shape that was made shortly before the
      // removal is missing in the earlier drawing, but not in the later one.
      if (lost.every(({ id }) => then.has(identifierText(id)))) break
      for (const shape of await this.#drawingAt(first - margin) ?? []) if (!then.has(shape.id)) then.set(shape.id, shape)
    }
    const isGone = ({ id, by }: Lost) => {
      const eraser = this.#shown.live.written(id, 'deleted')?.actor ?? by
      return !this.#isThere(id) && (by === 0 || eraser === by)
    }
    return lost.filter(isGone).sort((one, other) => one.shape.place - other.shape.place)
      .map(({ id, shape }) => {
        const was = then.get(identifierText(id))
        const set = valuesOf(shape)
        if (was?.z !== undefined) set.z = was.z
        const name = ownName(was?.name)
        if (name !== undefined && shape.named) set.name = name
        return { shape: id, set }
      })
  }

  /**
   * Reverts a person's restoration, except the values that somebody has changed after it.
   *
   * @returns the shapes that were written
   */
  async takeBack(by: number, restored: Restored): Promise<number[]> {
    for (const margin of restoredMargins) {
      const then = await this.#drawingAt(restored.from - margin)
      if (!then || !await this.#documents.load()) {
        this.#notices.say('We can’t reach the server, which knows what was there. Try History in the menu later.', { kind: 'refused', group })
        return []
      }
      const { edits, gone } = this.#takenBy(by, restored, then)
      const written = this.#write(edits, gone)
      if (written.length > 0) return written
    }
    this.#notices.say('There is nothing left to bring back: all of it has been changed since.', { group })
    return []
  }

  /**
   * Returns the edits that undo a person's restoration. Values that somebody has changed after it are left out.
   *
   * @param then - The drawing before the restoration.
   */
  #takenBy(by: number, { from, until }: Restored, then: KeptShape[]) {
    const { live } = this.#shown
    const { shapes }: { shapes: KeptShape[] } = JSON.parse(live.exportDrawing())
    const isTheirs = (shape: number, property: string) => {
      const written = live.written(shape, property)
      return written !== null && written.actor === by && written.milliseconds >= from && written.milliseconds <= until
    }
    const { edits, gone } = restoration(then, shapes)
    const kept = edits.map(({ shape, set }) => {
      if (!this.#isThere(shape)) return { shape, set: isTheirs(shape, 'deleted') ? set : {} }
      return { shape, set: Object.fromEntries(Object.entries(set).filter(([property]) => isTheirs(shape, property))) }
    })
    return { edits: kept.filter(({ set }) => Object.keys(set).length > 0), gone: gone.filter((shape) => isTheirs(shape, 'kind')) }
  }

  #isThere(id: number) { return this.#shown.live.shape(id) !== null }

  /**
   * @param gone shapes to delete
   * @returns all these shapes
   */
  #write(edits: { shape: number, set: Values }[], gone: number[]) {
    const written = [...edits.map(({ shape }) => shape), ...gone]
    if (written.length === 0) return written
    this.#momentum.settleAll()
    const back = edits.filter(({ shape }) => !this.#isThere(shape)).length
    if (writeAll(this.#editing, edits, gone)) this.#editing.sayUndoable(deedWords(back, written.length - back), backGroup)
    return written
  }

  /** @returns null if the server doesn't have the drawing */
  async #drawingAt(at: number): Promise<KeptShape[] | null> {
    try {
      const answer = await this.#ask(`/v1/rooms/${this.#room}?at=${Math.floor(at)}`)
      return answer.ok ? (await answer.json()).shapes : null
    } catch {
      return null
    }
  }
}

/**
 * The words for what was done. Other people's pages show the same number of shapes that are back.
 *
 * @param back how many deleted shapes are back
 * @param changed how many shapes were changed or deleted
 */
function deedWords(back: number, changed: number) {
  if (changed === 0) return `${counted(back, 'shape')} brought back.`
  if (back === 0) return `${counted(changed, 'shape')} changed back.`
  return `${counted(back, 'shape')} brought back, ${counted(changed, 'other')} changed back.`
}
