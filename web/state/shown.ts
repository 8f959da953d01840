import { Source } from '../basics/source.js'
import type { Replica } from '../core/replica.js'
import type { Changes } from '../core/types.js'
import type { Connection } from '../network/connection.js'
import type { Frames } from './frames.js'

/**
 * The replica that the page shows: the live one, or one of the past.
 *
 * `changes`: the changes in the shown replica, once a frame. `past`: the page has switched to the past or back.
 * `leaving`: the page is about to switch to the past, which is the last moment for saving an unfinished edit.
 */
export class Shown extends Source<{ changes: Changes, past: boolean, leaving: null }> {
  #live
  #frames
  #past: Replica | null = null
  /** Whether the page has switched to another replica since the last frame. */
  #isReplaced = false

  constructor(connection: Connection, frames: Frames) {
    super()
    this.#live = connection.replica
    this.#frames = frames
    connection.on('performed', () => frames.request())
    connection.on('stopped', () => frames.stop())
    frames.on('update', () => this.tell('changes', this.#changes()))
  }

  /** The replica that the page shows. */
  get replica() { return this.#past ?? this.#live }
  /** The replica that is connected to the room, even while the past is shown. */
  get live() { return this.#live }
  get isPast() { return this.#past !== null }

  /** Shows a replica of the past, which can't be edited, or the live replica again. */
  showPast(past: Replica | null) {
    const wasPast = this.isPast
    if (past && !wasPast) this.tell('leaving', null)
    this.#past?.destroy()
    this.#past = past
    this.#isReplaced = true
    if (wasPast !== this.isPast) this.tell('past', this.isPast)
    this.#frames.request()
  }

  #changes() {
    const changes = this.replica.changes()
    if (!this.#isReplaced) return changes
    this.#isReplaced = false
    return everything(this.replica)
  }
}

/** A replica's whole drawing, as changes to an empty drawing. */
function everything(replica: Replica): Changes {
  return {
    reset: true,
    reordered: true,
    shapes: replica.shapes().map((shape) => ({ id: shape.id, shape, changed: -1, by: 0, departure: null })),
    pairs: replica.overlapPairs().map(([first, second]) => ({ first, second, overlaps: true })),
  }
}
