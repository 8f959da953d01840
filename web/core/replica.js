import { colorText } from './colors.js'
import { changesFlag, placeFlag, properties, randomShape, reordering, shapeRow, wireEncoding } from './table.js'
import { digestText, helloBytes, readChange, readPath, readPoints, readShapes, valueRows } from './values.js'

/** @typedef {import('./types.js').Shape} Shape */
/** @typedef {import('./types.js').Box} Box */
/** @typedef {import('./types.js').Changes} Changes */
/** @typedef {import('./types.js').Peer} Peer */
/** @typedef {import('./types.js').Effect} Effect */

/** @typedef {import('./types.js').ReplicaOptions} ReplicaOptions */

const hostClock = { wall: () => Date.now(), monotonic: () => performance.now() }

/** @param {ReplicaOptions} options */
export function encodingNumber({ encoding = 'binary' }) {
  return wireEncoding[encoding]
}

/**
 * One person's view of a room: the client's half of the protocol. Events and edits return effects, which the page
 * carries out in order.
 */
export class Replica {
  #core
  #exports
  #handle
  #clock
  #isJSON

  /** @param {import('./core.js').Core} core @param {number} handle @param {ReplicaOptions} options */
  constructor(core, handle, options) {
    this.#core = core
    this.#exports = core.exports
    this.#handle = handle
    this.#clock = options.clock ?? hostClock
    this.#isJSON = encodingNumber(options) === wireEncoding.json
  }

  #now() { return [this.#clock.wall(), this.#clock.monotonic()] }
  /** @param {string} name @param {...number} values */
  #perform(name, ...values) {
    const effects = this.#core.effects(this.#exports[name](this.#handle, ...values, ...this.#now()))
    return this.#isJSON ? effects.map((effect) => this.#translated(effect)) : effects
  }
  /**
   * Translates a frame that the replica sends, if this replica speaks JSON. core.wasm speaks only the binary encoding;
   * exchange.wasm translates.
   *
   * @param {Effect} effect @returns {Effect}
   */
  #translated(effect) {
    if (effect.type !== 'send') return effect
    const { exchange } = this.#core
    return { type: 'send', bytes: exchange.bytes(exchange.exports.toServer(exchange.write(effect.bytes))).slice() }
  }
  /** exchange.wasm, after it was given the drawing that this replica shows. */
  #exchange() {
    const { exchange } = this.#core
    exchange.take(this.#core, this.#handle, this)
    return exchange
  }
  /** @param {string} name @param {...number} values */
  #numbers(name, ...values) { return this.#core.numbers(this.#exports[name](this.#handle, ...values)) }
  /** @param {string} name @param {...number} values */
  #text(name, ...values) { return this.#core.text(this.#exports[name](this.#handle, ...values)) }

  /** Frees the memory that the core holds for this replica. */
  destroy() { this.#exports.destroySession(this.#handle) }

  /**
   * The replica's state as bytes, for `Core.restoreReplica`.
   *
   * @param {boolean} withDrawing also the confirmed drawing, not only unsent edits
   */
  save(withDrawing = true) {
    return this.#core.bytes(this.#exports.save(this.#handle, withDrawing ? 1 : 0)).slice()
  }

  /**
   * To be called each time before `save`. Once it has been called for the first time, the replica sends an edit only
   * after the edit is stored: see `kept`.
   *
   * @returns {number} until when stamps are reserved
   */
  reserveStamps() { return this.#exports.reserveStamps(this.#handle) }
  /**
   * Tells the replica that the state which was saved after `reserveStamps` returned `until` is now stored.
   *
   * @param {number} until @returns {Effect[]}
   */
  kept(until) { return this.#perform('kept', until) }

  /**
   * The drawing as it is shown, with the unsent edits. Another replica of this room can begin with this drawing before
   * it has reached the room. Once it has loaded the whole room, that replica shows the server's state instead.
   */
  saveShown() { return this.#core.bytes(this.#exports.saveShown(this.#handle)).slice() }

  // The connection. Each of these functions returns effects.

  /**
   * Enters the room now.
   *
   * @returns {Effect[]}
   */
  start() { return this.#perform('start') }
  /**
   * Leaves the room until the next `start`.
   *
   * @returns {Effect[]}
   */
  stop() { return this.#perform('stop') }
  /**
   * Changes the name and colour that the others see.
   * @param {{name?: string, color?: string}} who @returns {Effect[]}
   */
  introduce({ name, color }) { return this.#perform('introduce', this.#core.write(helloBytes({ name, color }))) }
  /**
   * Tells the replica that the connection which a `connect` effect asked for is open.
   *
   * @returns {Effect[]}
   */
  connected() { return this.#perform('connected') }
  /** @param {number} [closeCode] @returns {Effect[]} */
  disconnected(closeCode = 0) { return this.#perform('disconnected', closeCode) }
  /**
   * Gives the replica a frame that has arrived.
   *
   * @param {Uint8Array | ArrayBuffer | string} frame @returns {Effect[]}
   */
  received(frame) {
    if (typeof frame === 'string') return this.#perform('received', this.#core.write(this.#fromText(frame)), 1)
    return this.#perform('received', this.#core.write(frame instanceof Uint8Array ? frame : new Uint8Array(frame)), 0)
  }
  /**
   * The binary form of a text frame. A replica that doesn't speak JSON refuses text frames.
   *
   * @param {string} frame
   */
  #fromText(frame) {
    if (!this.#isJSON) return new Uint8Array()
    const { exchange } = this.#core
    return exchange.bytes(exchange.exports.fromServer(exchange.writeText(frame)))
  }
  /**
   * Tells the replica that the time of a `wake` effect has come.
   *
   * @returns {Effect[]}
   */
  wake() { return this.#perform('wake') }
  /** @returns {Effect[]} */
  ping() { return this.#perform('ping') }
  /**
   * Asks the server whether it has the same drawing.
   *
   * @returns {Effect[]}
   */
  askDigest() { return this.#perform('askDigest') }
  /**
   * Sets what the others see of this person, such as the cursor.
   *
   * @param {object} state @returns {Effect[]}
   */
  setPresence(state) { return this.#perform('setPresence', this.#core.writeText(JSON.stringify(state))) }

  // Edits. Each of these functions returns effects, and throws if the edit isn't possible.

  /**
   * Writes values to shapes, as one step of undo. A new shape without a `z` is put on top.
   * @param {{shape: number, set: import('./types.js').Values}[]} edits `set` as in the wire contract @returns {Effect[]}
   */
  edit(edits) {
    return this.#perform('edit', this.#core.write(valueRows(edits)))
  }
  /**
   * An identifier for a shape that `edit` will make.
   *
   * @returns {number}
   */
  newIdentifier() { return this.#exports.newIdentifier(this.#handle) }
  /**
   * Adds a shape.
   *
   * @param {import('./types.js').Values} set @returns {{shape: number, effects: Effect[]}}
   */
  add(set) {
    const shape = this.newIdentifier()
    return { shape, effects: this.edit([{ shape, set: { kind: 'rectangle', ...set } }]) }
  }
  /**
   * Moves, resizes and turns shapes. This is fast enough for every frame of a gesture. Members that are left out keep
   * their values.
   * @param {{id: number, x?: number, y?: number, width?: number, height?: number, rotation?: number}[]} places
   * @returns {Effect[]}
   */
  place(places) {
    const rows = new Float64Array(places.length * 7)
    places.forEach(({ id, x, y, width, height, rotation }, index) => {
      const which = (x === undefined ? 0 : placeFlag.position) | (width === undefined ? 0 : placeFlag.size)
        | (rotation === undefined ? 0 : placeFlag.rotation)
      rows.set([id, x ?? 0, y ?? 0, width ?? 0, height ?? 0, rotation ?? 0, which], index * 7)
    })
    this.#core.writeNumbers(rows)
    return this.#perform('place', places.length)
  }
  /** @param {number[]} shapes @returns {Effect[]} */
  delete(shapes) { return this.#perform('deleteShapes', this.#core.writeNumbers(shapes)) }
  /** @returns {Effect[]} */
  clear() { return this.#perform('clear') }
  /** Makes all edits until `endGroup` one step of undo. */
  beginGroup() { this.#exports.beginGroup(this.#handle) }
  endGroup() { this.#exports.endGroup(this.#handle) }
  /**
   * Reverts all edits since `beginGroup`, as if the group had never begun: the group can't be undone or redone, and
   * steps that could be redone before it can be redone again.
   *
   * @returns {Effect[]}
   */
  abandonStep() { return this.#perform('abandonStep') }
  /** @returns {Effect[]} */
  undo() { return this.#perform('undo') }
  /** @returns {Effect[]} */
  redo() { return this.#perform('redo') }
  /**
   * Moves shapes within the drawing order. If `to` is a number, it is the number of other shapes that are drawn before
   * them.
   * @param {number[]} shapes @param {'front' | 'back' | 'forward' | 'backward' | number} to @returns {Effect[]}
   */
  reorder(shapes, to) {
    const how = typeof to === 'number' ? reordering.toIndex : reordering[to]
    return this.#perform('reorder', this.#core.writeNumbers(shapes), how, typeof to === 'number' ? to : 0)
  }
  /**
   * Adds a square of a random bright colour in an area.
   *
   * @param {Box} area
   * @returns {Effect[]} an `added` among them
   */
  addSquare({ x, y, width, height }) { return this.#perform('addRandomShape', randomShape.square, x, y, width, height) }
  /**
   * Adds a shape of any kind in an area.
   *
   * @param {Box} area
   * @returns {Effect[]} an `added` among them
   */
  addRandomShape({ x, y, width, height }) { return this.#perform('addRandomShape', randomShape.any, x, y, width, height) }
  /**
   * Adds a circle of a random bright colour around a point.
   *
   * @param {number} x @param {number} y
   * @returns {Effect[]} an `added` among them
   */
  addCircle(x, y) { return this.#perform('addRandomShape', randomShape.circle, x, y, 0, 0) }
  /** @returns {string} `#RRGGBB` */
  brightColor() { return colorText(this.#exports.brightColor()) }
  /**
   * Adds the shapes of a document: a layout of squares, or a drawing.
   * @param {string} text
   * @param {{keepsIdentifiers?: boolean, x?: number, y?: number}} how `x`, `y`: how far the shapes are moved
   * @returns {Effect[]} an `added` among them
   */
  importDocument(text, { keepsIdentifiers = false, x = 0, y = 0 } = {}) {
    const { exchange } = this.#core
    const count = exchange.writeText(text)
    const rows = exchange.bytes(exchange.exports.readDocument(count, keepsIdentifiers ? 1 : 0, x, y))
    return this.#perform('addShapes', this.#core.write(rows), keepsIdentifiers ? 1 : 0)
  }

  // The shapes to draw, and what is known of them.

  /**
   * What has changed since the last call.
   *
   * @returns {Changes}
   */
  changes() {
    const numbers = this.#numbers('changes')
    const flags = numbers[0]
    const shapes = []
    const pairs = []
    for (let at = 1; at < numbers.length; at += shapeRow.length) shapes.push(readChange(numbers, at))
    for (const { shape } of shapes) if (shape) this.#complete(shape)
    const changed = this.#numbers('changedPairs')
    for (let at = 0; at < changed.length; at += 3) {
      pairs.push({ first: changed[at], second: changed[at + 1], overlaps: changed[at + 2] === 1 })
    }
    return { reset: (flags & changesFlag.reset) !== 0, reordered: (flags & changesFlag.reordered) !== 0, shapes, pairs }
  }
  /**
   * All shapes, from the back to the front.
   *
   * @returns {Shape[]}
   */
  shapes() { return this.#completed(readShapes(this.#numbers('shapes'))) }
  /**
   * The shapes that may be visible in a box, from the back to the front.
   *
   * @param {Box} area
   * @returns {Shape[]}
   */
  shapesInView({ x, y, width, height }) {
    return this.#completed(readShapes(this.#numbers('shapesInView', x, y, width, height)))
  }
  /** @param {number} id @returns {Shape | null} */
  shape(id) { return this.shapesOf([id])[0] ?? null }
  /**
   * The shapes with these identifiers. Deleted shapes are left out.
   *
   * @param {Iterable<number>} ids @returns {Shape[]}
   */
  shapesOf(ids) {
    return this.#completed(readShapes(this.#numbers('rows', this.#core.writeNumbers(Array.from(ids)))))
  }
  /** @param {Shape[]} shapes */
  #completed(shapes) {
    for (const shape of shapes) this.#complete(shape)
    return shapes
  }
  /**
   * Adds the parts of a shape that its row of numbers doesn't have.
   *
   * @param {Shape} shape
   */
  #complete(shape) {
    if (shape.written) shape.text = this.#text('writtenText', shape.id)
    if (shape.led) shape.path = readPath(this.#numbers('path', shape.id))
  }
  /**
   * The identifiers of all shapes, from the back to the front.
   *
   * @returns {number[]}
   */
  drawingOrder() { return Array.from(this.#numbers('drawingOrder')) }
  /**
   * The name that a shape shows.
   *
   * @param {number} id @returns {string} empty if it is gone
   */
  shownName(id) { return this.#text('shownName', id) }
  /**
   * The shown names of all shapes, in drawing order.
   *
   * @returns {string[]}
   */
  shownNames() { return this.#text('shownNames').split('\n').slice(0, -1) }
  /** @param {string} name @returns {number | null} */
  shapeNamed(name) {
    const shape = this.#exports.shapeNamed(this.#handle, this.#core.writeText(name))
    return shape < 0 ? null : shape
  }
  /** @param {number} id @param {string} property @returns {{actor: number, milliseconds: number} | null} */
  written(id, property) {
    const [actor, milliseconds] = this.#numbers('written', id, properties.findIndex(({ name }) => name === property))
    return actor === undefined ? null : { actor, milliseconds }
  }

  // Shapes at a place, and overlaps.

  /**
   * The shapes at a point, the topmost first.
   *
   * @param {number} x @param {number} y
   * @returns {number[]}
   */
  shapesAt(x, y) { return Array.from(this.#numbers('shapesAt', x, y)) }
  /**
   * The shapes that may be visible within a distance from a point, the topmost first.
   *
   * @param {number} x @param {number} y @param {number} distance
   * @returns {number[]}
   */
  shapesNear(x, y, distance) { return Array.from(this.#numbers('shapesNear', x, y, distance)) }
  /**
   * The shapes that overlap a box, or only the shapes that lie completely inside it, from the back to the front.
   *
   * @param {Box} box @param {boolean} [wholly]
   * @returns {number[]}
   */
  shapesInBox({ x, y, width, height }, wholly = false) {
    return Array.from(this.#numbers('shapesInBox', x, y, width, height, wholly ? 1 : 0))
  }
  /**
   * The nearest place where a box of this size overlaps no shape.
   *
   * @param {{width: number, height: number}} size @param {import('./types.js').Point} wanted
   * @returns {{x: number, y: number} | null}
   */
  freePlace({ width, height }, { x, y }) {
    const exchange = this.#exchange()
    return readPoints(exchange.numbers(exchange.exports.freePlace(width, height, x, y)))[0] ?? null
  }
  /**
   * The box around these shapes, or around all shapes if none are given.
   *
   * @param {number[]} [shapes]
   */
  bounds(shapes = []) {
    const [x, y, width, height] = this.#numbers('bounds', this.#core.writeNumbers(shapes))
    return x === undefined ? null : { x, y, width, height }
  }
  /**
   * A shape's outline as a polygon.
   *
   * @param {number} id @param {number} [flatness] how far the polygon may be off a curve
   * @returns {{x: number, y: number}[]}
   */
  outline(id, flatness = 0.25) { return readPoints(this.#numbers('outline', id, flatness)) }
  /**
   * All pairs of shapes that overlap.
   *
   * @returns {[number, number][]}
   */
  overlapPairs() {
    const numbers = this.#numbers('overlapPairs')
    const pairs = /** @type {[number, number][]} */ ([])
    for (let at = 0; at < numbers.length; at += 2) pairs.push([numbers[at], numbers[at + 1]])
    return pairs
  }
  /**
   * The other shapes that a shape overlaps.
   *
   * @param {number} id
   * @returns {number[]}
   */
  neighbours(id) { return Array.from(this.#numbers('neighbours', id)) }
  /**
   * The common region of two shapes, as polygons.
   *
   * @param {number} first @param {number} second
   * @returns {{x: number, y: number}[][]}
   */
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

  /**
   * The drawing as JSON text.
   *
   * @param {boolean} [stamps] with who wrote what, and when
   */
  exportDrawing(stamps = false) {
    const exchange = this.#exchange()
    return exchange.text(exchange.exports.drawing(this.#writeRoom(exchange), stamps ? 1 : 0))
  }
  /**
   * A drawing of some shapes, to be copied.
   *
   * @param {number[]} shapes
   */
  exportShapes(shapes) {
    const exchange = this.#exchange()
    return exchange.text(exchange.exports.drawingOf(exchange.writeNumbers(shapes)))
  }
  /**
   * The drawing as SVG.
   *
   * @param {boolean} [overlaps] with the overlaps painted over it
   */
  exportPicture(overlaps = false) {
    const exchange = this.#exchange()
    return exchange.text(exchange.exports.picture(this.#writeRoom(exchange), overlaps ? 1 : 0))
  }
  /** @param {import('./core.js').Core['exchange']} exchange */
  #writeRoom(exchange) { return exchange.writeText(this.status().room ?? '') }

  // Status.

  /** @returns {{actor: number, room?: string, role?: string, state: string, cursor?: string,
   *   limits: {[limit: string]: number},
   *   peers: Peer[]}} */
  status() { return JSON.parse(this.#text('status')) }
  get actor() { return this.#exports.actor(this.#handle) }
  get shapeCount() { return this.#exports.shapeCount(this.#handle) }
  get unsentCount() { return this.#exports.unsentCount(this.#handle) }
  get canUndo() { return this.#exports.canUndo(this.#handle) !== 0 }
  get canRedo() { return this.#exports.canRedo(this.#handle) !== 0 }
  /** The digest of the shown drawing, as sixteen hexadecimal digits. */
  get digest() { return digestText(this.#exports.digest(this.#handle, 0)) }
  /** The digest of the drawing that the server has confirmed. */
  get confirmedDigest() { return digestText(this.#exports.digest(this.#handle, 1)) }
  /** The time on the server's clock. */
  get serverMilliseconds() { return this.#exports.serverMilliseconds(this.#handle, ...this.#now()) }
}
