// core.wasm for JavaScript: the same merge, geometry and undo that the server runs. Nothing here merges, and nothing
// here draws; a page tells a session what happened and does what it is asked for in return.
//
//     const core = await loadCore(fetch('core.wasm'))
//     const session = core.createSession({ name: 'Ann', color: '#E4572E' })
//     run(session.start())                       // [{ type: 'connect' }, …]
//     run(session.received(bytes))               // [{ type: 'send', bytes }, …]
//     const { shapes, pairs } = session.changes()  // once for every frame that is drawn
//
// What a page needs seldom is in a second module: documents read and made, free places, JSON on the wire.
//
//     await core.loadExchange(fetch('exchange.wasm'))   // once the drawing is there
//     const text = session.exportDrawing()
//
// Shapes and actors are numbers: an identifier's nine digits in base 36. `identifierText` and `identifierNumber` change
// one into the other.

/** The order of `ShapeKind`. */
export const kinds = ['rectangle', 'roundedRectangle', 'ellipse', 'polygon', 'star']

/** The order of `Property`, and so of the bits of a mask; the last is the name as it is shown. */
export const properties = [
  'position', 'size', 'rotation', 'fill', 'alpha', 'visible', 'deleted', 'kind', 'name', 'z', 'stroke', 'strokeWidth',
  'cornerRadius', 'points', 'innerRatio', 'shownName',
]

/** `changed & changedBit.position`: whether a shape was moved. */
export const changedBit = Object.freeze(Object.fromEntries(properties.map((name, bit) => [name, 1 << bit])))

const rowLength = 17
const flag = { live: 1, visible: 2, named: 4, departing: 8 }
const orders = ['front', 'back', 'forward', 'backward']

/** @param {number} identifier @returns {string} `afy-kw5-t7o` */
export function identifierText(identifier) {
  const digits = identifier.toString(36).padStart(9, '0')
  return `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`
}

/** @param {string} text @returns {number} NaN where it is no identifier */
export function identifierNumber(text) {
  return /^[0-9a-z]{3}(-[0-9a-z]{3}){2}$/.test(text) ? parseInt(text.replaceAll('-', ''), 36) : NaN
}

/** @param {number} packed 0xRRGGBB @returns {string} `#E4572E` */
export function colorText(packed) {
  return '#' + packed.toString(16).padStart(6, '0').toUpperCase()
}

/** @param {string} text `#E4572E` @returns {number} NaN where it is no colour */
function colorNumber(text) {
  return /^#[0-9A-Fa-f]{6}$/.test(text) ? parseInt(text.slice(1), 16) : NaN
}

/**
 * @typedef {object} Shape A live shape, all but its name.
 * @property {number} id
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 * @property {number} rotation degrees, clockwise around the centre
 * @property {number} strokeWidth
 * @property {number} cornerRadius
 * @property {number} innerRatio
 * @property {string} kind one of `kinds`
 * @property {string} fill `#RRGGBB`
 * @property {string} stroke
 * @property {number} alpha 1…10
 * @property {number} points
 * @property {boolean} visible
 * @property {boolean} named it has a name of its own
 * @property {number} place how many are drawn before it
 */

/**
 * @typedef {object} ShapeChange
 * @property {number} id
 * @property {Shape | null} shape as it is now; null where it is gone
 * @property {number} changed a mask, see `changedBit`
 * @property {number} by the actor who changed it last; 0 several while one was away, −1 one's own edit taken back
 * @property {{x: number, y: number, width: number, height: number} | null} departure where one that is gone went to
 */

/**
 * @typedef {object} Changes
 * @property {boolean} reset everything is told anew: what is not among `shapes` is not there
 * @property {boolean} reordered the drawing order has changed
 * @property {ShapeChange[]} shapes
 * @property {{first: number, second: number, overlaps: boolean}[]} pairs
 */

/** @typedef {{actor: number, name: string, color: string, state?: object}} Peer */

/**
 * What a page is asked to do (the first four), or told.
 *
 * @typedef {{type: 'connect'} | {type: 'disconnect'} | {type: 'send', bytes: Uint8Array}
 *   | {type: 'wake', at: number}
 *   | {type: 'unsent', count: number}
 *   | {type: 'added', shapes: number[]}
 *   | {type: 'state', state: 'offline' | 'waiting' | 'connecting' | 'greeting' | 'loading' | 'live' | 'closed',
 *      untilMilliseconds?: number, code?: number}
 *   | {type: 'rejected', shape: number, set: object, code: string, message: string}
 *   | {type: 'superseded', values: {shape: number, property: string, by: number, milliseconds: number}[]}
 *   | {type: 'peers', peers: Peer[]} | {type: 'joined', peer: Peer} | {type: 'presence', peer: Peer}
 *   | {type: 'left', actor: number} | {type: 'presenceTooLong', bytesMax: number}
 *   | {type: 'pong', roundTripMilliseconds: number}
 *   | {type: 'digest', verdict: 'agrees' | 'disagrees' | 'inconclusive'}
 *   | {type: 'overlaps', began: [number, number][], ended: [number, number][], more: boolean}
 *   | {type: 'error', code: string, message: string} | {type: 'failure', message: string}} Effect
 */

/**
 * @typedef {object} SessionOptions
 * @property {string | number} [actor] one's earlier self
 * @property {string} [name]
 * @property {string} [color] `#RRGGBB`
 * @property {boolean} [overlaps] to be sent the server's notices; a session knows the overlaps anyway
 * @property {boolean} [readonly]
 * @property {'binary' | 'json'} [encoding] binary, unless told otherwise
 * @property {bigint} [seed] 64 random bits, drawn from `crypto` unless given
 * @property {{wall: () => number, monotonic: () => number}} [clock] milliseconds; `Date` and `performance` unless given
 */

const decoder = new TextDecoder()
const encoder = new TextEncoder()

const hostClock = { wall: () => Date.now(), monotonic: () => performance.now() }

function randomBits() {
  return crypto.getRandomValues(new BigUint64Array(1))[0]
}

/**
 * Loads core.wasm: a response (or the promise of one), or its bytes.
 *
 * @param {Response | Promise<Response> | BufferSource} source
 * @param {{seed?: bigint}} [options]
 * @returns {Promise<Core>}
 */
export async function loadCore(source, { seed = randomBits() } = {}) {
  return new Core(await instantiate(source), seed)
}

async function instantiate(source) {
  const bytes = await source
  // A server that calls it something else than application/wasm is no reason to fail.
  const { instance } = await WebAssembly.instantiate(bytes instanceof Uint8Array || bytes instanceof ArrayBuffer
    ? bytes : await bytes.arrayBuffer(), {})
  return instance.exports
}

/**
 * Calls into one of the modules. An exception out of WebAssembly is a mistake in it, and ends the instance's use.
 *
 * Views of the memory are made at each call: growing leaves the old ones empty.
 */
class Module {
  constructor(exports, seed) {
    this.exports = exports
    exports.seed(seed)
  }

  /** @param {Uint8Array} bytes @returns {number} how many */
  write(bytes) {
    const start = this.exports.input(bytes.length)
    new Uint8Array(this.exports.memory.buffer, start, bytes.length).set(bytes)
    return bytes.length
  }

  /** @param {string} text @returns {number} how many bytes */
  writeText(text) {
    // A unit of UTF-16 becomes three bytes at most.
    const start = this.exports.input(text.length * 3)
    const room = new Uint8Array(this.exports.memory.buffer, start, text.length * 3)
    return encoder.encodeInto(text, room).written
  }

  /** @param {ArrayLike<number>} numbers @returns {number} how many */
  writeNumbers(numbers) {
    const start = this.exports.input(numbers.length * 8)
    new Float64Array(this.exports.memory.buffer, start, numbers.length).set(numbers)
    return numbers.length
  }

  /** What was answered, until the next call. @param {number} length @returns {Uint8Array} */
  bytes(length) {
    if (length < 0) throw new Error(decoder.decode(this.bytes(-1 - length)))
    return new Uint8Array(this.exports.memory.buffer, this.exports.output(), length)
  }

  /** The same as numbers. @param {number} length in bytes @returns {Float64Array} */
  numbers(length) {
    if (length < 0) this.bytes(length)
    return new Float64Array(this.exports.memory.buffer, this.exports.output(), length / 8)
  }

  /** @param {number} length @returns {string} */
  text(length) {
    return decoder.decode(this.bytes(length))
  }
}

/** The second module, and what it was handed over last. */
class Exchange extends Module {
  /** The digest of the drawing that it has. */
  #taken = ''

  /** Hands over what a session shows, unless that is what it has. */
  take(core, handle, digest) {
    if (digest === this.#taken) return
    this.bytes(this.exports.take(this.write(core.bytes(core.exports.state(handle)))))
    this.#taken = digest
  }
}

/** core.wasm, and, once it is loaded, exchange.wasm. */
export class Core extends Module {
  #exchange = null
  #seed

  constructor(exports, seed) {
    super(exports, seed)
    this.#seed = seed
  }

  /**
   * Loads exchange.wasm, which has to be there for documents, free places and sessions that speak JSON.
   *
   * @param {Response | Promise<Response> | BufferSource} source
   * @returns {Promise<void>}
   */
  async loadExchange(source) {
    this.#exchange = new Exchange(await instantiate(source), this.#seed)
  }

  get hasExchange() { return this.#exchange !== null }

  /** @returns {Exchange} */
  get exchange() {
    if (!this.#exchange) throw new Error('exchange.wasm is not loaded yet')
    return this.#exchange
  }

  /** @param {SessionOptions} [options] @returns {Session} */
  createSession(options = {}) {
    const count = this.write(helloBytes(options))
    const length = this.exports.createSession(count, encodingNumber(options), options.seed ?? randomBits())
    return new Session(this, this.numbers(length)[0], options)
  }

  /**
   * A session that goes on from what `Session.save` returned.
   *
   * @param {Uint8Array | null} saved whose edits these are; null makes somebody new, who begins with the drawing
   * @param {SessionOptions} [options]
   * @param {Uint8Array | null} [drawing] what any session of the room has saved, to be begun with instead of the own one
   * @returns {Session}
   */
  restoreSession(saved, options = {}, drawing = null) {
    const parts = [helloBytes(options), saved ?? new Uint8Array(), drawing ?? new Uint8Array()]
    const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
    parts.reduce((at, part) => {
      all.set(part, at)
      return at + part.length
    }, 0)
    this.write(all)
    const length = this.exports.restoreSession(
      ...parts.map((part) => part.length), encodingNumber(options), options.seed ?? randomBits())
    return new Session(this, this.numbers(length)[0], options)
  }

  /** A canvas without a replica around it: merges frames of a server, and has a digest. */
  createCanvas() {
    return new BareCanvas(this, this.exports.createCanvas())
  }

  /** @param {number} length @returns {Effect[]} */
  effects(length) {
    if (length === 0) return []
    const bytes = this.bytes(length)
    const view = new DataView(bytes.buffer, bytes.byteOffset, length)
    const effects = []
    let row = null
    for (let at = 0; at < length;) {
      const kind = view.getUint32(at, true)
      const count = view.getUint32(at + 4, true)
      at += 8
      switch (kind) {
        case 0:
          effects.push({ ...JSON.parse(decoder.decode(bytes.subarray(at, at + count))), ...row })
          row = null
          break
        case 1: effects.push({ type: 'connect' }); break
        // A copy, because a socket may send it later.
        case 2: effects.push({ type: 'send', bytes: bytes.slice(at, at + count) }); break
        case 3: effects.push({ type: 'disconnect' }); break
        case 4: effects.push({ type: 'wake', at: view.getFloat64(at, true) }); break
        case 5: effects.push({ type: 'unsent', count: view.getFloat64(at, true) }); break
        case 6: row = readValues(view, at); break
      }
      at += (count + 7) & ~7
    }
    return effects
  }
}

/** A hello in the binary encoding: docs/PROTOCOL.md. @returns {Uint8Array} */
function helloBytes({ actor, name, color, overlaps, readonly }) {
  const flags = (name === undefined ? 0 : 1) | (color === undefined ? 0 : 2) | (actor === undefined ? 0 : 4)
    | (overlaps ? 16 : 0) | (readonly ? 32 : 0)
  const bytes = [1, flags]
  if (name !== undefined) {
    const text = encoder.encode(name)
    // A varint. Longer names are refused.
    if (text.length > 128) throw new Error('name must be text of 1 to 128 bytes without control characters')
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

function encodingNumber({ encoding = 'binary' }) {
  return encoding === 'json' ? 0 : 1
}

// Rows of values: what is written to a shape. Sources/CanvasWasm/Boundary/ValueRows.swift says how they lie.

const pair = {
  length: 2,
  write: (value) => (Array.isArray(value) && value.length === 2 ? value.map(numberOrNaN) : [NaN, NaN]),
  read: (first, second) => [first, second],
}
const plain = { length: 1, write: (value) => [numberOrNaN(value)], read: (number) => number }
const color = { length: 1, write: (value) => [colorNumber(value)], read: colorText }
const flagValue = {
  length: 1, write: (value) => [typeof value === 'boolean' ? Number(value) : NaN], read: (number) => number === 1,
}
const kindValue = { length: 1, write: (value) => [kinds.indexOf(value)], read: (number) => kinds[number] }
/** By property; those that are not here are text. */
const valueForms = {
  position: pair, size: pair, rotation: plain, fill: color, alpha: plain, visible: flagValue, deleted: flagValue,
  kind: kindValue, stroke: color, strokeWidth: plain, cornerRadius: plain, points: plain, innerRatio: plain,
}

function numberOrNaN(value) {
  return typeof value === 'number' ? value : NaN
}

/** @param {{shape: number, set: object}[]} edits @returns {Uint8Array} */
function valueRows(edits) {
  const numbers = []
  const texts = []
  for (const { shape, set } of edits) {
    const bits = Object.keys(set).filter((name) => set[name] !== undefined).map((name) => properties.indexOf(name))
    if (bits.some((bit) => bit < 0 || bit > properties.indexOf('innerRatio'))) {
      throw new Error('there is no such property')
    }
    numbers.push(shape, bits.reduce((mask, bit) => mask | 1 << bit, 0))
    for (const bit of bits.sort((one, other) => one - other)) {
      const value = set[properties[bit]]
      const form = valueForms[properties[bit]]
      if (form) {
        numbers.push(...form.write(value))
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

/** @param {DataView} view @param {number} at @returns {{shape: number, set: object}} */
function readValues(view, at) {
  const next = () => {
    at += 8
    return view.getFloat64(at - 8, true)
  }
  const shape = next()
  const mask = next()
  const set = {}
  for (const name of properties) {
    if ((mask & changedBit[name]) === 0) continue
    const form = valueForms[name]
    if (form) {
      set[name] = form.read(...Array.from({ length: form.length }, next))
    } else {
      const count = next()
      set[name] = decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at, count))
      at += (count + 7) & ~7
    }
  }
  return { shape, set }
}

/** @param {Float64Array} numbers @param {number} at @returns {Shape} */
function readShape(numbers, at) {
  const flags = numbers[at + 14]
  return {
    id: numbers[at],
    x: numbers[at + 1],
    y: numbers[at + 2],
    width: numbers[at + 3],
    height: numbers[at + 4],
    rotation: numbers[at + 5],
    strokeWidth: numbers[at + 6],
    cornerRadius: numbers[at + 7],
    innerRatio: numbers[at + 8],
    kind: kinds[numbers[at + 9]],
    fill: colorText(numbers[at + 10]),
    stroke: colorText(numbers[at + 11]),
    alpha: numbers[at + 12],
    points: numbers[at + 13],
    visible: (flags & flag.visible) !== 0,
    named: (flags & flag.named) !== 0,
    place: numbers[at + 15],
  }
}

/** @param {Float64Array} numbers @param {number} at @returns {ShapeChange} */
function readChange(numbers, at) {
  const flags = numbers[at + 14]
  const isLive = (flags & flag.live) !== 0
  const departure = (flags & flag.departing) !== 0
    ? { x: numbers[at + 1], y: numbers[at + 2], width: numbers[at + 3], height: numbers[at + 4] } : null
  return {
    id: numbers[at],
    shape: isLive ? readShape(numbers, at) : null,
    changed: flags >>> 8,
    by: numbers[at + 16],
    departure,
  }
}

/** @param {Float64Array} numbers @returns {Shape[]} */
function readShapes(numbers) {
  const shapes = []
  for (let at = 0; at < numbers.length; at += rowLength) shapes.push(readShape(numbers, at))
  return shapes
}

/** @param {Float64Array} numbers @returns {{x: number, y: number}[]} */
function readPoints(numbers) {
  const points = []
  for (let at = 0; at < numbers.length; at += 2) points.push({ x: numbers[at], y: numbers[at + 1] })
  return points
}

/** One room as one person has it. What an event or an edit returns is to be done, in order. */
export class Session {
  #core
  #exports
  #handle
  #clock
  #isJSON

  constructor(core, handle, options) {
    this.#core = core
    this.#exports = core.exports
    this.#handle = handle
    this.#clock = options.clock ?? hostClock
    this.#isJSON = encodingNumber(options) === 0
  }

  #now() { return [this.#clock.wall(), this.#clock.monotonic()] }
  #perform(name, ...values) {
    const effects = this.#core.effects(this.#exports[name](this.#handle, ...values, ...this.#now()))
    return this.#isJSON ? effects.map((effect) => this.#translated(effect)) : effects
  }
  /** A session is a binary one to core.wasm; what it sends in JSON is translated. */
  #translated(effect) {
    if (effect.type !== 'send') return effect
    const { exchange } = this.#core
    return { type: 'send', bytes: exchange.bytes(exchange.exports.toServer(exchange.write(effect.bytes))).slice() }
  }
  /** The second module, with what this session shows. */
  #exchange() {
    const { exchange } = this.#core
    exchange.take(this.#core, this.#handle, this.digest)
    return exchange
  }
  #numbers(name, ...values) { return this.#core.numbers(this.#exports[name](this.#handle, ...values)) }
  #text(name, ...values) { return this.#core.text(this.#exports[name](this.#handle, ...values)) }

  /** The session is used no more. */
  destroy() { this.#exports.destroySession(this.#handle) }

  /** For `Core.restoreSession`. @param {boolean} withDrawing also what is confirmed, not only what is unsent */
  save(withDrawing = true) {
    return this.#core.bytes(this.#exports.save(this.#handle, withDrawing ? 1 : 0)).slice()
  }

  // The connection. All return effects.

  /** Come into the room, now. @returns {Effect[]} */
  start() { return this.#perform('start') }
  /** Leave until `start`. @returns {Effect[]} */
  stop() { return this.#perform('stop') }
  /**
   * Who one is from now on, to the others.
   * @param {{name?: string, color?: string}} who @returns {Effect[]}
   */
  introduce({ name, color }) { return this.#perform('introduce', this.#core.write(helloBytes({ name, color }))) }
  /** The connection that was asked for stands. @returns {Effect[]} */
  connected() { return this.#perform('connected') }
  /** @param {number} [closeCode] @returns {Effect[]} */
  disconnected(closeCode = 0) { return this.#perform('disconnected', closeCode) }
  /** A frame came. @param {Uint8Array | ArrayBuffer | string} frame @returns {Effect[]} */
  received(frame) {
    if (typeof frame === 'string') return this.#perform('received', this.#core.write(this.#fromText(frame)), 1)
    return this.#perform('received', this.#core.write(frame instanceof Uint8Array ? frame : new Uint8Array(frame)), 0)
  }
  /** What a session that does not speak JSON gets as text is refused whatever it is. */
  #fromText(frame) {
    if (!this.#isJSON) return new Uint8Array()
    const { exchange } = this.#core
    return exchange.bytes(exchange.exports.fromServer(exchange.writeText(frame)))
  }
  /** The time of a `wake` has come. @returns {Effect[]} */
  wake() { return this.#perform('wake') }
  /** @returns {Effect[]} */
  ping() { return this.#perform('ping') }
  /** Asks whether the server holds the same. @returns {Effect[]} */
  askDigest() { return this.#perform('askDigest') }
  /** What others are to see of one. @param {object} state @returns {Effect[]} */
  setPresence(state) { return this.#perform('setPresence', this.#core.writeText(JSON.stringify(state))) }

  // Edits. All return effects, and throw where what is asked for cannot be.

  /**
   * Writes to shapes, as one step to undo. A new shape that is not told its `z` comes on top.
   * @param {{shape: number, set: object}[]} edits `set` as in the wire contract @returns {Effect[]}
   */
  edit(edits) {
    return this.#perform('edit', this.#core.write(valueRows(edits)))
  }
  /** Adds a shape. @param {object} set @returns {{shape: number, effects: Effect[]}} */
  add(set) {
    const shape = this.#exports.newIdentifier(this.#handle)
    return { shape, effects: this.edit([{ shape, set: { kind: 'rectangle', ...set } }]) }
  }
  /**
   * Where shapes are, fit for every frame of a gesture: what is left out stays.
   * @param {{id: number, x?: number, y?: number, width?: number, height?: number, rotation?: number}[]} places
   * @returns {Effect[]}
   */
  place(places) {
    const rows = new Float64Array(places.length * 7)
    places.forEach(({ id, x, y, width, height, rotation }, index) => {
      const which = (x === undefined ? 0 : 1) | (width === undefined ? 0 : 2) | (rotation === undefined ? 0 : 4)
      rows.set([id, x ?? 0, y ?? 0, width ?? 0, height ?? 0, rotation ?? 0, which], index * 7)
    })
    this.#core.writeNumbers(rows)
    return this.#perform('place', places.length)
  }
  /** @param {number[]} shapes @returns {Effect[]} */
  delete(shapes) { return this.#perform('deleteShapes', this.#core.writeNumbers(shapes)) }
  /** @returns {Effect[]} */
  clear() { return this.#perform('clear') }
  /** What is edited until `endGroup` is one step to undo. */
  beginGroup() { this.#exports.beginGroup(this.#handle) }
  endGroup() { this.#exports.endGroup(this.#handle) }
  /** @returns {Effect[]} */
  undo() { return this.#perform('undo') }
  /** @returns {Effect[]} */
  redo() { return this.#perform('redo') }
  /**
   * Moves shapes within the drawing order; to a number, so that so many of the others are drawn before them.
   * @param {number[]} shapes @param {'front' | 'back' | 'forward' | 'backward' | number} to @returns {Effect[]}
   */
  reorder(shapes, to) {
    const how = typeof to === 'number' ? 4 : orders.indexOf(to)
    return this.#perform('reorder', this.#core.writeNumbers(shapes), how, typeof to === 'number' ? to : 0)
  }
  /** A square of a random bright colour in an area. @returns {Effect[]} an `added` among them */
  addSquare({ x, y, width, height }) { return this.#perform('addSquare', x, y, width, height) }
  /** Any shape in an area. @returns {Effect[]} an `added` among them */
  addRandomShape({ x, y, width, height }) { return this.#perform('addRandomShape', x, y, width, height) }
  /** A circle of a random bright colour around a point. @returns {Effect[]} an `added` among them */
  addCircle(x, y) { return this.#perform('addCircle', x, y) }
  /** @returns {string} `#RRGGBB` */
  brightColor() { return colorText(this.#exports.brightColor(this.#handle)) }
  /**
   * A layout of squares, or a drawing.
   * @param {string} text
   * @param {{keepsIdentifiers?: boolean, x?: number, y?: number}} [how] moved by so much
   * @returns {Effect[]} an `added` among them
   */
  importDocument(text, { keepsIdentifiers = false, x = 0, y = 0 } = {}) {
    const { exchange } = this.#core
    const rows = exchange.bytes(exchange.exports.readDocument(exchange.writeText(text)))
    return this.#perform('addImported', this.#core.write(rows), keepsIdentifiers ? 1 : 0, x, y)
  }

  // What there is to draw.

  /** What has changed since this was last asked. @returns {Changes} */
  changes() {
    const numbers = this.#numbers('changes')
    const [flags, rowCount, pairCount] = numbers
    const shapes = []
    const pairs = []
    let at = 3
    for (let row = 0; row < rowCount; row++, at += rowLength) shapes.push(readChange(numbers, at))
    for (let pair = 0; pair < pairCount; pair++, at += 3) {
      pairs.push({ first: numbers[at], second: numbers[at + 1], overlaps: numbers[at + 2] === 1 })
    }
    return { reset: (flags & 1) !== 0, reordered: (flags & 2) !== 0, shapes, pairs }
  }
  /** All, from the back to the front. @returns {Shape[]} */
  shapes() { return readShapes(this.#numbers('shapes')) }
  /** Those that may be seen in a box, from the back to the front. @returns {Shape[]} */
  shapesInView({ x, y, width, height }) { return readShapes(this.#numbers('shapesInView', x, y, width, height)) }
  /** @param {number} id @returns {Shape | null} */
  shape(id) { return readShapes(this.#numbers('rows', this.#core.writeNumbers([id])))[0] ?? null }
  /** Identifiers from the back to the front. @returns {number[]} */
  drawingOrder() { return Array.from(this.#numbers('drawingOrder')) }
  /** The name that a shape shows. @param {number} id @returns {string} empty where it is gone */
  shownName(id) { return this.#text('shownName', id) }
  /** The names of all, in drawing order. @returns {string[]} */
  shownNames() { return this.#text('shownNames').split('\n').slice(0, -1) }
  /** @param {string} name @returns {number | null} */
  shapeNamed(name) {
    const shape = this.#exports.shapeNamed(this.#handle, this.#core.writeText(name))
    return shape < 0 ? null : shape
  }
  /** @param {number} id @param {string} property @returns {{actor: number, milliseconds: number} | null} */
  written(id, property) {
    const [actor, milliseconds] = this.#numbers('written', id, properties.indexOf(property))
    return actor === undefined ? null : { actor, milliseconds }
  }

  // What lies where.

  /** The shapes at a point, the topmost first. @returns {number[]} */
  shapesAt(x, y) { return Array.from(this.#numbers('shapesAt', x, y)) }
  /** The shapes that share area with a box, or lie wholly in it, from the back to the front. @returns {number[]} */
  shapesInBox({ x, y, width, height }, wholly = false) {
    return Array.from(this.#numbers('shapesInBox', x, y, width, height, wholly ? 1 : 0))
  }
  /** The nearest place where a box overlaps nothing. @returns {{x: number, y: number} | null} */
  freePlace({ width, height }, { x, y }) {
    const exchange = this.#exchange()
    return readPoints(exchange.numbers(exchange.exports.freePlace(width, height, x, y)))[0] ?? null
  }
  /** The box around shapes, or around all. @param {number[]} [shapes] */
  bounds(shapes = []) {
    const [x, y, width, height] = this.#numbers('bounds', this.#core.writeNumbers(shapes))
    return x === undefined ? null : { x, y, width, height }
  }
  /** A shape's outline as a polygon. @returns {{x: number, y: number}[]} */
  outline(id, flatness = 0.25) { return readPoints(this.#numbers('outline', id, flatness)) }
  /** All pairs that overlap. @returns {[number, number][]} */
  overlapPairs() {
    const numbers = this.#numbers('overlapPairs')
    const pairs = []
    for (let at = 0; at < numbers.length; at += 2) pairs.push([numbers[at], numbers[at + 1]])
    return pairs
  }
  /** Whom a shape overlaps. @returns {number[]} */
  neighbours(id) { return Array.from(this.#numbers('neighbours', id)) }
  /** What two shapes have in common, as polygons. @returns {{x: number, y: number}[][]} */
  commonRegion(first, second) {
    const numbers = this.#numbers('commonRegion', first, second)
    const polygons = []
    for (let at = 0; at < numbers.length;) {
      const end = at + 1 + 2 * numbers[at]
      polygons.push(readPoints(numbers.subarray(at + 1, end)))
      at = end
    }
    return polygons
  }

  // Documents.

  /** The drawing as JSON text. @param {boolean} [stamps] with who wrote what, and when */
  exportDrawing(stamps = false) {
    const exchange = this.#exchange()
    return exchange.text(exchange.exports.drawing(this.#writeRoom(exchange), stamps ? 1 : 0))
  }
  /** A drawing of some shapes, to be copied. @param {number[]} shapes */
  exportShapes(shapes) {
    const exchange = this.#exchange()
    return exchange.text(exchange.exports.drawingOf(exchange.writeNumbers(shapes)))
  }
  /** The drawing as SVG. @param {boolean} [overlaps] with what overlaps laid over it */
  exportPicture(overlaps = false) {
    const exchange = this.#exchange()
    return exchange.text(exchange.exports.picture(this.#writeRoom(exchange), overlaps ? 1 : 0))
  }
  #writeRoom(exchange) { return exchange.writeText(this.status().room ?? '') }

  // What it says about itself.

  /** @returns {{actor: number, room?: string, role?: string, state: string, cursor?: string, limits: object,
   *   peers: Peer[]}} */
  status() { return JSON.parse(this.#text('status')) }
  get actor() { return this.#exports.actor(this.#handle) }
  get shapeCount() { return this.#exports.shapeCount(this.#handle) }
  get unsentCount() { return this.#exports.unsentCount(this.#handle) }
  get canUndo() { return this.#exports.canUndo(this.#handle) !== 0 }
  get canRedo() { return this.#exports.canRedo(this.#handle) !== 0 }
  /** Of what is shown: sixteen hexadecimal digits. */
  get digest() { return digestText(this.#exports.digest(this.#handle, 0)) }
  /** Of what of it is confirmed. */
  get confirmedDigest() { return digestText(this.#exports.digest(this.#handle, 1)) }
  /** What the server's clock says. */
  get serverMilliseconds() { return this.#exports.serverMilliseconds(this.#handle, ...this.#now()) }
}

/** @param {bigint} bits */
function digestText(bits) {
  return BigInt.asUintN(64, bits).toString(16).padStart(16, '0')
}

/** A canvas without a replica around it. */
export class BareCanvas {
  #core
  #handle

  constructor(core, handle) {
    this.#core = core
    this.#handle = handle
  }

  destroy() { this.#core.exports.destroyCanvas(this.#handle) }
  /** What a frame of a server brings, in the binary encoding. @param {Uint8Array} frame */
  merge(frame) { this.#core.bytes(this.#core.exports.mergeFrame(this.#handle, this.#core.write(frame))) }
  /** Many, each behind its length in four bytes, little-endian. @param {Uint8Array} frames */
  mergeAll(frames) { this.#core.bytes(this.#core.exports.mergeFrames(this.#handle, this.#core.write(frames))) }
  get digest() { return digestText(this.#core.exports.canvasDigest(this.#handle)) }
  get shapeCount() { return this.#core.exports.canvasShapeCount(this.#handle) }
}
