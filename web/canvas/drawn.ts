import type { Shape } from '../core/table.js'
import type { Shown } from '../state/shown.js'
import { captionBox } from './captions.js'
import { crossings } from './dashes.js'
import { DrawnLine, isStroke, strokeReach } from './lines.js'
import { blendColors, blendDegrees, packedColor, Steps, Way } from './motion.js'
import type { Region } from './regions.js'
import type { DrawnLines } from './text.js'

/** The fractions by which a lifted shape is drawn larger and fainter. */
const liftGrowth = 0.06
const liftFade = 0.15
/** The scale from which a new shape grows, and to which a deleted shape shrinks. */
const smallest = 0.8

const numbers = ['x', 'y', 'width', 'height', 'strokeWidth', 'cornerRadius', 'innerRatio'] as const

type Look = Record<typeof numbers[number] | 'rotation' | 'fill' | 'stroke' | 'level', number>

type Departure = {
  x: number, y: number, width: number, height: number, rotation: number, toX: number, toY: number, toWidth: number,
  toHeight: number, strokeWidth: number, cornerRadius: number,
}

/** One shape as it is drawn now. During a transition this differs from the shape's actual place and look. */
export class Drawn {
  /** The shape's actual values. */
  shape: Shape
  id
  // Where the shape is drawn, in canvas coordinates. If the shape is lifted, it is drawn enlarged, and these values
  // don't include that.
  x = 0
  y = 0
  width = 1
  height = 1
  rotation = 0
  strokeWidth = 0
  cornerRadius = 0
  innerRatio = 0.5
  /** 0xRRGGBB */
  fill = 0
  stroke = 0
  /** 0 if the shape is invisible. */
  opacity = 1
  /** The factor by which the shape is enlarged around its centre. */
  growth = 1
  /** The axis-aligned bounding box of everything that is painted for the shape. */
  left = 0
  top = 0
  right = 0
  bottom = 0
  /** The outline relative to the shape's centre, cached until the form changes. */
  path: Path2D | null = null
  /** What is painted of a line or of ink, cached until it changes. */
  #line: DrawnLine | null = null
  /** The lines of the shape's text, cached until the text or the line width changes. */
  lines: DrawnLines | null = null
  /** Whether this person is editing the shape's text, so that a text field over the shape shows it. */
  isWritten = false
  /** Whether another person is writing the text, so that the overlay shows it. */
  isTyped = false
  /** The regions in which this shape overlaps others. */
  regions = new Set<Region>()
  /** The shape's index in the drawing order. */
  place = 0
  /** The animation of a deleted shape: it fades, or it is drawn into the black hole. */
  leaving: 'fading' | 'drawn in' | null = null

  /** The look from which the transition in progress began. */
  #glide: { from: Look, way: Way } | null = null
  #shown
  #lift = 0
  #liftWay: Way | null = null
  #presence = 1
  #presenceWay: Way | null = null
  #departure: { from: Departure, way: Way } | null = null
  /** The timing of the shape's recent changes; null for a shape that hasn't changed while it was visible. */
  #steps: Steps | null = null

  constructor(shape: Shape, shown: Shown) {
    this.shape = shape
    this.#shown = shown
    this.id = shape.id
    this.#settle()
    this.advance(0)
  }

  /** Whether the shape's look will change without a new edit, because a transition is in progress. */
  get moves() {
    return this.#glide !== null || this.#liftWay !== null || this.#presenceWay !== null || this.#departure !== null
  }

  /** What is painted of a line or of ink. */
  get line(): DrawnLine {
    const { shape, width, height, strokeWidth } = this
    return this.#line ??= new DrawnLine(
      this.#shown.replica.drawnLine(shape, width, height, strokeWidth),
      // A dashed or dotted line becomes one path, because its dash pattern would begin anew in each further path.
      shape.dash === 'solid' ? crossings * (width + height) : Infinity)
  }

  get isLifted() { return (this.#liftWay?.to ?? this.#lift) > 0 }

  /** The centre, which is the same whether the shape is lifted or not. */
  get centerX() { return this.x + this.width / 2 }
  get centerY() { return this.y + this.height / 2 }

  /**
   * Takes a changed state of the shape. If `milliseconds` is 0, there is no transition.
   *
   * While another person drags a shape, new places arrive several times a second. Each transition takes as long as the
   * average interval between them, so that the shape moves evenly. A shape that this person drags has no transition.
   */
  become(shape: Shape, now: number, milliseconds: number, isOwn: boolean) {
    this.#steps ??= new Steps()
    const step = this.#steps.take(now)
    this.shape = shape
    if (this.leaving) {
      this.leaving = null
      this.#departure = null
      this.#presenceWay = milliseconds > 0 ? new Way(this.#presence, 1, now, milliseconds) : null
      this.#presence = 1
    }
    if (milliseconds === 0 || (isOwn && (this.#steps.isQuick || this.isLifted))) {
      this.#glide = null
      this.#settle()
      return
    }
    const from = {
      x: this.x, y: this.y, width: this.width, height: this.height, rotation: this.rotation,
      strokeWidth: this.strokeWidth, cornerRadius: this.cornerRadius, innerRatio: this.innerRatio,
      fill: this.fill, stroke: this.stroke, level: this.#level,
    }
    const way = step === null || isOwn ? new Way(0, 1, now, milliseconds) : new Way(0, 1, now, step, 'even')
    this.#glide = { from, way }
  }

  #level = 1

  /** Starts the animation of a new shape. */
  appear(now: number, milliseconds: number) {
    this.#presenceWay = milliseconds > 0 ? new Way(0, 1, now, milliseconds) : null
    if (milliseconds === 0) return
    this.#steps = new Steps()
    this.#steps.take(now)
  }

  setLifted(isLifted: boolean, now: number, milliseconds: number) {
    const to = isLifted ? 1 : 0
    if ((this.#liftWay?.to ?? this.#lift) === to) return
    this.#liftWay = new Way(this.#lift, to, now, milliseconds)
  }

  /** Starts the animation of a deleted shape. */
  fadeAway(now: number, milliseconds: number) {
    this.leaving = 'fading'
    this.#presenceWay = new Way(this.#presence, 0, now, milliseconds)
  }

  /**
   * Starts the animation of a shape that is swallowed by the black hole: it moves to a box, along a curve and ever
   * faster.
   */
  drawIn(box: { x: number, y: number, width: number, height: number }, now: number, milliseconds: number) {
    this.leaving = 'drawn in'
    const from = {
      x: this.centerX, y: this.centerY, width: this.width, height: this.height, rotation: this.rotation,
      toX: box.x + box.width / 2, toY: box.y + box.height / 2, toWidth: box.width, toHeight: box.height,
      strokeWidth: this.strokeWidth, cornerRadius: this.cornerRadius,
    }
    this.#glide = null
    this.#presenceWay = null
    this.#departure = { from, way: new Way(0, 1, now, milliseconds, 'accelerating') }
  }

  /**
   * Updates the look for a point in time.
   *
   * @returns false if the shape is deleted and its animation is over
   */
  advance(now: number): boolean {
    if (this.#glide) {
      const { from, way } = this.#glide
      if (way.isOver(now)) {
        this.#glide = null
        this.#settle()
      } else {
        this.#blend(from, way.at(now))
      }
    }
    if (this.#liftWay) {
      this.#lift = this.#liftWay.at(now)
      if (this.#liftWay.isOver(now)) this.#liftWay = null
    }
    let isHere = true
    let growth = 1
    let fade = 1
    if (this.#departure) {
      const { from, way } = this.#departure
      isHere = !way.isOver(now)
      fade = this.#followCurve(from, way.at(now))
    } else if (this.#presenceWay) {
      this.#presence = this.#presenceWay.at(now)
      growth = smallest + (1 - smallest) * this.#presence
      fade = this.#presence
      if (this.#presenceWay.isOver(now)) {
        isHere = !this.leaving
        this.#presenceWay = null
      }
    }
    this.growth = growth * (1 + liftGrowth * this.#lift)
    this.opacity = this.#level * fade * (1 - liftFade * this.#lift)
    this.#measure()
    return isHere
  }

  /** Ends all transitions: the shape is drawn with its actual values. */
  #settle() {
    const { shape } = this
    const { width, height, cornerRadius, innerRatio } = this
    for (const name of numbers) this[name] = shape[name]
    this.rotation = shape.rotation
    this.fill = packedColor(shape.fill)
    this.stroke = packedColor(shape.stroke)
    this.#level = levelOf(shape)
    // The outline also depends on the kind and on the number of points, which have no transition.
    if (width !== this.width || height !== this.height || cornerRadius !== this.cornerRadius
      || innerRatio !== this.innerRatio || this.#form !== shape.kind + shape.points) this.path = null
    this.#form = shape.kind + shape.points
    this.#line = null
  }

  #form = ''

  #blend(from: Look, part: number) {
    const { shape } = this
    for (const name of numbers) {
      const value = from[name] + (shape[name] - from[name]) * part
      if (value !== this[name] && name !== 'x' && name !== 'y') this.path = null
      this[name] = value
    }
    if (this.#form !== shape.kind + shape.points) {
      this.path = null
      this.#form = shape.kind + shape.points
    }
    this.rotation = blendDegrees(from.rotation, shape.rotation, part)
    this.fill = blendColors(from.fill, packedColor(shape.fill), part)
    this.stroke = blendColors(from.stroke, packedColor(shape.stroke), part)
    this.#level = from.level + (levelOf(shape) - from.level) * part
    this.#line = null
  }

  /** @returns the fraction of the opacity that is left */
  #followCurve(way: Departure, part: number): number {
    // The curve's control point lies beside the middle of the straight path, at a quarter of the path's length.
    const bendX = (way.x + way.toX) / 2 - (way.toY - way.y) / 4
    const bendY = (way.y + way.toY) / 2 + (way.toX - way.x) / 4
    const along = (from: number, bend: number, to: number) =>
      (1 - part) ** 2 * from + 2 * part * (1 - part) * bend + part ** 2 * to
    const rest = 1 - part
    this.width = way.width * rest + way.toWidth * part
    this.height = way.height * rest + way.toHeight * part
    this.x = along(way.x, bendX, way.toX) - this.width / 2
    this.y = along(way.y, bendY, way.toY) - this.height / 2
    this.rotation = way.rotation + 90 * part
    this.strokeWidth = way.strokeWidth * rest
    this.cornerRadius = way.cornerRadius * rest
    this.path = null
    this.#line = null
    return Math.min(1, 4 * rest)
  }

  #measure() {
    const turn = this.rotation * Math.PI / 180
    const cosine = Math.abs(Math.cos(turn))
    const sine = Math.abs(Math.sin(turn))
    const reach = isStroke(this.shape.kind) ? strokeReach(this.strokeWidth) : this.strokeWidth / 2
    const reachX = this.growth * ((this.width * cosine + this.height * sine) / 2 + reach)
    const reachY = this.growth * ((this.width * sine + this.height * cosine) / 2 + reach)
    const { centerX, centerY } = this
    this.left = centerX - reachX
    this.right = centerX + reachX
    this.top = centerY - reachY
    this.bottom = centerY + reachY
    const caption = captionBox(this)
    if (!caption) return
    const { x, y, width, height } = caption
    this.left = Math.min(this.left, x)
    this.right = Math.max(this.right, x + width)
    this.top = Math.min(this.top, y)
    this.bottom = Math.max(this.bottom, y + height)
  }
}

const levelOf = (shape: Shape) => (shape.visible ? shape.alpha / 10 : 0)
