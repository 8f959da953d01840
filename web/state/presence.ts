import { Source } from '../basics/source.js'
import { presenceBound as bound } from '../core/table.js'
import type { Box, Effect, Peer, Point } from '../core/types.js'
import { identifierNumber, identifierText } from '../core/values.js'
import type { Connection } from '../network/connection.js'

type OwnState = {
  cursor?: number[], selection?: string[], lifted?: string[], view?: number[], writing?: string, typed?: string,
  ink?: { shape: string, color: string, width: number, at: number, points: number[], widths?: number[] },
  restored?: number[], putBack?: number[], laser?: Laser, guides?: true, follows?: string,
}

/**
 * The newest points of a laser pointer's stroke. `stroke`: its number. `at`: the index of its first point here. `points`:
 * two numbers for each point.
 */
export type Laser = { stroke: number, at: number, points: number[] }

/**
 * Says that a person has restored an older state. `asOf`: the time of that state. `from` and `until`: when the writing
 * of that state began and ended. All times are by the server's clock.
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
  /** The part of the canvas that this person sees. */
  view: Box | null
  /** The shape whose text this person is writing. */
  writing: number | null
  /** That text as far as it is written, or the part of a long one where this person is; null if it is unchanged. */
  typed: string | null
  /** What this person is drawing with the pen. */
  ink: InkPiece | null
  /** Whether this person asks others to follow. */
  guides: boolean
  /** The actor that this person follows, or null. */
  follows: number | null
  /** Where this person points with the laser pointer. */
  laser: Laser | null
  /** The last restoration of an older state by this person. */
  restored: Restored | null
  /** When this person put back texts that others had written over: the times of these edits, the newest last. */
  putBack: number[]
}

/**
 * A piece of an unfinished stroke. `at`: the index of its first point. `points`: two numbers for each point. `widths`:
 * hundredths of `width` for each point; null if all are 100.
 */
type InkPiece = { shape: number, color: string, width: number, at: number, points: number[], widths: number[] | null }

/**
 * The presence of this person and of others. `people`: a person came, left or changed their name. `change`: any
 * presence has changed. `putBack`: this person has put back a text.
 *
 * Other clients may send any JSON as presence. This class drops all values of unexpected form.
 */
export class Presence extends Source<{ people: Person[], change: null, putBack: Person }> {
  #connection
  #own: OwnState = {}
  /** What others were told last, as JSON. */
  #told = '{}'
  #isHidden = false
  #people = new Map<number, Person>()
  /** The number of people in the room, if the server doesn't list all of them; otherwise 0. */
  #crowd = 0

  constructor(connection: Connection) {
    super()
    this.#connection = connection
    connection.on('effect', (effect) => this.#take(effect))
  }

  /** The number of other people in the room whom the server doesn't list, because there are too many. */
  get unnamedCount() { return Math.max(0, this.#crowd - this.#people.size - 1) }

  /** The other people in the room whom the server lists. */
  people(): Person[] { return [...this.#people.values()] }

  person(actor: number): Person | null { return this.#people.get(actor) ?? null }

  /** @param isHidden whether the person is in another tab; until they are back, they point at nothing here */
  setHidden(isHidden: boolean) {
    this.#isHidden = isHidden
    this.#tellOthers({})
  }

  /** @param point in canvas coordinates; null if the pointer is not over the canvas */
  setCursor(point: Point | null) { this.#tellOthers({ cursor: point ? [round(point.x), round(point.y)] : undefined }) }
  setSelection(ids: number[]) { this.#tellOthers({ selection: namesOf(ids) }) }
  setLifted(ids: number[]) { this.#tellOthers({ lifted: namesOf(ids) }) }
  /**
   * @param id the shape whose text this person is writing, or null
   * @param text what is written so far, once it has changed; others are told the part of a long text around `caret`
   */
  setWriting(id: number | null, text?: string, caret = 0) {
    const typed = id === null || text === undefined ? undefined : partAround(text, caret)
    this.#tellOthers({ writing: id === null ? undefined : identifierText(id), typed })
  }
  /**
   * Sets the stroke that this person is drawing. The stroke is sent in pieces. Consecutive pieces overlap, so that
   * nothing is missing if one of them gets lost.
   */
  setInk(ink: { shape: number, color: string, width: number, points: (Point & { width: number })[] } | null) {
    if (!ink) return this.#tellOthers({ ink: undefined })
    const { shape, color, width, points } = ink
    const at = Math.max(0, points.length - bound.inkPoints)
    const newest = points.slice(at)
    const told = newest.flatMap(({ x, y }) => [round(x), round(y)])
    const widths = newest.some(({ width }) => width !== 100) ? newest.map(({ width }) => width) : undefined
    this.#tellOthers({ ink: { shape: identifierText(shape), color, width, at, points: told, widths } })
  }
  get isGuiding() { return this.#own.guides ?? false }
  /** @param isOn whether this person asks others to follow */
  setGuiding(isOn: boolean) { this.#tellOthers({ guides: isOn || undefined }) }
  /** @param actor the one that this person follows, or null */
  setFollowed(actor: number | null) { this.#tellOthers({ follows: actor === null ? undefined : identifierText(actor) }) }

  /** This person's own laser pointer. */
  get ownLaser() { return this.#own.laser ?? null }

  #laserStrokes = 0

  newLaserStroke() { return ++this.#laserStrokes }

  /** @param points the whole stroke, of which others are told the newest points */
  setLaser(stroke: number, points: Point[]) {
    const at = Math.max(0, points.length - bound.laserPoints)
    this.#tellOthers({ laser: { stroke, at, points: points.slice(at).flatMap(({ x, y }) => [round(x), round(y)]) } })
  }

  endLaser(stroke: number) { if (this.#own.laser?.stroke === stroke) this.#tellOthers({ laser: undefined }) }

  /** @param restored which state was restored, for the pages of other people */
  setRestored({ asOf, from, until }: Restored) { this.#tellOthers({ restored: [asOf, from, until] }) }
  setPutBack(times: number[]) { this.#tellOthers({ putBack: times.slice(-putBackMax) }) }
  setView({ x, y, width, height }: Box) { this.#tellOthers({ view: [x, y, width, height].map(round) }) }

  #take(effect: Effect) {
    switch (effect.type) {
      case 'peers':
        this.#people.clear()
        for (const peer of effect.peers) this.#note(peer)
        return this.#changed(true)
      case 'joined':
        this.#note(effect.peer)
        return this.#changed(true)
      case 'presence':
        this.#note(effect.peer)
        return this.#changed(false)
      case 'crowd':
        this.#crowd = effect.people
        return this.#changed(true)
      case 'left':
        this.#people.delete(effect.actor)
        return this.#changed(true)
    }
  }

  #note(peer: Peer) {
    const noted = person(peer)
    const newest = noted.putBack.at(-1)
    const isNew = newest && newest !== this.person(peer.actor)?.putBack.at(-1)
    this.#people.set(peer.actor, noted)
    this.#connection.replica.noteWriting(peer.actor, noted.writing)
    if (isNew) this.tell('putBack', noted)
  }

  #tellOthers(part: OwnState) {
    this.#own = { ...this.#own, ...part }
    const { cursor, selection, ...lasting } = this.#own
    const state = this.#isHidden ? lasting : this.#own
    const told = JSON.stringify(state)
    if (told === this.#told) return
    this.#told = told
    this.#connection.perform(this.#connection.replica.setPresence(state))
  }

  #changed(isAboutWho: boolean) {
    this.tell('change', null)
    if (isAboutWho) this.tell('people', this.people())
  }
}

/** How many of the texts that this person has put back are in their presence. */
const putBackMax = 8

const namesOf = (ids: number[]) => (ids.length > 0 ? ids.slice(0, bound.shapes).map(identifierText) : undefined)

const round = (number: number) => Math.round(number * bound.stepsPerUnit) / bound.stepsPerUnit

function partAround(text: string, caret: number) {
  if (text.length <= bound.typed) return text
  const from = Math.max(0, Math.min(caret - bound.typed / 2, text.length - bound.typed))
  const part = text.slice(from, from + bound.typed).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
  return `${from > 0 ? '…' : ''}${part}${from + bound.typed < text.length ? '…' : ''}`
}

/** Control characters except line feeds, which a text can't have. */
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g

const typedText = (value: unknown) =>
  (typeof value === 'string' && value.length <= bound.typed + 2 ? value.replace(controls, '') : null)

/** The shortest side of a view. */
const smallest = 1e-2

const numbers = (value: unknown, count: number): number[] | null =>
  Array.isArray(value) && value.length === count
  && value.every((number) => Number.isFinite(number) && Math.abs(number) <= bound.coordinate) ? value : null

/** The latest moment, in milliseconds, that JavaScript's dates can represent. */
const momentMax = 8.64e15

const moments = (value: unknown, count: number): number[] | null =>
  Array.isArray(value) && value.length === count && value.every((at) => Number.isFinite(at) && at >= 0 && at <= momentMax) ? value : null

const identifiers = (value: unknown): number[] =>
  Array.isArray(value)
    ? value.filter((text) => typeof text === 'string').map(identifierNumber).filter(Number.isFinite).slice(0, bound.shapes) : []

function inkPiece(value: unknown): InkPiece | null {
  const { shape, color, width, at, points, widths } = Object(value) as { [part: string]: any }
  if (typeof shape !== 'string' || typeof color !== 'string') return null
  const number = identifierNumber(shape)
  const told = Array.isArray(points) && points.length % 2 === 0 && points.length <= 2 * bound.inkPoints ? numbers(points, points.length) : null
  const isWhole = Number.isInteger(at) && at >= 0 && at <= bound.inkIndex
  const isWide = typeof width === 'number' && width > 0 && width <= bound.inkWidth
  if (!Number.isFinite(number) || !told || !isWhole || !isWide || !/^#[0-9A-Fa-f]{6}$/.test(color)) return null
  const areWidths = Array.isArray(widths) && widths.length === told.length / 2
    && widths.every((each) => typeof each === 'number' && each >= 1 && each <= 200)
  return { shape: number, color, width, at, points: told, widths: areWidths ? widths : null }
}

function laserStroke(value: unknown): Laser | null {
  const { stroke, at, points } = Object(value) as { [part: string]: any }
  const told = Array.isArray(points) && points.length % 2 === 0 && points.length <= 2 * bound.laserPoints ? numbers(points, points.length) : null
  const isIndex = (index: unknown) => Number.isInteger(index) && Number(index) >= 0 && Number(index) <= bound.laserIndex
  return told && isIndex(stroke) && isIndex(at) ? { stroke, at, points: told } : null
}

function person({ actor, name, color, state }: Peer): Person {
  const cursor = numbers(state?.cursor, 2)
  const view = numbers(state?.view, 4)
  const restoration = moments(state?.restored, 3)
  const { putBack } = Object(state)
  return {
    actor,
    name: name || 'Someone',
    color: /^#[0-9A-Fa-f]{6}$/.test(color) ? color : '#6B6A66',
    cursor: cursor && { x: cursor[0], y: cursor[1] },
    selection: identifiers(state?.selection),
    lifted: identifiers(state?.lifted),
    writing: identifiers([state?.writing])[0] ?? null,
    typed: typedText(state?.typed),
    ink: inkPiece(state?.ink),
    guides: state?.guides === true,
    follows: identifiers([state?.follows])[0] ?? null,
    laser: laserStroke(state?.laser),
    restored: restoration && { asOf: restoration[0], from: restoration[1], until: restoration[2] },
    putBack: moments(putBack, Math.min(putBack?.length, putBackMax)) ?? [],
    view: view && view[2] >= smallest && view[3] >= smallest ? { x: view[0], y: view[1], width: view[2], height: view[3] } : null,
  }
}
