import { Cursors, flagHeight, paintFlag } from './cursors.js'
import { handles, pointOnFrame, selectionFrame } from './handles.js'

/** Of so many selected shapes each has a box of its own; of more only the box around all is drawn. */
const boxesMax = 400

/** What lies over the drawing and is not part of it: selections and handles, the marquee, others' cursors and names. */
export class Overlay {
  #app
  #palette
  #canvas
  #context
  #cursors = new Cursors()
  #marquee = null
  #hover = null

  /**
   * @param {import('../state/app.js').App} app @param {HTMLCanvasElement} canvas
   * @param {import('./palette.js').Palette} palette
   */
  constructor(app, canvas, palette) {
    this.#app = app
    this.#palette = palette
    this.#canvas = canvas
    this.#context = canvas.getContext('2d')
  }

  /** What is being selected. @param {{x: number, y: number, width: number, height: number} | null} box of the canvas */
  setMarquee(box) {
    this.#marquee = box
    this.#app.invalidate()
  }

  /** The shape under the pointer. @param {number | null} id */
  setHover(id) {
    if (id === this.#hover) return
    this.#hover = id
    this.#app.invalidate()
  }

  /** @param {number} now */
  paint(now) {
    const { view, scene, selection, presence } = this.#app
    const context = this.#context
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
    const people = presence.people()
    for (const person of people) this.#paintPerson(person)
    const { accent } = this.#palette.colors
    const hovered = this.#hover !== null && !selection.has(this.#hover) ? scene.drawn(this.#hover) : null
    if (hovered) this.#paintBox(hovered, accent, 1, 0.7)
    this.#paintSelection(accent)
    if (this.#marquee) this.#paintMarquee(accent)
    this.#cursors.follow(people, now)
    this.#cursors.paint(context, people, view, now, this.#palette.colors.face)
    if (this.#cursors.moves(now)) this.#app.invalidate()
  }

  #paintPerson({ name, color, selection, lifted }) {
    const shapes = [...new Set([...selection, ...lifted])].map((id) => this.#app.scene.drawn(id))
      .filter((drawn) => drawn !== null && this.#isInView(drawn))
    if (shapes.length === 0) return
    for (const drawn of shapes) this.#paintBox(drawn, color, 1.5)
    const top = shapes.map((drawn) => this.#topCorner(drawn)).reduce((best, corner) => (corner.y < best.y ? corner : best))
    const margin = 4
    paintFlag(this.#context, name, color, Math.max(margin, top.x), Math.max(margin, top.y - flagHeight - 3),
      this.#palette.colors.face, this.#app.view.width - margin)
  }

  /** The highest corner of a shape's box on the screen; of two that are as high, the left one. */
  #topCorner(drawn) {
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
      .map(([across, down]) => pointOnFrame(this.#app.view, drawn, across * drawn.growth, down * drawn.growth))
    return corners.reduce((best, corner) => {
      const higher = best.y - corner.y
      return higher > 0.5 || (Math.abs(higher) <= 0.5 && corner.x < best.x) ? corner : best
    })
  }

  #paintSelection(accent) {
    const { selection, scene, view } = this.#app
    const frame = selectionFrame(this.#app)
    if (!frame) return
    if (selection.size > 1 && selection.size <= boxesMax) {
      for (const id of selection.ids()) {
        const drawn = scene.drawn(id)
        if (drawn && this.#isInView(drawn)) this.#paintBox(drawn, accent, 1, 0.6)
      }
    }
    // One that is lifted is larger than it is.
    const growth = selection.size === 1 ? scene.drawn(selection.ids()[0])?.growth ?? 1 : 1
    this.#paintBox({ ...frame, growth }, accent, 1.5)
    const context = this.#context
    context.lineWidth = 1.5
    context.strokeStyle = accent
    context.fillStyle = this.#palette.colors.panel
    for (const { kind, x, y } of handles(this.#app)) {
      context.save()
      if (kind === 'rotate') {
        const top = pointOnFrame(view, frame, 0, -1)
        context.beginPath()
        context.moveTo(top.x, top.y)
        context.lineTo(x, y)
        context.stroke()
      }
      context.translate(x, y)
      context.rotate(frame.rotation * Math.PI / 180)
      handlePainters[kind](context, accent)
      context.restore()
    }
  }

  #paintMarquee(accent) {
    const { x, y } = this.#app.view.toScreen(this.#marquee)
    const width = this.#marquee.width * this.#app.view.scale
    const height = this.#marquee.height * this.#app.view.scale
    const context = this.#context
    context.globalAlpha = 0.1
    context.fillStyle = accent
    context.fillRect(x, y, width, height)
    context.globalAlpha = 1
    context.lineWidth = 1
    context.strokeStyle = accent
    context.strokeRect(Math.round(x) + 0.5, Math.round(y) + 0.5, Math.round(width), Math.round(height))
  }

  /** A shape's box, turned and lifted as it is. */
  #paintBox({ x, y, width, height, rotation, growth }, color, line, alpha = 1) {
    const { view } = this.#app
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

  #isInView({ left, top, right, bottom }) {
    const box = this.#app.view.visibleBox()
    return right > box.x && bottom > box.y && left < box.x + box.width && top < box.y + box.height
  }
}

const handlePainters = {
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
    // Most of a circle, and the head of an arrow at its end.
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

  scale(context) {
    context.beginPath()
    context.roundRect(-6, -6, 12, 12, 3)
    context.fill()
    context.stroke()
  },
}
