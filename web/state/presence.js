import { Source } from '../basics/source.js'
import { identifierNumber, identifierText } from '../core/values.js'

/**
 * The upper bound on held shapes that are sent: more than anybody can follow, and few enough for the room's limit on
 * presence.
 */
const shapesToldMax = 150

/**
 * The upper bound on the points of a stroke that are sent at once, and on the points that are kept of others' strokes.
 * It is enough for minutes of drawing.
 */
const inkToldMax = 120
const inkKeptMax = 200_000

/** @typedef {import('../core/types.js').Point} Point */
/** @typedef {import('../core/types.js').Box} Box */
/**
 * @typedef {{cursor?: number[], selection?: string[], lifted?: string[], view?: number[], writing?: string,
 *   ink?: {shape: string, color: string, width: number, at: number, points: number[], widths?: number[]},
 *   restored?: number[]}} OwnState
 */

/**
 * The news that this person has restored an older state: the moment that the state is from, and the times between which
 * it was written, by the server's clock.
 *
 * @typedef {{asOf: number, from: number, until: number}} Restored
 */

/**
 * @typedef {object} Person
 * @property {number} actor
 * @property {string} name
 * @property {string} color `#RRGGBB`
 * @property {Point | null} cursor
 * @property {number[]} selection
 * @property {number[]} lifted
 * @property {Box | null} view what this person sees of the canvas
 * @property {number | null} writing the shape whose text this person is writing
 * @property {InkPiece | null} ink what this person is drawing with a pen now
 * @property {Restored | null} restored what this person did last by the history
 */

/**
 * The newest piece of an unfinished stroke: its points from the `at`-th on, two numbers for each, and the width at each
 * point in hundredths of `width`. The widths are left out if all are 100.
 *
 * @typedef {{shape: number, color: string, width: number, at: number, points: number[], widths: number[] | null}} InkPiece
 */

/**
 * The presence of this person and of the others. `people`: a person came, left or changed their name. `change`:
 * anybody's presence has changed.
 *
 * Peers may send any JSON as their presence. Only values of the expected form leave this class.
 *
 * @extends {Source<{people: Person[], change: null}>}
 */
export class Presence extends Source {
  #connection
  #pacing
  /** @type {OwnState} */
  #own = {}
  /**
   * Whether the line was full when this person's presence last changed. In that case the newest presence is sent when
   * the line is free.
   */
  #isBehind = false
  /** @type {Map<number, Person>} */
  #people = new Map()
  /** How many people are in the room, if the room doesn't name all of them; otherwise 0. */
  #crowd = 0

  /**
   * @param {import('../network/connection.js').Connection} connection
   * @param {import('../network/pacing.js').Pacing} pacing
   */
  constructor(connection, pacing) {
    super()
    this.#connection = connection
    this.#pacing = pacing
    pacing.on('free', () => { if (this.#isBehind) this.#tellNewest() })
    connection.on('effect', (effect) => this.#take(effect))
  }

  /** How many others are in the room without being named, because there are too many. */
  get unnamedCount() { return Math.max(0, this.#crowd - this.#people.size - 1) }

  /**
   * The others in the room whom the room names.
   *
   * @returns {Person[]}
   */
  people() { return [...this.#people.values()] }

  /** @param {number} actor @returns {Person | null} */
  person(actor) { return this.#people.get(actor) ?? null }

  /** @param {Point | null} point of the canvas; null if the pointer has left it */
  setCursor(point) { this.#tellOthers({ cursor: point ? [round(point.x), round(point.y)] : undefined }) }
  /** @param {number[]} ids */
  setSelection(ids) { this.#tellOthers({ selection: namesOf(ids) }) }
  /** @param {number[]} ids */
  setLifted(ids) { this.#tellOthers({ lifted: namesOf(ids) }) }
  /** @param {number | null} id the shape in which this person writes */
  setWriting(id) { this.#tellOthers({ writing: id === null ? undefined : identifierText(id) }) }
  /**
   * Sets the stroke that this person is drawing. The stroke is sent to the others in pieces. Consecutive pieces
   * overlap, so that one of them may be lost.
   *
   * @param {{shape: number, color: string, width: number, points: (Point & {width: number})[]} | null} ink
   */
  setInk(ink) {
    if (!ink) return this.#tellOthers({ ink: undefined })
    const { shape, color, width, points } = ink
    const at = Math.max(0, points.length - inkToldMax)
    const newest = points.slice(at)
    const told = newest.flatMap(({ x, y }) => [round(x), round(y)])
    const widths = newest.some(({ width }) => width !== 100) ? newest.map(({ width }) => width) : undefined
    this.#tellOthers({ ink: { shape: identifierText(shape), color, width, at, points: told, widths } })
  }
  /** @param {Restored} restored so that others can be told what has happened to their drawing */
  setRestored({ asOf, from, until }) { this.#tellOthers({ restored: [asOf, from, until] }) }
  /** @param {Box} box */
  setView({ x, y, width, height }) { this.#tellOthers({ view: [x, y, width, height].map(round) }) }

  /** @param {import('../core/types.js').Effect} effect */
  #take(effect) {
    switch (effect.type) {
      case 'peers':
        this.#people = new Map(effect.peers.map((peer) => [peer.actor, person(peer)]))
        return this.#changed(true)
      case 'joined':
        this.#people.set(effect.peer.actor, person(effect.peer))
        return this.#changed(true)
      case 'presence':
        this.#people.set(effect.peer.actor, person(effect.peer))
        return this.#changed(false)
      case 'crowd':
        this.#crowd = effect.people
        return this.#changed(true)
      case 'left':
        this.#people.delete(effect.actor)
        return this.#changed(true)
    }
  }

  /** @param {OwnState} part */
  #tellOthers(part) {
    const next = { ...this.#own, ...part }
    if (JSON.stringify(next) === JSON.stringify(this.#own)) return
    this.#own = next
    this.#isBehind = !this.#pacing.isFree
    if (!this.#isBehind) this.#tellNewest()
  }

  #tellNewest() {
    this.#isBehind = false
    this.#pacing.use()
    this.#connection.perform(this.#connection.replica.setPresence(this.#own))
  }

  /** @param {boolean} isAboutWho */
  #changed(isAboutWho) {
    this.tell('change', null)
    if (isAboutWho) this.tell('people', this.people())
  }
}

/** @param {number[]} ids */
const namesOf = (ids) => (ids.length > 0 ? ids.slice(0, shapesToldMax).map(identifierText) : undefined)

/** @param {number} number */
const round = (number) => Math.round(number * 10) / 10

/** A coordinate beyond this is outside every canvas, and too large for exact arithmetic. */
const farthest = 1e8
const smallest = 1e-2

/** @param {unknown} value @param {number} count @returns {number[] | null} */
const numbers = (value, count) =>
  Array.isArray(value) && value.length === count
  && value.every((number) => Number.isFinite(number) && Math.abs(number) <= farthest) ? value : null

/** The latest moment, in milliseconds, that JavaScript's dates can represent. */
const momentMax = 8.64e15

/** @param {unknown} value @param {number} count @returns {number[] | null} */
const moments = (value, count) =>
  Array.isArray(value) && value.length === count && value.every((at) => Number.isFinite(at) && at >= 0 && at <= momentMax) ? value : null

/** @param {unknown} value @returns {number[]} */
const identifiers = (value) =>
  Array.isArray(value)
    ? value.slice(0, shapesToldMax).filter((text) => typeof text === 'string').map(identifierNumber).filter(Number.isFinite) : []

/** @param {unknown} value @returns {InkPiece | null} */
function inkPiece(value) {
  const { shape, color, width, at, points, widths } = /** @type {{[part: string]: any}} */ (Object(value))
  if (typeof shape !== 'string' || typeof color !== 'string') return null
  const number = identifierNumber(shape)
  const told = Array.isArray(points) && points.length % 2 === 0 && points.length <= 2 * inkToldMax ? numbers(points, points.length) : null
  const isWhole = Number.isInteger(at) && at >= 0 && at <= inkKeptMax
  const isWide = typeof width === 'number' && width > 0 && width <= 1000
  if (!Number.isFinite(number) || !told || !isWhole || !isWide || !/^#[0-9A-Fa-f]{6}$/.test(color)) return null
  const areWidths = Array.isArray(widths) && widths.length === told.length / 2
    && widths.every((each) => typeof each === 'number' && each >= 1 && each <= 200)
  return { shape: number, color, width, at, points: told, widths: areWidths ? widths : null }
}

/** @param {import('../core/types.js').Peer} peer @returns {Person} */
function person({ actor, name, color, state }) {
  const cursor = numbers(state?.cursor, 2)
  const view = numbers(state?.view, 4)
  const restoration = moments(state?.restored, 3)
  return {
    actor,
    name: name || 'Someone',
    color: /^#[0-9A-Fa-f]{6}$/.test(color) ? color : '#6B6A66',
    cursor: cursor && { x: cursor[0], y: cursor[1] },
    selection: identifiers(state?.selection),
    lifted: identifiers(state?.lifted),
    writing: identifiers([state?.writing])[0] ?? null,
    ink: inkPiece(state?.ink),
    restored: restoration && { asOf: restoration[0], from: restoration[1], until: restoration[2] },
    view: view && view[2] >= smallest && view[3] >= smallest ? { x: view[0], y: view[1], width: view[2], height: view[3] } : null,
  }
}
