// The types of values that the core and the page exchange. Only the type checker reads this file: nothing imports it at
// run time.

import type { CloseName, RejectCode, Shape } from './table.js'

export type Point = { x: number, y: number }
export type Box = { x: number, y: number, width: number, height: number }
/** A box, turned around its middle by degrees. */
export type Frame = Box & { rotation: number }
/** Where a shape is to be; members that are left out stay. */
export type Place = { id: number } & Partial<Frame>
/** What is written to a shape, by property: docs/PROTOCOL.md. */
export type Values = { [property: string]: unknown }

export interface ShapeChange {
  id: number
  /** As it is now; null if it is gone. */
  shape: Shape | null
  /** A mask, see `changedBit`. */
  changed: number
  /** Who changed it last; 0: several, while the page was offline; −1: its own edit was taken back. */
  by: number
  /** Where a deleted shape went to. */
  departure: Box | null
}

export interface Changes {
  /** All shapes follow: a shape that is not among `shapes` doesn't exist. */
  reset: boolean
  /** The drawing order has changed. */
  reordered: boolean
  shapes: ShapeChange[]
  pairs: { first: number, second: number, overlaps: boolean }[]
}

export type Peer = { actor: number, name: string, color: string, state?: { [part: string]: unknown } }

/** What a replica wants from the network. */
export type NetworkEffect =
  | { type: 'connect' } | { type: 'disconnect' } | { type: 'send', bytes: Uint8Array } | { type: 'wake', at: number }

/** The effects of a replica: what it wants the page to do, and what it reports. */
export type Effect =
  | NetworkEffect | { type: 'keep' } | { type: 'unsent', count: number } | { type: 'added', shapes: number[] }
  | { type: 'state', state: 'offline' | 'waiting' | 'connecting' | 'greeting' | 'loading' | 'live' | 'closed',
      untilMilliseconds?: number, code?: CloseName }
  | { type: 'rejected', shape: number, set: Values, code: RejectCode, message: string, origin?: 'undo' | 'redo' }
  | { type: 'superseded', values: { shape: number, property: string, by: number, milliseconds: number }[] }
  | { type: 'peers', peers: Peer[] } | { type: 'joined', peer: Peer } | { type: 'presence', peer: Peer }
  | { type: 'left', actor: number } | { type: 'crowd', people: number } | { type: 'presenceTooLong', bytesMax: number }
  | { type: 'pong', roundTripMilliseconds: number }
  | { type: 'digest', verdict: 'agrees' | 'disagrees' | 'inconclusive' }
  | { type: 'overlaps', began: [number, number][], ended: [number, number][], more: boolean }
  | { type: 'error', code: string, message: string } | { type: 'failure', message: string }

export interface ReplicaOptions {
  /** The actor to go on as. */
  actor?: string | number
  name?: string
  /** `#RRGGBB`. */
  color?: string
  /** Asks for the server's notices of overlaps; a session knows the overlaps anyway. */
  overlaps?: boolean
  readonly?: boolean
  /** Binary, unless told otherwise. */
  encoding?: 'binary' | 'json'
  /** 64 random bits, drawn from `crypto` unless given. */
  seed?: bigint
  /** Milliseconds; `Date` and `performance` unless given. */
  clock?: { wall: () => number, monotonic: () => number }
}
