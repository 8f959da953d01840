import { Source } from '../basics/source.js'
import type { Box, Effect, Peer, Point } from '../core/types.js'
import { identifierNumber, identifierText } from '../core/values.js'
import type { Connection } from '../network/connection.js'
import type { Pacing } from '../network/pacing.js'

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

type OwnState = {
  cursor?: number[], selection?: string[], lifted?: string[], view?: number[], writing?: string,
  ink?: { shape: string, color: string, width: number, at: number, points: number[], widths?: number[] },
  restored?: number[],
}

/**
 * The news that this person has restored an older state: the moment that the state is from, and the times between which
 * it was written, by the server's clock.
 */
export type Restored = { asOf: number, from: number, until: number }

export interface Person {
  actor: number
  name: string
  /** `#RRGGBB`. */
  color: string
  cursor: Point | null
  selection: number[]
  lifted: number[]
  /** What this person sees of the canvas. */
  view: Box | null
  /** The shape whose text this person is writing. */
  writing: number | null
  /** What this person is drawing with a pen now. */
  ink: InkPiece | null
  /** What this person did last by the history. */
  restored: Restored | null
}

/**
 * The newest piece of an unfinished stroke: its points from the `at`-th on, two numbers for each, and the width at each
 * point in hundredths of `width`. The widths are left out if all are 100.
 */
type InkPiece = { shape: number, color: string, width: number, at: number, points: number[], widths: number[] | null }

/**
 * The presence of this person and of the others. `people`: a person came, left or changed their name. `change`:
 * anybody's presence has changed.
 *
 * Peers may send any JSON as their presence. Only values of the expected form leave this class.
 */
export class Presence extends Source<{ people: Person[], change: null }> {
  #connection
  #pacing
  #own: OwnState = {}
  /**
   * Whether the line was full when this person's presence last changed. In that case the newest presence is sent when
   * the line is free.
   */
  #isBehind = false
  #people = new Map<number, Person>()
  /** How many people are in the room, if the room doesn't name all of them; otherwise 0. */
  #crowd = 0

  constructor(connection: Connection, pacing: Pacing) {
    super()
    this.#connection = connection
    this.#pacing = pacing
    pacing.on('free', () => { if (this.#isBehind) this.#tellNewest() })
    connection.on('effect', (effect) => this.#take(effect))
  }

  /** How many others are in the room without being named, because there are too many. */
  get unnamedCount() { return Math.max(0, this.#crowd - this.#people.size - 1) }

  /** The others in the room whom the room names. */
  people(): Person[] { return [...this.#people.values()] }

  person(actor: number): Person | null { return this.#people.get(actor) ?? null }

  /** @param point of the canvas; null if the pointer has left it */
  setCursor(point: Point | null) { this.#tellOthers({ cursor: point ? [round(point.x), round(point.y)] : undefined }) }
  setSelection(ids: number[]) { this.#tellOthers({ selection: namesOf(ids) }) }
  setLifted(ids: number[]) { this.#tellOthers({ lifted: namesOf(ids) }) }
  /** @param id the shape in which this person writes */
  setWriting(id: number | null) { this.#tellOthers({ writing: id === null ? undefined : identifierText(id) }) }
  /**
   * Sets the stroke that this person is drawing. The stroke is sent to the others in pieces. Consecutive pieces
   * overlap, so that one of them may be lost.
   */
  setInk(ink: { shape: number, color: string, width: number, points: (Point & { width: number })[] } | null) {
    if (!ink) return this.#tellOthers({ ink: undefined })
    const { shape, color, width, points } = ink
    const at = Math.max(0, points.length - inkToldMax)
    const newest = points.slice(at)
    const told = newest.flatMap(({ x, y }) => [round(x), round(y)])
    const widths = newest.some(({ width }) => width !== 100) ? newest.map(({ width }) => width) : undefined
    this.#tellOthers({ ink: { shape: identifierText(shape), color, width, at, points: told, widths } })
  }
  /** @param restored so that others can be told what has happened to their drawing */
  setRestored({ asOf, from, until }: Restored) { this.#tellOthers({ restored: [asOf, from, until] }) }
  setView({ x, y, width, height }: Box) { this.#tellOthers({ view: [x, y, width, height].map(round) }) }

  #take(effect: Effect) {
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

  #tellOthers(part: OwnState) {
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

  #changed(isAboutWho: boolean) {
    this.tell('change', null)
    if (isAboutWho) this.tell('people', this.people())
  }
}

const namesOf = (ids: number[]) => (ids.length > 0 ? ids.slice(0, shapesToldMax).map(identifierText) : undefined)

const round = (number: number) => Math.round(number * 10) / 10

/** A coordinate beyond this is outside every canvas, and too large for exact arithmetic. */
const farthest = 1e8
const smallest = 1e-2

const numbers = (value: unknown, count: number): number[] | null =>
  Array.isArray(value) && value.length === count
  && value.every((number) => Number.isFinite(number) && Math.abs(number) <= farthest) ? value : null

/** The latest moment, in milliseconds, that JavaScript's dates can represent. */
const momentMax = 8.64e15

const moments = (value: unknown, count: number): number[] | null =>
  Array.isArray(value) && value.length === count && value.every((at) => Number.isFinite(at) && at >= 0 && at <= momentMax) ? value : null

const identifiers = (value: unknown): number[] =>
  Array.isArray(value)
    ? value.slice(0, shapesToldMax).filter((text) => typeof text === 'string').map(identifierNumber).filter(Number.isFinite) : []

function inkPiece(value: unknown): InkPiece | null {
  const { shape, color, width, at, points, widths } = Object(value) as { [part: string]: any }
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

function person({ actor, name, color, state }: Peer): Person {
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
