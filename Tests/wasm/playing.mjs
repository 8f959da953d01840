// Lets what has happened to a native replica happen to one of core.wasm.

import { identifierNumber } from '../../web/core/values.js'

/** What the wall clock shows when the monotonic clock begins. */
export const epoch = 1_763_650_000_000

/** Lets a recorded event happen. */
export function play(replica, { event, frame, edits, shapes, code }, isText) {
  switch (event) {
    case 'received': return replica.received(isText ? frame : Buffer.from(frame, 'base64'))
    case 'disconnected': return replica.disconnected(code)
    case 'edit':
      return replica.edit(JSON.parse(edits).ops.map(({ shape, set }) => ({ shape: identifierNumber(shape), set })))
    case 'delete': return replica.delete(shapes.map(identifierNumber))
    case 'beginGroup': return replica.beginGroup() ?? []
    case 'endGroup': return replica.endGroup() ?? []
    default: return replica[event]()
  }
}
