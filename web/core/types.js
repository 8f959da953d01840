// The types of values that the core and the page exchange. Only the type checker reads this file: nothing imports it at
// run time.

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/** @typedef {Box & {rotation: number}} Frame a box, turned around its middle by degrees */
/** @typedef {{id: number} & Partial<Frame>} Place where a shape is to be; members that are left out stay */
/** @typedef {{[property: string]: unknown}} Values what is written to a shape, by property: docs/PROTOCOL.md */

/** @typedef {import('./table.js').Shape} Shape */

/**
 * @typedef {object} ShapeChange
 * @property {number} id
 * @property {Shape | null} shape as it is now; null if it is gone
 * @property {number} changed a mask, see `changedBit`
 * @property {number} by who changed it last; 0: several, while the page was offline; −1: its own edit was taken back
 * @property {Box | null} departure where a deleted shape went to
 */

/**
 * @typedef {object} Changes
 * @property {boolean} reset all shapes follow: a shape that is not among `shapes` doesn't exist
 * @property {boolean} reordered the drawing order has changed
 * @property {ShapeChange[]} shapes
 * @property {{first: number, second: number, overlaps: boolean}[]} pairs
 */

/** @typedef {{actor: number, name: string, color: string, state?: {[part: string]: unknown}}} Peer */

/**
 * What a replica wants from the network.
 *
 * @typedef {{type: 'connect'} | {type: 'disconnect'} | {type: 'send', bytes: Uint8Array}
 *   | {type: 'wake', at: number}} NetworkEffect
 */

/**
 * The effects of a replica: what it wants the page to do, and what it reports.
 *
 * @typedef {NetworkEffect
 *   | {type: 'keep'}
 *   | {type: 'unsent', count: number}
 *   | {type: 'added', shapes: number[]}
 *   | {type: 'state', state: 'offline' | 'waiting' | 'connecting' | 'greeting' | 'loading' | 'live' | 'closed',
 *      untilMilliseconds?: number, code?: import('./table.js').CloseName}
 *   | {type: 'rejected', shape: number, set: Values, code: import('./table.js').RejectCode, message: string,
 *      origin?: 'undo' | 'redo'}
 *   | {type: 'superseded', values: {shape: number, property: string, by: number, milliseconds: number}[]}
 *   | {type: 'peers', peers: Peer[]} | {type: 'joined', peer: Peer} | {type: 'presence', peer: Peer}
 *   | {type: 'left', actor: number} | {type: 'crowd', people: number} | {type: 'presenceTooLong', bytesMax: number}
 *   | {type: 'pong', roundTripMilliseconds: number}
 *   | {type: 'digest', verdict: 'agrees' | 'disagrees' | 'inconclusive'}
 *   | {type: 'overlaps', began: [number, number][], ended: [number, number][], more: boolean}
 *   | {type: 'error', code: string, message: string} | {type: 'failure', message: string}} Effect
 */

/**
 * @typedef {object} ReplicaOptions
 * @property {string | number} [actor] the actor to go on as
 * @property {string} [name]
 * @property {string} [color] `#RRGGBB`
 * @property {boolean} [overlaps] asks for the server's notices of overlaps; a session knows the overlaps anyway
 * @property {boolean} [readonly]
 * @property {'binary' | 'json'} [encoding] binary, unless told otherwise
 * @property {bigint} [seed] 64 random bits, drawn from `crypto` unless given
 * @property {{wall: () => number, monotonic: () => number}} [clock] milliseconds; `Date` and `performance` unless given
 */

export {}
