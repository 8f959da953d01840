import { contextOf } from '../canvas/context.js'
import type { Drawn } from '../canvas/drawn.js'
import { isStroke, pathOf, pointIn, roughPoints } from '../canvas/lines.js'
import type { Palette } from '../canvas/palette.js'
import type { Scene } from '../canvas/scene.js'
import { fillTone, inkTone } from '../canvas/tones.js'
import type { View } from '../canvas/view.js'
import type { Box } from '../core/types.js'
import { element } from '../elements/element.js'
import type { Frames } from '../state/frames.js'
import type { Setting } from '../state/setting.js'
import type { Shown } from '../state/shown.js'

/** In CSS pixels: the margin around what the map shows. */
const margin = 8
/** The opacity of texts, which are shown as bars. */
const textAlpha = 0.35

/** A small map of the whole drawing, with the part that is in view. A press or a drag on it moves the view there. */
export class Minimap {
  #scene
  #view
  #palette
  #canvas = element('canvas', { class: 'minimap floating', role: 'img', 'aria-label': 'Map of the drawing', hidden: true })
  #context = contextOf(this.#canvas)
  #isStale = true
  /** From canvas coordinates to CSS pixels of the map: a point p is at p·scale + (x, y). */
  #way = { scale: 1, x: 0, y: 0 }
  /** During a drag the map keeps its scale. Else a drag beyond the drawing would go ever further, faster and faster. */
  #isDragged = false

  constructor({ minimap, shown, scene, view, palette, frames }: {
    minimap: Setting, shown: Shown, scene: Scene, view: View, palette: Palette, frames: Frames,
  }) {
    this.#scene = scene
    this.#view = view
    this.#palette = palette
    const refresh = () => {
      this.#isStale = true
      if (!this.#canvas.hidden) frames.request()
    }
    // `changes` is sent in every frame, also if nothing has changed.
    shown.on('changes', ({ reset, reordered, shapes }) => {
      if (reset || reordered || shapes.length > 0 || scene.moves()) refresh()
    })
    view.on('change', refresh)
    palette.on('change', refresh)
    const show = () => {
      this.#canvas.hidden = !minimap.isOn
      refresh()
    }
    minimap.on('change', show)
    frames.on('paint', () => {
      if (!this.#isStale || this.#canvas.hidden) return
      // A shape that is in transition is somewhere else in the next frame.
      this.#isStale = scene.moves()
      this.#paint()
    })
    this.#canvas.addEventListener('pointerdown', (event) => {
      this.#canvas.setPointerCapture(event.pointerId)
      this.#isDragged = true
      this.#goTo(event)
    })
    this.#canvas.addEventListener('pointermove', (event) => {
      if (this.#canvas.hasPointerCapture(event.pointerId)) this.#goTo(event)
    })
    this.#canvas.addEventListener('lostpointercapture', () => {
      this.#isDragged = false
      refresh()
    })
    document.body.append(this.#canvas)
    show()
  }

  /** Brings a point of the map into the middle of the view. */
  #goTo({ offsetX, offsetY }: PointerEvent) {
    const { scale, x, y } = this.#way
    const view = this.#view
    const at = view.toScreen({ x: (offsetX - x) / scale, y: (offsetY - y) / scale })
    view.panBy(view.width / 2 - at.x, view.height / 2 - at.y)
  }

  #paint() {
    const { clientWidth: width, clientHeight: height } = this.#canvas
    const { ratio } = this.#view
    const context = this.#context
    // This clears the canvas, too.
    this.#canvas.width = width * ratio
    this.#canvas.height = height * ratio
    const seen = this.#view.visibleBox()
    if (!this.#isDragged) {
      const all = around(this.#scene.order, seen)
      const scale = Math.min((width - 2 * margin) / all.width, (height - 2 * margin) / all.height)
      this.#way = { scale, x: width / 2 - (all.x + all.width / 2) * scale, y: height / 2 - (all.y + all.height / 2) * scale }
    }
    const way = this.#way
    const { scale } = way
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    const { colors, isDark } = this.#palette
    for (const drawn of this.#scene.order) paintSmall(context, drawn, way, isDark)
    context.globalAlpha = 1
    context.strokeStyle = colors.accent
    context.lineWidth = 1.5
    context.strokeRect(seen.x * scale + way.x, seen.y * scale + way.y, seen.width * scale, seen.height * scale)
  }
}

/** The box around all visible shapes and a further box. */
function around(order: Drawn[], { x, y, width, height }: Box): Box {
  let [left, top, right, bottom] = [x, y, x + width, y + height]
  for (const drawn of order) {
    if (drawn.opacity === 0) continue
    left = Math.min(left, drawn.left)
    top = Math.min(top, drawn.top)
    right = Math.max(right, drawn.right)
    bottom = Math.max(bottom, drawn.bottom)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

function paintSmall(
  context: CanvasRenderingContext2D, drawn: Drawn, { scale, x, y }: { scale: number, x: number, y: number }, isDark: boolean,
) {
  const { shape: { kind, filled }, left, top, right, bottom } = drawn
  context.globalAlpha = drawn.opacity * (kind === 'text' ? textAlpha : 1)
  context.lineWidth = 1
  context.strokeStyle = inkTone(drawn.stroke, isDark)
  const [width, height] = [Math.max(1, (right - left) * scale), Math.max(1, (bottom - top) * scale)]
  if (isStroke(kind)) {
    context.beginPath()
    const points = pathOf(drawn.shape)
    const stride = Math.ceil(points.length / roughPoints)
    for (let at = 0; at < points.length - 1 + stride; at += stride) {
      const [across, down] = points[Math.min(at, points.length - 1)]
      const point = pointIn(drawn, across, down)
      context.lineTo(point.x * scale + x, point.y * scale + y)
    }
    context.stroke()
  } else if (filled) {
    context.fillStyle = (kind === 'text' ? inkTone : fillTone)(drawn.fill, isDark)
    context.fillRect(left * scale + x, top * scale + y, width, height)
  } else context.strokeRect(left * scale + x, top * scale + y, width, height)
}
