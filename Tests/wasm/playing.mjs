// Replays the recorded events of a native replica with a replica of core.wasm.

import { identifierNumber } from '../../build/modules/core/values.js'

/** The wall clock's time when the monotonic clock shows 0. */
export const epoch = 1_763_650_000_000

/** Replays a recorded event. */
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
