import type { Box, Frame } from '../core/types.js'
import type { Frames } from '../state/frames.js'
import type { Person, Presence } from '../state/presence.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'
import { captionBox, leaveOut } from './captions.js'
import { contextOf } from './context.js'
import { Cursors, flagHeight, paintFlag } from './cursors.js'
import { crossings } from './dashes.js'
import type { Drawn } from './drawn.js'
import { boundsOfAll } from './frames.js'
import { type Guide, paintGuides } from './guides.js'
import { type HandleKind, type Handles, pointOnFrame } from './handles.js'
import { type GrowingInk, type InkPoint, Inks } from './inks.js'
import type { Lasers } from './lasers.js'
import { isCurve, straightPath } from './lines.js'
import type { OthersWriting } from './others-writing.js'
import type { Palette } from './palette.js'
import type { Scene } from './scene.js'
import type { View } from './view.js'

/**
 * If more shapes than this are selected, by this person or by all others together, only the frame around all that a
 * person has selected is drawn, and no box for each shape.
 */
const boxesMax = 400
/**
 * The upper bound on the lines that are marked along their paths in one picture, in CSS pixels. All further lines are
 * marked with boxes. A path of a thousand points takes long to paint, and is painted in each frame in which anything
 * moves.
 */
const waysMax = 200_000
/** In CSS pixels of `waysMax`: what a point of a path costs besides its length. */
const pointCost = 12

/**
 * The canvas above the drawing. It shows selections, handles, guides, the selection rectangle, and other people's
 * cursors.
 */
export class Overlay {
  #shown
  #view
  #scene
  #selection
  #presence
  #handles
  #palette
  #frames
  #canvas
  #context
  #cursors = new Cursors()
  #inks = new Inks()
  #texts: OthersWriting | null = null
  #lasers: Lasers | null = null
  #isBare = false
  #marquee: Box | null = null
  #guides: Guide[] = []
  #hover: number | null = null
  #found: number[] = []
  #foundAt = 0
  /** How much of `boxesMax` and `waysMax` this picture has left. */
  #boxesLeft = 0
  #waysLeft = 0

  constructor(
    canvas: HTMLCanvasElement,
    { shown, view, scene, selection, presence, handles, palette, frames }: {
      shown: Shown, view: View, scene: Scene, selection: Selection, presence: Presence, handles: Handles,
      palette: Palette, frames: Frames,
    },
  ) {
    this.#shown = shown
    this.#view = view
    this.#scene = scene
    this.#selection = selection
    this.#presence = presence
    this.#handles = handles
    this.#palette = palette
    this.#frames = frames
    this.#canvas = canvas
    this.#context = contextOf(canvas)
    selection.on('change', () => frames.request())
    frames.on('paint', (now) => this.paint(now))
    canvas.addEventListener('contextrestored', () => frames.request())
  }

  /**
   * Sets the selection rectangle.
   *
   * @param box in canvas coordinates
   */
  setMarquee(box: { x: number, y: number, width: number, height: number } | null) {
    this.#marquee = box
    this.#frames.request()
  }

  /**
   * Sets the stroke that this person is drawing.
   *
   * @param predicted where the pointer will probably be in the next frame
   */
  setInk(ink: GrowingInk | null, predicted: InkPoint[] = []) {
    this.#inks.setOwn(ink, predicted)
    this.#frames.request()
  }

  /** Sets the part that paints the texts that others are writing. It is loaded when somebody writes. */
  setTexts(texts: OthersWriting) {
    this.#texts = texts
    this.#frames.request()
  }

  /** Sets the part that paints the trails of laser pointers. It is loaded when somebody points. */
  setLasers(lasers: Lasers) {
    this.#lasers = lasers
    this.#frames.request()
  }

  /** Sets the guides that show with which shapes the dragged shapes are aligned. */
  setGuides(guides: Guide[]) {
    if (guides.length === 0 && this.#guides.length === 0) return
    this.#guides = guides
    this.#frames.request()
  }

  /** Sets the shapes that were searched for. One of them is outlined more strongly. */
  setFound(ids: number[], at: number) {
    this.#found = ids
    this.#foundAt = at
    this.#frames.request()
  }

  /** Sets the shape under the pointer. */
  setHover(id: number | null) {
    if (id === this.#hover) return
    this.#hover = id
    this.#frames.request()
  }

  paint(now: number) {
    const [view, scene, selection] = [this.#view, this.#scene, this.#selection]
    const context = this.#context
    // While the past is shown, the others' cursors are hidden, because they refer to the present drawing.
    const people = this.#shown.isPast ? [] : this.#presence.people()
    this.#inks.follow(people, now, (shape) => scene.drawn(shape) !== null)
    const isBare = selection.size === 0 && !this.#inks.hasAny && (this.#texts?.isBare ?? true) && (this.#lasers?.isBare ?? true) && this.#hover === null && !this.#marquee && this.#guides.length === 0 && this.#found.length === 0
      && people.every(({ cursor, selection, lifted }) => !cursor && selection.length === 0 && lifted.length === 0)
    // An empty canvas is not cleared again: after each clearing the browser would send it to the screen.
    if (isBare && this.#isBare) return
    this.#isBare = isBare
    const width = Math.max(1, Math.round(view.width * view.ratio))
    const height = Math.max(1, Math.round(view.height * view.ratio))
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width
      this.#canvas.height = height
    }
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalAlpha = 1
    context.clearRect(0, 0, width, height)
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0)
    this.#inks.paint(context, view, this.#palette.isDark)
    this.#texts?.paint(context)
    this.#boxesLeft = boxesMax
    this.#waysLeft = waysMax
    for (const person of people) this.#paintPerson(person)
    // However much others have selected, this person's own selection is marked.
    this.#waysLeft = waysMax
    const { accent } = this.#palette.colors
    const hovered = this.#hover !== null && !selection.has(this.#hover) ? scene.drawn(this.#hover) : null
    if (hovered) this.#paintAround(hovered, accent, 1, 0.7)
    this.#paintFound(accent)
    this.#paintSelection(accent)
    if (this.#marquee) this.#paintMarquee(this.#marquee, accent)
    paintGuides(context, this.#guides, view, this.#palette.colors)
    this.#lasers?.paint(context, now)
    this.#cursors.follow(people, now)
    this.#cursors.paint(context, people, view, now, this.#palette.colors.face)
    if (this.#cursors.moves(now) || this.#inks.isWaiting || this.#texts?.isWaiting || this.#lasers?.isBare === false) this.#frames.request()
  }

  #paintPerson({ name, color, selection, lifted, writing }: Person) {
    const seen = [...new Set([...selection, ...lifted])].flatMap((id) => this.#scene.drawn(id) ?? [])
      .filter((drawn) => this.#isInView(drawn))
    const around = boundsOfAll(seen)
    if (!around) return
    const isMany = seen.length > this.#boxesLeft
    const marked = isMany ? [{ ...around, growth: 1 }] : seen.map((drawn) => this.#texts?.drawn(drawn.id) ?? drawn)
    this.#boxesLeft -= marked.length
    for (const each of marked) 'shape' in each ? this.#paintAround(each, color, 1.5) : this.#paintBox(each, color, 1.5)
    const top = marked.map((each) => this.#topCorner(each)).reduce((best, corner) => (corner.y < best.y ? corner : best))
    const margin = 4
    paintFlag(this.#context, name, color, Math.max(margin, top.x), Math.max(margin, top.y - flagHeight - 3),
      this.#palette.colors.face, this.#view.width - margin, writing === null ? '' : ' is writing…')
  }

  /** The highest corner of a shape's box on the screen. Of two equally high corners, it is the left one. */
  #topCorner(drawn: Frame & { growth: number }) {
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
      .map(([across, down]) => pointOnFrame(this.#view, drawn, across * drawn.growth, down * drawn.growth))
    return corners.reduce((best, corner) => {
      const higher = best.y - corner.y
      return higher > 0.5 || (Math.abs(higher) <= 0.5 && corner.x < best.x) ? corner : best
    })
  }

  #paintFound(accent: string) {
    const isMany = this.#found.length > boxesMax
    for (const [at, id] of this.#found.entries()) {
      if (isMany && at !== this.#foundAt) continue
      const drawn = this.#scene.drawn(id)
      if (!drawn || !this.#isInView(drawn)) continue
      this.#paintAround(drawn, accent, at === this.#foundAt ? 10 : 5, 0.35)
      if (at === this.#foundAt) this.#paintAround(drawn, accent, 2)
    }
  }

  #paintSelection(accent: string) {
    const [selection, scene, view] = [this.#selection, this.#scene, this.#view]
    const frame = this.#handles.frame()
    if (!frame) return
    if (selection.size > 1 && selection.size <= boxesMax) {
      for (const id of selection.ids()) {
        const drawn = scene.drawn(id)
        if (drawn && this.#isInView(drawn)) this.#paintAround(drawn, accent, 1, 0.6)
      }
    }
    // A lifted shape is drawn larger than it really is, so its frame is too.
    const growth = selection.size === 1 ? scene.drawn(selection.ids()[0])?.growth ?? 1 : 1
    const line = this.#handles.line()
    if (line) this.#paintAround(line, accent, 1.5)
    else this.#paintBox({ ...frame, growth }, accent, 1.5)
    const context = this.#context
    context.lineWidth = 1.5
    context.strokeStyle = accent
    context.fillStyle = this.#palette.colors.panel
    for (const { kind, across, down, x, y } of this.#handles.all()) {
      context.save()
      if (kind === 'move' || kind === 'rotate') {
        const edge = pointOnFrame(view, frame, across, down)
        context.beginPath()
        context.moveTo(edge.x, edge.y)
        context.lineTo(x, y)
        context.stroke()
      }
      context.translate(x, y)
      context.rotate(frame.rotation * Math.PI / 180)
      handlePainters[kind](context, accent)
      context.restore()
    }
  }

  #paintMarquee(box: Box, accent: string) {
    const { x, y } = this.#view.toScreen(box)
    const width = box.width * this.#view.scale
    const height = box.height * this.#view.scale
    const context = this.#context
    context.globalAlpha = 0.1
    context.fillStyle = accent
    context.fillRect(x, y, width, height)
    context.globalAlpha = 1
    context.lineWidth = 1
    context.strokeStyle = accent
    context.strokeRect(Math.round(x) + 0.5, Math.round(y) + 0.5, Math.round(width), Math.round(height))
  }

  /** Paints a frame around a shape: the path of a line, or the shape's box. */
  #paintAround(drawn: Drawn, color: string, line: number, alpha = 1) {
    const way = this.#wayOf(drawn)
    if (!way) return this.#paintBox(drawn, color, line, alpha)
    const { centerX, centerY, rotation } = drawn
    const [view, context] = [this.#view, this.#context]
    const gap = captionBox(drawn)
    const { scale } = view
    if (gap) leaveOut(context, { ...view.toScreen(gap), width: gap.width * scale, height: gap.height * scale })
    const center = view.toScreen({ x: centerX, y: centerY })
    context.save()
    context.translate(center.x, center.y)
    context.rotate(rotation * Math.PI / 180)
    context.scale(scale, scale)
    context.globalAlpha = alpha
    context.lineWidth = line / scale
    context.strokeStyle = color
    context.stroke(way)
    context.restore()
    if (gap) context.restore()
  }

  /** The path of a line, relative to its centre; null for other shapes, and for a line whose path costs too much. */
  #wayOf({ id, shape }: Drawn) {
    // A line with a text that somebody is writing has the same path as without it.
    const drawn = shape.kind === 'line' ? this.#scene.drawn(id) : null
    if (!drawn) return null
    const { line, width, height } = drawn
    if (line.length > crossings * (width + height)) return null
    const count = line.pieces.length
    const view = this.#view
    const cost = Math.min(line.length * view.scale, count * (view.width + view.height)) + count * pointCost
    if (cost > this.#waysLeft) return null
    this.#waysLeft -= cost
    return isCurve(shape) ? line.whole : line.way ??= straightPath(drawn)
  }

  /** Paints a shape's box, rotated and enlarged like the shape. */
  #paintBox(
    { x, y, width, height, rotation, growth }: Frame & { growth: number }, color: string, line: number, alpha = 1,
  ) {
    const view = this.#view
    const context = this.#context
    const center = view.toScreen({ x: x + width / 2, y: y + height / 2 })
    const size = view.scale * growth
    context.save()
    context.translate(center.x, center.y)
    context.rotate(rotation * Math.PI / 180)
    context.globalAlpha = alpha
    context.lineWidth = line
    context.strokeStyle = color
    context.strokeRect(-width / 2 * size, -height / 2 * size, width * size, height * size)
    context.restore()
  }

  #isInView({ left, top, right, bottom }: Drawn) {
    const box = this.#view.visibleBox()
    return right > box.x && bottom > box.y && left < box.x + box.width && top < box.y + box.height
  }
}

const handlePainters: Record<HandleKind, (context: CanvasRenderingContext2D, accent: string) => void> = {
  move(context) {
    context.beginPath()
    context.arc(0, 0, 8, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
    context.beginPath()
    context.moveTo(-3.5, 0)
    context.lineTo(3.5, 0)
    context.moveTo(0, -3.5)
    context.lineTo(0, 3.5)
    context.stroke()
  },

  rotate(context, accent) {
    context.beginPath()
    context.arc(0, 0, 8, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
    // The symbol for rotation: most of a circle, with an arrowhead at its end.
    context.beginPath()
    context.arc(0, 0, 3.5, -0.25 * Math.PI, 1.25 * Math.PI)
    context.stroke()
    context.fillStyle = accent
    context.beginPath()
    context.moveTo(-5, -3.9)
    context.lineTo(-0.9, -4.6)
    context.lineTo(-2.6, -0.7)
    context.fill()
  },

  point(context) {
    context.beginPath()
    context.arc(0, 0, 6, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
  },

  bend(context) {
    context.globalAlpha = 0.7
    context.beginPath()
    context.arc(0, 0, 4, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
  },

  scale(context) {
    context.beginPath()
    context.roundRect(-5, -5, 10, 10, 3)
    context.fill()
    context.stroke()
  },
}
