import { captionMargin, type Shape } from '../core/table.js'
import type { Frames } from '../state/frames.js'
import type { Presence } from '../state/presence.js'
import type { Shown } from '../state/shown.js'
import type { Drawn } from './drawn.js'
import { fittedTo } from './fitted.js'
import type { Palette } from './palette.js'
import type { Scene } from './scene.js'
import { paintText, textBox, textPadding } from './text.js'
import { fillTone } from './tones.js'
import type { View } from './view.js'

/** How long a text stays visible after its writer has stopped, if the drawing doesn't contain it yet. */
const patienceMilliseconds = 1500

/**
 * A text that another person is writing. `before`: the shape's text when it was first seen. `endedAt`: when the person
 * stopped writing.
 */
type Written = { shape: number, text: string, before: string, endedAt: number | null, look: Look | null }

/** A shape as it is drawn with a text that isn't kept yet. `of`: the shape's values from which it was made. */
type Look = { of: Shape, text: string, drawn: Drawn }

/**
 * Shows the texts that other people are writing, before they are kept. Such a text is painted above the drawing, and
 * the drawing leaves out the shape's own text.
 */
export class OthersWriting {
  #scene
  #view
  #palette
  #shown
  #presence
  #written = new Map<number, Written>()
  /** The shapes whose own text is left out. */
  #covered = new Set<number>()

  constructor({ scene, view, palette, frames, shown, presence }: {
    scene: Scene, view: View, palette: Palette, frames: Frames, shown: Shown, presence: Presence,
  }) {
    this.#scene = scene
    this.#view = view
    this.#palette = palette
    this.#shown = shown
    this.#presence = presence
    // Before the drawing is painted, because it leaves out the texts that are shown here.
    frames.on('update', (now) => this.#follow(now))
  }

  get isBare() { return this.#written.size === 0 }
  /** Whether a text is still shown whose writer has stopped. */
  get isWaiting() { return [...this.#written.values()].some(({ endedAt }) => endedAt !== null) }

  #follow(now: number) {
    const writing = new Set<number>()
    if (this.#shown.isPast) this.#written.clear()
    for (const { actor, writing: shape, typed } of this.#shown.isPast ? [] : this.#presence.people()) {
      const drawn = shape === null || typed === null ? null : this.#scene.drawn(shape)
      if (!drawn || typed === null) continue
      writing.add(actor)
      const known = this.#written.get(actor)
      if (known?.shape === drawn.id) Object.assign(known, { text: typed, endedAt: null })
      else this.#written.set(actor, { shape: drawn.id, text: typed, before: drawn.shape.text, endedAt: null, look: null })
    }
    for (const [actor, written] of this.#written) {
      if (!writing.has(actor)) written.endedAt ??= now
      if (this.#isOver(written, now)) this.#written.delete(actor)
    }
    this.#cover()
  }

  #isOver({ shape, text, before, endedAt }: Written, now: number) {
    const drawn = this.#scene.drawn(shape)
    if (!drawn) return true
    if (endedAt === null) return false
    return now - endedAt > patienceMilliseconds || text === before || drawn.shape.text !== before
  }

  #cover() {
    const shapes = new Set([...this.#written.values()].map(({ shape }) => shape))
    for (const id of new Set([...shapes, ...this.#covered])) {
      const drawn = this.#scene.drawn(id)
      if (!drawn || drawn.isTyped === shapes.has(id)) continue
      drawn.isTyped = shapes.has(id)
      this.#scene.touch(id)
    }
    this.#covered = shapes
  }

  /** A shape as it is drawn with the text that somebody is writing in it; null if nobody is. */
  drawn(id: number): Drawn | null {
    const drawn = this.#scene.drawn(id)
    for (const written of this.#written.values()) if (drawn && written.shape === id) return lookOf(written, drawn)
    return null
  }

  /** @param context a context whose unit is one CSS pixel */
  paint(context: CanvasRenderingContext2D) {
    const { ratio } = this.#view
    const { scale, x, y } = this.#view.pixels
    for (const shape of new Set([...this.#written.values()].map(({ shape }) => shape))) {
      const drawn = this.drawn(shape)
      // This person's own text field covers the shape.
      if (!drawn || drawn.isWritten || drawn.opacity === 0) continue
      context.save()
      context.setTransform(scale, 0, 0, scale, x, y)
      context.translate(drawn.centerX, drawn.centerY)
      context.rotate(drawn.rotation * Math.PI / 180)
      context.scale(drawn.growth, drawn.growth)
      context.globalAlpha = drawn.opacity
      this.#paintGround(context, drawn)
      paintText(context, drawn, this.#view.scale * ratio * drawn.growth, this.#palette.isDark)
      context.restore()
    }
  }

  /** Paints what lies behind letters that reach beyond the shape: its fill, or the paper behind a caption. */
  #paintGround(context: CanvasRenderingContext2D, drawn: Drawn) {
    const { kind, filled, halfway } = drawn.shape
    const box = textBox(drawn)
    const isLarger = drawn.height > (this.#scene.drawn(drawn.id)?.height ?? 0)
    if (!box || kind === 'text' || !(halfway || (isLarger && filled))) return
    const margin = halfway ? captionMargin : textPadding
    const { x, y, width, height } = kind !== 'rectangle'
      ? { x: box.x - margin, y: box.y - margin, width: box.width + 2 * margin, height: box.height + 2 * margin }
      : { x: -drawn.width / 2, y: -drawn.height / 2, width: drawn.width, height: drawn.height }
    context.save()
    context.fillStyle = halfway ? this.#palette.colors.paper : fillTone(drawn.fill, this.#palette.isDark)
    if (halfway) {
      context.translate((halfway.x - 0.5) * drawn.width, (halfway.y - 0.5) * drawn.height)
      context.rotate(-drawn.rotation * Math.PI / 180)
    }
    context.fillRect(x, y, width, height)
    context.restore()
  }
}

/** The look is made anew only if the text or the shape has changed, because its lines are cached in it. */
function lookOf(written: Written, drawn: Drawn): Drawn {
  const { text, look } = written
  if (look?.of === drawn.shape && look.text === text && Object.getPrototypeOf(look.drawn) === drawn) return look.drawn
  const { size = [drawn.shape.width, drawn.shape.height], position = [drawn.shape.x, drawn.shape.y], ...values }
    = fittedTo(drawn.shape, text, drawn.shape.text === '')
  // Whatever isn't replaced here is the shape's own, also while a transition changes it.
  const made: Drawn = Object.create(drawn)
  made.shape = { ...drawn.shape, ...values, text, written: text !== '' }
  made.lines = null
  if (size[0] !== drawn.shape.width || size[1] !== drawn.shape.height) {
    Object.assign(made, { x: position[0], y: position[1], width: size[0], height: size[1] })
  }
  written.look = { of: drawn.shape, text, drawn: made }
  return made
}
