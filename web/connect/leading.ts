import { abandonNew, stillFree } from '../arrange/held.js'
import type { Reach } from '../arrange/reach.js'
import { isSameTie, tieAt } from '../arrange/ties.js'
import { bent, leading, ledAnew, setPointsOf } from '../canvas/lines.js'
import type { Shape, Tie } from '../core/table.js'
import type { Changes, Point, Values } from '../core/types.js'
import type { Drag } from '../gestures/recogniser.js'
import { leadAround } from './around.js'

// Draws lines, and moves their points. Each gesture is one step of undo.

/** In CSS pixels: a shorter line is discarded, because it was probably an accident. */
const shortest = 6
/** In CSS pixels: a bend is removed if it is closer than this to the straight line. */
const straightReach = 5
/** In degrees: while shift is held, a line's direction is a multiple of this. */
const turnStep = 15

/** Rounds the direction from one point to another, to a multiple of `turnStep`. */
function inSteps(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const step = turnStep * Math.PI / 180
  const turn = Math.round(Math.atan2(to.y - from.y, to.x - from.x) / step) * step
  return { x: from.x + length * Math.cos(turn), y: from.y + length * Math.sin(turn) }
}

/** The shapes that the gesture changes, and those to which it ties the line: see `Act.inHand`. */
const inHand = (line: number | null, ties: (Tie | null)[]) =>
  ({ held: line === null ? [] : [line], tied: ties.flatMap((tie) => tie?.shape ?? []) })

/** Draws a new line. An end that lies over a shape is tied to that shape. */
export class Lining {
  #reach
  #start
  #hand
  #from
  #step
  #line: number | null = null
  /** What was made, also if somebody has locked it since. */
  #made: number[]
  #to: Tie | null = null
  #route

  constructor(reach: Pick<Reach, 'editing' | 'selection' | 'shown' | 'view'>, gesture: Drag, look: Values & { route?: Shape['route'] }) {
    this.#reach = reach
    this.#route = look.route ?? 'straight'
    const { editing, selection, view } = reach
    const start = view.toCanvas(gesture.start)
    const tied = gesture.ctrl || gesture.meta ? null : tieAt(reach, start)
    this.#start = tied?.at ?? start
    this.#from = tied?.tie ?? null
    this.#hand = this.#start
    this.#step = editing.openStep()
    const added = editing.edit((replica) => replica.add({
      kind: 'line', ...leading([this.#start, this.#start]), ...look, ...tied && { from: tied.tie },
    }))
    this.#line = added?.shape ?? null
    this.#made = this.#line === null ? [] : [this.#line]
    selection.clear()
  }

  get cursor() { return 'crosshair' }
  get inHand() { return inHand(this.#line, [this.#from, this.#to]) }

  follow() { this.#line = stillFree(this.#reach, this.#line) }

  move(gesture: Drag) {
    const line = this.#line
    if (line === null) return
    const hand = this.#reach.view.toCanvas(gesture)
    const tied = gesture.ctrl || gesture.meta || gesture.shift ? null : tieAt(this.#reach, hand)
    this.#hand = tied?.at ?? (gesture.shift ? inSteps(this.#start, hand) : hand)
    const to = tied?.tie ?? null
    const set = { ...leading(bent([this.#start, this.#hand], this.#route)), ...!isSameTie(to, this.#to) && { to } }
    this.#to = to
    this.#reach.editing.edit((replica) => replica.edit([{ shape: line, set }]))
  }

  end(gesture: Drag) {
    this.move(gesture)
    const { selection, view } = this.#reach
    const isShort = Math.hypot(this.#hand.x - this.#start.x, this.#hand.y - this.#start.y) * view.scale < shortest
    if (isShort) return abandonNew(this.#reach, this.#step, this.#made)
    if (this.#line !== null) leadAround(this.#reach, this.#line)
    this.#step.end()
    if (this.#line !== null) selection.set([this.#line])
  }

  cancel(gesture: Drag) {
    if (gesture.reason === 'interrupted') this.end(gesture)
    else abandonNew(this.#reach, this.#step, this.#made)
  }
}

/** Moves a point of a line: an end, a bend, or a new bend in the middle between two points. */
export class Leading {
  #reach
  #step
  #points
  #before
  #index
  #line: number | null
  /** The tie of the end that is moved. */
  #tie: Tie | null = null

  constructor(reach: Pick<Reach, 'editing' | 'shown' | 'view'>, gesture: Drag, line: number) {
    this.#reach = reach
    this.#step = reach.editing.openStep()
    const shape = reach.shown.replica.shape(line)
    this.#line = stillFree(reach, line)
    this.#before = shape
    this.#points = shape ? setPointsOf(shape) : []
    const { index = 0, handle } = gesture.target
    this.#index = handle === 'bend' ? index + 1 : index
    if (handle === 'bend') this.#points.splice(this.#index, 0, reach.view.toCanvas(gesture.start))
  }

  get cursor() { return 'crosshair' }
  get inHand() { return inHand(this.#line, [this.#tie]) }

  /** Takes the points that others have moved. The one in the hand is written anew with its next movement. */
  follow({ shapes }: Changes) {
    this.#line = stillFree(this.#reach, this.#line)
    const { live } = this.#reach.shown
    const theirs = shapes.find(({ id, by }) => id === this.#line && by > 0 && by !== live.actor)?.shape
    const points = theirs ? setPointsOf(theirs) : []
    if (!theirs || points.length !== this.#points.length) return
    this.#points = points
    this.#before = theirs
  }

  /** The end that is moved; null if a bend is moved. */
  get #end() { return this.#index === 0 ? 'from' : this.#index === this.#points.length - 1 ? 'to' : null }

  move(gesture: Drag) {
    if (this.#line === null) return
    const hand = this.#reach.view.toCanvas(gesture)
    const end = this.#end
    const neighbour = this.#points[this.#index === 0 ? 1 : this.#index - 1]
    const tied = end === null || gesture.ctrl || gesture.meta || gesture.shift ? null : tieAt(this.#reach, hand)
    this.#tie = tied?.tie ?? null
    this.#points[this.#index] = tied?.at ?? (gesture.shift ? inSteps(neighbour, hand) : hand)
    this.#write(end ? { [end]: this.#tie } : {})
  }

  #write(more: Values) {
    const line = this.#line
    if (line === null || !this.#before) return
    const others = this.#points.filter((_, index) => index !== this.#index)
    const set = { ...ledAnew(this.#before, this.#points, others), ...more }
    this.#reach.editing.edit((replica) => replica.edit([{ shape: line, set }]))
  }

  end(gesture: Drag) {
    this.move(gesture)
    if (this.#line !== null && this.#end === null && this.#isStraight()) {
      this.#points.splice(this.#index, 1)
      this.#write({})
    }
    this.#step.end()
  }

  #isStraight() {
    const [before, point, after] = [-1, 0, 1].map((step) => this.#points[this.#index + step])
    const length = Math.hypot(after.x - before.x, after.y - before.y)
    if (length === 0) return true
    const off = Math.abs((after.x - before.x) * (point.y - before.y) - (after.y - before.y) * (point.x - before.x)) / length
    return off * this.#reach.view.scale < straightReach
  }

  cancel({ reason }: Drag) {
    if (reason === 'escape') this.#step.abandon()
    else this.#step.end()
  }
}
