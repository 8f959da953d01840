// The types of values that the core and the page exchange. Only the type checker reads this file: nothing imports it at
// run time.

import type { CloseName, RejectCode, Shape } from './table.js'

export type Point = { x: number, y: number }
export type Box = { x: number, y: number, width: number, height: number }
/** A box that is rotated around its centre, in degrees. */
export type Frame = Box & { rotation: number }
/** The new place of a shape. Members that are left out don't change. */
export type Place = { id: number } & Partial<Frame>
/** The values to write to a shape, by property. docs/PROTOCOL.md lists the properties. */
export type Values = { [property: string]: unknown }

export interface ShapeChange {
  id: number
  /** The shape after the change; null if it was deleted. */
  shape: Shape | null
  /** A bit mask of the changed properties: see `changedBit`. */
  changed: number
  /**
   * The actor of the last change. 0 stands for several actors, after the page was offline. −1 means that the page's own
   * edit was reverted.
   */
  by: number
  /** The box that a deleted shape was moved into; null if it wasn't moved. */
  departure: Box | null
}

export interface Changes {
  /** Whether `shapes` contains all shapes. If so, no other shape exists any more. */
  reset: boolean
  /** Whether the drawing order has changed. */
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
      code?: CloseName }
  | { type: 'rejected', shape: number, set: Values, code: RejectCode, message: string, origin?: 'undo' | 'redo' }
  | { type: 'superseded', values: { shape: number, property: string, by: number, milliseconds: number }[] }
  | { type: 'textLost', shape: number, text: string, by: number }
  | { type: 'peers', peers: Peer[] } | { type: 'joined', peer: Peer } | { type: 'presence', peer: Peer }
  | { type: 'left', actor: number } | { type: 'crowd', people: number } | { type: 'presenceTooLong' }
  | { type: 'pong', roundTripMilliseconds: number }
  | { type: 'tokenTaken' }
  | { type: 'digest', verdict: 'agrees' | 'disagrees' | 'inconclusive' }
  | { type: 'overlaps', began: [number, number][], ended: [number, number][], more: boolean }
  | { type: 'error', code: string, message: string } | { type: 'failure', message: string }

export interface ReplicaOptions {
  /** The actor that this replica continues. */
  actor?: string | number
  name?: string
  /** `#RRGGBB`. */
  color?: string
  /**
   * Whether the server should send notices of overlaps. A replica finds overlaps by itself, so it doesn't need them.
   */
  overlaps?: boolean
  readonly?: boolean
  /** The default is `binary`. */
  encoding?: 'binary' | 'json'
  /** 64 random bits. The default comes from `crypto`. */
  seed?: bigint
  /** Both in milliseconds. The defaults are `Date` and `performance`. */
  clock?: { wall: () => number, monotonic: () => number }
}
