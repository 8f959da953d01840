import { colorText } from './colors.js'
import type { Core } from './core.js'
import {
  changesFlag, placeFlag, properties, randomShape, reordering, type Shape, shapeRow, wireEncoding,
} from './table.js'
import type { Box, Changes, Effect, Peer, Point, ReplicaOptions, Values } from './types.js'
import { digestText, helloBytes, readChange, readPath, readPoints, readShapes, valueRows } from './values.js'

const hostClock = { wall: () => Date.now(), monotonic: () => performance.now() }

export function encodingNumber({ encoding = 'binary' }: ReplicaOptions) {
  return wireEncoding[encoding]
}

/**
 * The client's half of the protocol: one person's copy of a room. Events and edits return effects, which the page must
 * carry out in order.
 */
export class Replica {
  #core
  #exports
  #handle
  #clock
  #isJSON

  constructor(core: Core, handle: number, options: ReplicaOptions) {
    this.#core = core
    this.#exports = core.exports
    this.#handle = handle
    this.#clock = options.clock ?? hostClock
    this.#isJSON = encodingNumber(options) === wireEncoding.json
  }

  #now() { return [this.#clock.wall(), this.#clock.monotonic()] }
  #perform(name: string, ...values: number[]) {
    const effects = this.#core.effects(this.#exports[name](this.#handle, ...values, ...this.#now()))
    return this.#isJSON ? effects.map((effect) => this.#translated(effect)) : effects
  }
  /**
   * Translates a frame that the replica sends, if this replica uses JSON. core.wasm itself makes only binary frames.
   */
  #translated(effect: Effect): Effect {
    if (effect.type !== 'send') return effect
    const { exchange } = this.#core
    return { type: 'send', bytes: exchange.bytes(exchange.exports.toServer(exchange.write(effect.bytes))).slice() }
  }
  /** exchange.wasm, with a copy of the drawing that this replica shows. */
  #exchange() {
    const { exchange } = this.#core
    exchange.take(this.#core, this.#handle, this)
    return exchange
  }
  #numbers(name: string, ...values: number[]) {
    return this.#core.numbers(this.#exports[name](this.#handle, ...values))
  }
  #text(name: string, ...values: number[]) { return this.#core.text(this.#exports[name](this.#handle, ...values)) }

  /** Frees this replica's memory in the core. */
  destroy() { this.#exports.destroySession(this.#handle) }

  /**
   * The replica's state as bytes, for `Core.restoreReplica`.
   *
   * @param withDrawing whether to include the confirmed drawing, and not only the unsent edits
   */
  save(withDrawing = true) {
    return this.#core.bytes(this.#exports.save(this.#handle, withDrawing ? 1 : 0)).slice()
  }

  /**
   * Must be called each time before `save`. After the first call, the replica sends an edit only when `kept` has
   * reported that the edit is stored.
   *
   * @returns the time until which stamps are reserved
   */
  reserveStamps(): number { return this.#exports.reserveStamps(this.#handle) }
  /**
   * Tells the replica that the state saved after `reserveStamps` is now stored.
   *
   * @param until what `reserveStamps` returned
   */
  kept(until: number): Effect[] { return this.#perform('kept', until) }

  /**
   * Makes stamps that no replica of another share makes, even if both are the same actor.
   *
   * @param share any number. There are eight shares, and the ninth is the first again
   */
  takeShare(share: number): Effect[] { return this.#perform('takeShare', share) }

  /**
   * The drawing as it is shown, with the unsent edits. Another replica of this room can show this drawing until it has
   * loaded the room from the server.
   */
  saveShown() { return this.#core.bytes(this.#exports.saveShown(this.#handle)).slice() }

  // The connection. Each of these functions returns effects.

  /** Enters the room now. */
  start(): Effect[] { return this.#perform('start') }
  /** Leaves the room until the next `start`. */
  stop(): Effect[] { return this.#perform('stop') }
  /** Changes the name and colour that the others see. */
  introduce({ name, color }: { name?: string, color?: string }): Effect[] {
    return this.#perform('introduce', this.#core.write(helloBytes({ name, color })))
  }
  /** Tells the replica that its connection is open. A `connect` effect asked for the connection. */
  connected(): Effect[] { return this.#perform('connected') }
  disconnected(closeCode = 0): Effect[] { return this.#perform('disconnected', closeCode) }
  /** Gives the replica a frame that has arrived. */
  received(frame: Uint8Array | ArrayBuffer | string): Effect[] {
    if (typeof frame === 'string') return this.#perform('received', this.#core.write(this.#fromText(frame)), 1)
    return this.#perform('received', this.#core.write(frame instanceof Uint8Array ? frame : new Uint8Array(frame)), 0)
  }
  /** The binary form of a text frame. Only a replica that uses JSON accepts text frames. */
  #fromText(frame: string) {
    if (!this.#isJSON) return new Uint8Array()
    const { exchange } = this.#core
    return exchange.bytes(exchange.exports.fromServer(exchange.writeText(frame)))
  }
  /** To be called at the time in the newest `wake` effect. */
  wake(): Effect[] { return this.#perform('wake') }
  ping(): Effect[] { return this.#perform('ping') }
  /**
   * From now on, the replica looks whether its connection is alive, measures it, and holds presence back while it is
   * busy. `lookAtLine` must be called every 250 milliseconds.
   */
  watchLine() { this.#exports.watchLine(this.#handle) }
  lookAtLine(): Effect[] { return this.#perform('lookAtLine') }
  /** Tells the replica that the page was suspended, or that the network was away. */
  wakeLine(): Effect[] { return this.#perform('wakeLine') }
  /** The newest round-trip time in milliseconds. 0 before the first measurement. */
  get roundTrip() { return this.#exports.roundTrip(this.#handle) }
  /** Whether the connection has become so slow that a person notices it. */
  get isLineSlow() { return this.#exports.isLineSlow(this.#handle) !== 0 }
  /** Sends the server another token. A `tokenTaken` effect says that the server has accepted it. */
  bringToken(token: string): Effect[] { return this.#perform('bringToken', this.#core.writeText(token)) }
  /** Asks the server for its digest, to check that both have the same drawing. */
  askDigest(): Effect[] { return this.#perform('askDigest') }
  /** Sets what the others see of this person, such as the cursor. */
  setPresence(state: object): Effect[] {
    return this.#perform('setPresence', this.#core.writeText(JSON.stringify(state)))
  }
  /** Tells the replica in which shape another person writes, so that it can tell which texts are lost. */
  noteWriting(actor: number, shape: number | null) {
    this.#exports.noteWriting(this.#handle, actor, shape ?? -1, ...this.#now())
  }

  // Edits. Each of these functions returns effects, and throws if the edit isn't possible.

  /**
   * Writes values to shapes, as one step of undo. A new shape without a `z` is put on top.
   *
   * @param edits `set` has the form that docs/PROTOCOL.md describes
   */
  edit(edits: { shape: number, set: Values }[]): Effect[] {
    return this.#perform('edit', this.#core.write(valueRows(edits)))
  }
  /** An identifier for a shape that `edit` will make. */
  newIdentifier(): number { return this.#exports.newIdentifier(this.#handle) }
  /** Adds a shape. */
  add(set: Values): { shape: number, effects: Effect[] } {
    const shape = this.newIdentifier()
    return { shape, effects: this.edit([{ shape, set: { kind: 'rectangle', ...set } }]) }
  }
  /**
   * Moves, resizes and rotates shapes. This is fast enough to be called in every frame of a gesture. Members that are
   * left out keep their values.
   */
  place(
    places: { id: number, x?: number, y?: number, width?: number, height?: number, rotation?: number }[],
  ): Effect[] {
    const rows = new Float64Array(places.length * 7)
    places.forEach(({ id, x, y, width, height, rotation }, index) => {
      const which = (x === undefined ? 0 : placeFlag.position) | (width === undefined ? 0 : placeFlag.size)
        | (rotation === undefined ? 0 : placeFlag.rotation)
      rows.set([id, x ?? 0, y ?? 0, width ?? 0, height ?? 0, rotation ?? 0, which], index * 7)
    })
    this.#core.writeNumbers(rows)
    return this.#perform('place', places.length)
  }
  delete(shapes: number[]): Effect[] { return this.#perform('deleteShapes', this.#core.writeNumbers(shapes)) }
  clear(): Effect[] { return this.#perform('clear') }
  /** Begins a group: all edits until `endGroup` are one step of undo. */
  beginGroup() { this.#exports.beginGroup(this.#handle) }
  endGroup() { this.#exports.endGroup(this.#handle) }
  /**
   * Reverts all edits since `beginGroup`, as if the group had never begun. The group can't be redone. Steps that could
   * be redone before the group can be redone again.
   */
  abandonStep(): Effect[] { return this.#perform('abandonStep') }
  /** @param onlyNewest whether no older step is undone if the newest one has no effect */
  undo(onlyNewest = false): Effect[] { return this.#perform('undo', Number(onlyNewest)) }
  redo(): Effect[] { return this.#perform('redo') }
  /**
   * Moves shapes within the drawing order.
   *
   * @param to if it is a number: how many of the other shapes are drawn below these
   */
  reorder(shapes: number[], to: 'front' | 'back' | 'forward' | 'backward' | number): Effect[] {
    const how = typeof to === 'number' ? reordering.toIndex : reordering[to]
    return this.#perform('reorder', this.#core.writeNumbers(shapes), how, typeof to === 'number' ? to : 0)
  }
  /**
   * Adds a square of a random bright colour in an area.
   *
   * @returns effects, one of which is `added`
   */
  addSquare({ x, y, width, height }: Box): Effect[] {
    return this.#perform('addRandomShape', randomShape.square, x, y, width, height)
  }
  /**
   * Adds a shape of a random kind in an area.
   *
   * @returns effects, one of which is `added`
   */
  addRandomShape({ x, y, width, height }: Box): Effect[] {
    return this.#perform('addRandomShape', randomShape.any, x, y, width, height)
  }
  /**
   * Adds a circle of a random bright colour around a point.
   *
   * @returns effects, one of which is `added`
   */
  addCircle(x: number, y: number): Effect[] { return this.#perform('addRandomShape', randomShape.circle, x, y, 0, 0) }
  /** @returns `#RRGGBB` */
  brightColor(): string { return colorText(this.#exports.brightColor()) }
  /**
   * Adds the shapes of a document: a layout of squares, or a drawing.
   *
   * @param how `x` and `y`: how far the shapes are moved
   * @returns effects, one of which is `added`
   */
  importDocument(
    text: string,
    { keepsIdentifiers = false, x = 0, y = 0 }: { keepsIdentifiers?: boolean, x?: number, y?: number } = {},
  ): Effect[] {
    const { exchange } = this.#core
    const count = exchange.writeText(text)
    const rows = exchange.bytes(exchange.exports.readDocument(count, keepsIdentifiers ? 1 : 0, x, y))
    return this.#perform('addShapes', this.#core.write(rows), keepsIdentifiers ? 1 : 0)
  }

  // Shapes.

  /** What has changed since the last call. */
  changes(): Changes {
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
  /** All shapes, from the back to the front. */
  shapes(): Shape[] { return this.#completed(readShapes(this.#numbers('shapes'))) }
  /** The shapes that might be visible in a box, from the back to the front. */
  shapesInView({ x, y, width, height }: Box): Shape[] {
    return this.#completed(readShapes(this.#numbers('shapesInView', x, y, width, height)))
  }
  shape(id: number): Shape | null { return this.shapesOf([id])[0] ?? null }
  /** The shapes with these identifiers. Deleted shapes are left out. */
  shapesOf(ids: Iterable<number>): Shape[] {
    return this.#completed(readShapes(this.#numbers('rows', this.#core.writeNumbers(Array.from(ids)))))
  }
  #completed(shapes: Shape[]) {
    for (const shape of shapes) this.#complete(shape)
    return shapes
  }
  /** Adds the values that the core's row of numbers for a shape doesn't contain, such as its text. */
  #complete(shape: Shape) {
    if (shape.written) shape.text = this.#text('writtenText', shape.id)
    if (shape.led) shape.path = readPath(this.#numbers('path', shape.id))
    if (shape.kind === 'line') {
      const [x, y] = this.#numbers('halfway', shape.id)
      shape.halfway = { x, y }
    }
  }
  /**
   * A line or a stroke of ink as it is drawn at this size: see Sources/CanvasWasm/Page/LineExports.swift. The numbers are
   * valid until the next call.
   */
  drawnLine({ kind, route, fromEnd, toEnd, path }: Shape, width: number, height: number, strokeWidth: number): Float64Array {
    return this.#core.numbers(this.#exports.drawnLine(
      Number(kind === 'ink'), choiceNumber('route', route), choiceNumber('fromEnd', fromEnd), choiceNumber('toEnd', toEnd),
      width, height, strokeWidth, this.#core.writeNumbers(path.flat()) / 3))
  }
  /**
   * A text as it is drawn (S18), with signs in place of its marks: see Sources/CanvasCRDT/Shapes/DrawnText.swift. Until
   * exchange.wasm is loaded, it is as it is written.
   */
  drawnText(text: string): string {
    if (!this.#core.hasExchange) return text
    const { exchange } = this.#core
    return exchange.text(exchange.exports.drawnText(exchange.writeText(text)))
  }
  /** A text without its marks. */
  unmarked(text: string): string { return this.drawnText(text).replace(/[\u0001-\u0005]/g, '') }
  /** The addresses in a text. */
  addresses(text: string): string[] {
    return Array.from(this.drawnText(text).matchAll(/[\u0003\u0004]([^\u0001-\u0005\n]+)/g), ([, address]) => address)
  }
  /** The identifiers of all shapes, from the back to the front. */
  drawingOrder(): number[] { return Array.from(this.#numbers('drawingOrder')) }
  /**
   * The name that is shown for a shape.
   *
   * @returns an empty text if the shape doesn't exist
   */
  shownName(id: number): string { return this.#text('shownName', id) }
  /** The shown names of all shapes, in drawing order. */
  shownNames(): string[] { return this.#text('shownNames').split('\n').slice(0, -1) }
  shapeNamed(name: string): number | null {
    const shape = this.#exports.shapeNamed(this.#handle, this.#core.writeText(name))
    return shape < 0 ? null : shape
  }
  written(id: number, property: string): { actor: number, milliseconds: number } | null {
    const [actor, milliseconds] = this.#numbers('written', id, properties.findIndex(({ name }) => name === property))
    return actor === undefined ? null : { actor, milliseconds }
  }

  // Shapes at a place, and overlaps.

  /** The shapes at a point, the topmost first. */
  shapesAt(x: number, y: number): number[] { return Array.from(this.#numbers('shapesAt', x, y)) }
  /** The shapes that might be visible within a distance from a point, the topmost first. */
  shapesNear(x: number, y: number, distance: number): number[] {
    return Array.from(this.#numbers('shapesNear', x, y, distance))
  }
  /** The shapes that overlap a box, or only the shapes that lie completely inside it, from the back to the front. */
  shapesInBox({ x, y, width, height }: Box, wholly = false): number[] {
    return Array.from(this.#numbers('shapesInBox', x, y, width, height, wholly ? 1 : 0))
  }
  /** The nearest place where a box of this size would overlap no shape. */
  freePlace({ width, height }: { width: number, height: number }, { x, y }: Point): { x: number, y: number } | null {
    const exchange = this.#exchange()
    return readPoints(exchange.numbers(exchange.exports.freePlace(width, height, x, y)))[0] ?? null
  }
  /** The box around these shapes, or around all shapes if none are given. */
  bounds(shapes: number[] = []) {
    const [x, y, width, height] = this.#numbers('bounds', this.#core.writeNumbers(shapes))
    return x === undefined ? null : { x, y, width, height }
  }
  /**
   * A shape's outline as a polygon.
   *
   * @param flatness the greatest distance between the polygon and a curve
   */
  outline(id: number, flatness = 0.25): { x: number, y: number }[] {
    return readPoints(this.#numbers('outline', id, flatness))
  }
  /** All pairs of shapes that overlap. */
  overlapPairs(): [number, number][] {
    const numbers = this.#numbers('overlapPairs')
    const pairs: [number, number][] = []
    for (let at = 0; at < numbers.length; at += 2) pairs.push([numbers[at], numbers[at + 1]])
    return pairs
  }
  /** The other shapes that a shape overlaps. */
  neighbours(id: number): number[] { return Array.from(this.#numbers('neighbours', id)) }
  /** The intersection of two shapes, as polygons. */
  commonRegion(first: number, second: number): { x: number, y: number }[][] {
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
   * @param stamps whether to include who wrote each value, and when
   */
  exportDrawing(stamps = false) {
    const exchange = this.#exchange()
    return exchange.text(exchange.exports.drawing(exchange.writeText(this.status().room ?? ''), stamps ? 1 : 0))
  }
  /** A document with only these shapes, for copying. */
  exportShapes(shapes: number[]) {
    const exchange = this.#exchange()
    return exchange.text(exchange.exports.drawingOf(exchange.writeNumbers(shapes)))
  }
  /**
   * The drawing as SVG.
   *
   * @param title none if it is left out
   * @param overlaps whether overlaps are marked in it
   */
  exportPicture(title = '', overlaps = false) {
    const exchange = this.#exchange()
    return exchange.text(exchange.exports.picture(exchange.writeText(title), overlaps ? 1 : 0))
  }

  // Status.

  status(): { actor: number, room?: string, role?: string, state: string, cursor?: string, limits: {
    [limit: string]: number,
  }, peers: Peer[] } { return JSON.parse(this.#text('status')) }
  get actor() { return this.#exports.actor(this.#handle) }
  get shapeCount() { return this.#exports.shapeCount(this.#handle) }
  get unsentCount() { return this.#exports.unsentCount(this.#handle) }
  get canUndo() { return this.#exports.canUndo(this.#handle) !== 0 }
  get canRedo() { return this.#exports.canRedo(this.#handle) !== 0 }
  /** The digest of the shown drawing, as sixteen hexadecimal digits. */
  get digest() { return digestText(this.#exports.digest(this.#handle, 0)) }
  /** The digest of the drawing that the server has confirmed. */
  get confirmedDigest() { return digestText(this.#exports.digest(this.#handle, 1)) }
  /** The current time by the server's clock. */
  get serverMilliseconds() { return this.#exports.serverMilliseconds(this.#handle, ...this.#now()) }
}

/** The number that stands for a word of a property such as `route`. */
const choiceNumber = (property: string, word: string) => choiceWords.get(property)?.indexOf(word) ?? 0
const choiceWords = new Map(properties.map(({ name, words }) => [name, words]))
