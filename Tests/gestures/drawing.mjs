// A drawing in the real core, for tests of what the page makes of one.

import { readFileSync } from 'node:fs'
import { Source } from '../../build/modules/basics/source.js'
import { loadCore } from '../../build/modules/core/core.js'

const bytesOf = (name) => readFileSync(new URL(`../../build/page/${name}.wasm`, import.meta.url))
export const core = await loadCore(bytesOf('core'), { seed: 1n })
await core.loadExchange(bytesOf('exchange'))

/** What the page shows, as `Shown`. */
export class Drawing extends Source {
  isPast = false

  /** @param options of the replica */
  constructor(options = {}) {
    super()
    this.replica = core.createReplica({ name: 'Ann', color: '#B42318', ...options })
  }

  get live() { return this.replica }

  /** @returns the new shape's identifier */
  add(set = {}) { return this.replica.add({ kind: 'rectangle', position: [0, 0], size: [100, 100], ...set }).shape }
  write(shape, set) { return this.replica.edit([{ shape, set }]) }

  /** Tells what has changed since the last frame. */
  frame() {
    const changes = this.replica.changes()
    this.tell('changes', changes)
    return changes
  }
}

/** `Editing` without a connection: edits are only made. */
export const editingOf = ({ replica }) => ({
  edit: (change) => change(replica), write: (change) => !change(replica).some(({ type }) => type === 'rejected'), group: (edits) => edits(),
})
