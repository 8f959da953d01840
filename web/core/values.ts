// Translates values between JavaScript's form and the form of core.wasm. These values are shapes and changes (as rows
// of numbers), effects, edits and hello messages. Sources/CanvasWasm describes the layouts.
//
// The core's identifiers of shapes and actors are numbers. As text, an identifier has nine digits in base 36.
// `identifierText` and `identifierNumber` convert between the two.

import { colorNumber, colorText } from './colors.js'
import {
  effectKind, helloFlag, kinds, type PathPoint, properties, type PropertyRow, readShape, type Shape, shapeFlag,
  shapeRow, type Tie,
} from './table.js'
import type { Effect, ReplicaOptions, ShapeChange, Values } from './types.js'

/** The row of the table of properties. */
export const rowOf = (property: string) => properties.find(({ name }) => name === property)

/** @returns `afy-kw5-t7o` */
export function identifierText(identifier: number): string {
  const digits = identifier.toString(36).padStart(9, '0')
  return `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`
}

/** @returns NaN if the text is not an identifier */
export function identifierNumber(text: string): number {
  return /^[0-9a-z]{3}(-[0-9a-z]{3}){2}$/.test(text) ? parseInt(text.replaceAll('-', ''), 36) : NaN
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** A hello message in the binary encoding (docs/PROTOCOL.md). */
export function helloBytes({ actor, name, color, overlaps, readonly }: ReplicaOptions): Uint8Array {
  const flags = (name === undefined ? 0 : helloFlag.name) | (color === undefined ? 0 : helloFlag.color)
    | (actor === undefined ? 0 : helloFlag.actor) | (overlaps ? helloFlag.overlaps : 0)
    | (readonly ? helloFlag.readonly : 0)
  const bytes = [1, flags]
  if (name !== undefined) {
    const text = encoder.encode(name)
    // The length is a varint of at most two bytes, because longer names are refused.
    if (text.length > 128) throw new Error('name must be text of 1 to 128 bytes without control characters or invisible ones')
    bytes.push(...(text.length < 128 ? [text.length] : [128, 1]), ...text)
  }
  if (color !== undefined) {
    const packed = colorNumber(color)
    if (Number.isNaN(packed)) throw new Error('color must be a colour as #RRGGBB')
    bytes.push(packed >> 16, packed >> 8 & 255, packed & 255)
  }
  if (actor !== undefined) {
    const number = typeof actor === 'number' ? actor : identifierNumber(actor)
    if (Number.isNaN(number)) throw new Error('actor must be an identifier such as k3j-9x2-m1p')
    for (let place = 5; place >= 0; place--) bytes.push(Math.floor(number / 256 ** place) % 256)
  }
  return Uint8Array.from(bytes)
}

// The values that are written to a shape, as rows of numbers. Sources/CanvasWasm/Boundary/ValueRows.swift describes a
// row's layout.

/**
 * How a value is passed to the core: as `length` numbers. A value of the wrong type becomes NaN, which the core
 * refuses.
 */
type Crossing = { length: number, write: (value: unknown) => number[], read: (...numbers: number[]) => unknown }

const pair: Crossing = {
  length: 2,
  write: (value) => (Array.isArray(value) && value.length === 2 ? value.map(numberOrNaN) : [NaN, NaN]),
  read: (first, second) => [first, second],
}
const plain: Crossing = { length: 1, write: (value) => [numberOrNaN(value)], read: (number) => number }
const color: Crossing = { length: 1, write: (value) => [colorNumber(value)], read: colorText }
const flagValue: Crossing = {
  length: 1, write: (value) => [typeof value === 'boolean' ? Number(value) : NaN], read: (number) => number === 1,
}
/** For the core, −1 stands for no identifier. In documents an identifier is a text, which is empty if there is none. */
const identifier: Crossing = {
  length: 1,
  write: (value) => {
    if (value === null || value === '') return [-1]
    return [typeof value === 'string' ? identifierNumber(value) : numberOrNaN(value)]
  },
  read: (number) => (number < 0 ? null : number),
}
/** For the core, −1 stands for no tie. In documents a tie is a list, which is empty if there is none. */
const tie: Crossing = {
  length: 3,
  write: (value) => {
    if (value === null || (Array.isArray(value) && value.length === 0)) return [-1, 0, 0]
    if (Array.isArray(value)) return value.length === 3 ? [...identifier.write(value[0]), ...value.slice(1).map(numberOrNaN)] : [NaN, NaN, NaN]
    const { shape, x, y } = Object(value) as Partial<Tie>
    return [shape, x, y].map(numberOrNaN)
  },
  read: (shape, x, y) => (shape < 0 ? null : { shape, x, y }),
}
const kindValue: Crossing = {
  length: 1, write: (value) => [kinds.findIndex((kind) => kind === value)], read: (number) => kinds[number],
}
/**
 * How each form of value is passed to the core as numbers. Texts and paths have no fixed length, so they are passed in
 * another way.
 */
const crossings: Record<PropertyRow['form'], Crossing | null> = {
  pair, number: plain, integer: plain, color, flag: flagValue, erasure: flagValue, kind: kindValue, name: null, orderKey: null,
  text: null, choice: null, identifier, path: null, tie,
}

/** A choice is passed as the index of its word. */
function crossingOf({ form, words }: PropertyRow): Crossing | null {
  if (!words) return crossings[form]
  return { length: 1, write: (value) => [words.findIndex((word) => word === value)], read: (number) => words[number] }
}
const crossingsByBit = properties.map(crossingOf)

function numberOrNaN(value: unknown) {
  return typeof value === 'number' ? value : NaN
}

/**
 * A path as numbers: the number of points, and then three numbers for each point. A point without a width gets
 * `evenWidth`.
 */
function pathNumbers(value: unknown): number[] {
  if (!Array.isArray(value)) return [-1]
  const points = value.map((point) => (Array.isArray(point) && (point.length === 2 || point.length === 3) ? point : [NaN, NaN]))
  return [value.length, ...points.flatMap(([x, y, width = evenWidth]) => [numberOrNaN(x), numberOrNaN(y), numberOrNaN(width)])]
}

/** The default width at a point of ink, in hundredths of the stroke's width. */
const evenWidth = 100

export function valueRows(edits: { shape: number, set: Values }[]): Uint8Array {
  const numbers: number[] = []
  const texts: { at: number, text: Uint8Array }[] = []
  for (const { shape, set } of edits) {
    const bits = Object.keys(set).filter((name) => set[name] !== undefined)
      .map((name) => properties.findIndex((row) => row.name === name))
    if (bits.includes(-1)) throw new Error('there is no such property')
    numbers.push(shape, bits.reduce((mask, bit) => mask | 1 << bit, 0))
    for (const bit of bits.sort((one, other) => one - other)) {
      const value = set[properties[bit].name]
      const crossing = crossingsByBit[bit]
      if (crossing) {
        numbers.push(...crossing.write(value))
      } else if (properties[bit].form === 'path') {
        numbers.push(...pathNumbers(value))
      } else if (typeof value === 'string') {
        const text = encoder.encode(value)
        numbers.push(text.length)
        texts.push({ at: numbers.length * 8, text })
        for (let count = 0; count < text.length; count += 8) numbers.push(0)
      } else {
        numbers.push(-1)
      }
    }
  }
  const bytes = new Uint8Array(Float64Array.from(numbers).buffer)
  for (const { at, text } of texts) bytes.set(text, at)
  return bytes
}

function readValues(view: DataView, at: number): { shape: number, set: Values } {
  const next = () => {
    at += 8
    return view.getFloat64(at - 8, true)
  }
  const shape = next()
  const mask = next()
  const set: Values = {}
  for (const [bit, { name, form }] of properties.entries()) {
    if ((mask & 1 << bit) === 0) continue
    const crossing = crossingsByBit[bit]
    if (crossing) {
      set[name] = crossing.read(...Array.from({ length: crossing.length }, next))
    } else if (form === 'path') {
      set[name] = Array.from({ length: next() }, () => [next(), next(), next()])
    } else {
      const count = next()
      set[name] = decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at, count))
      at += (count + 7) & ~7
    }
  }
  return { shape, set }
}

export function readChange(numbers: Float64Array, at: number): ShapeChange {
  const flags = numbers[at + shapeRow.flags]
  const [position, size] = [at + shapeRow.position, at + shapeRow.size]
  const departure = (flags & shapeFlag.departing) !== 0
    ? { x: numbers[position], y: numbers[position + 1], width: numbers[size], height: numbers[size + 1] } : null
  return {
    id: numbers[at],
    shape: (flags & shapeFlag.live) !== 0 ? readShape(numbers, at) : null,
    changed: numbers[at + shapeRow.changed],
    by: numbers[at + shapeRow.by],
    departure,
  }
}

export function readShapes(numbers: Float64Array): Shape[] {
  const shapes = []
  for (let at = 0; at < numbers.length; at += shapeRow.length) shapes.push(readShape(numbers, at))
  return shapes
}

export function readPath(numbers: Float64Array): PathPoint[] {
  const path: PathPoint[] = []
  for (let at = 0; at < numbers.length; at += 3) path.push([numbers[at], numbers[at + 1], numbers[at + 2]])
  return path
}

export function readPoints(numbers: Float64Array): { x: number, y: number }[] {
  const points = []
  for (let at = 0; at < numbers.length; at += 2) points.push({ x: numbers[at], y: numbers[at + 1] })
  return points
}

export function readEffects(bytes: Uint8Array): Effect[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const effects: Effect[] = []
  let row: { shape: number, set: Values } | null = null
  for (let at = 0; at < bytes.length;) {
    const kind = view.getUint32(at, true)
    const count = view.getUint32(at + 4, true)
    at += 8
    switch (kind) {
      case effectKind.json:
        effects.push({ ...JSON.parse(decoder.decode(bytes.subarray(at, at + count))), ...row })
        row = null
        break
      case effectKind.connect: effects.push({ type: 'connect' }); break
      // The bytes are copied, because a socket can send them after the core has reused the memory.
      case effectKind.send: effects.push({ type: 'send', bytes: bytes.slice(at, at + count) }); break
      case effectKind.disconnect: effects.push({ type: 'disconnect' }); break
      case effectKind.wake: effects.push({ type: 'wake', at: view.getFloat64(at, true) }); break
      case effectKind.unsent: effects.push({ type: 'unsent', count: view.getFloat64(at, true) }); break
      case effectKind.values: row = readValues(view, at); break
    }
    at += (count + 7) & ~7
  }
  return effects
}

/**
 * @param bits 64 of them
 * @returns sixteen hexadecimal digits
 */
export function digestText(bits: number | bigint): string {
  return BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0')
}
