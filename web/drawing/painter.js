import { Regions } from './regions.js'
import { Picture } from './picture.js'
import { Tiles } from './tiles.js'

/** A picture that would take longer than this is made beside the one that is shown, over several frames. */
const pictureMilliseconds = 40
/** How much of each frame that may take. */
const frameMilliseconds = 9
/** Where more than this is to be painted anew, all is. */
const partMax = 0.5
/** How far beyond a shape's box its picture may reach: smoothed edges, and half the line around a region. Device pixels. */
const fringe = 2

/**
 * Paints the scene onto a canvas.
 *
 * What is on the canvas stays there: panning moves it and paints the edge that comes into view, and a shape that changes has
 * the tiles painted anew that it touches. All is painted anew where the scale is another or most tiles are touched; with so many shapes
 * that a frame is too short for that, what there was is shown scaled until a sharp picture has been made beside it.
 */
export class Painter {
  #app
  #palette
  #canvas
  #context
  #picture
  /** Where things lie in what the canvas shows. */
  #pixels = null
  #ratio = 1
  /** Milliseconds that a shape took to paint, lately. */
  #cost = 0.004
  /** The sharp picture in the making, and what was touched meanwhile. */
  #draft = null
  /** What is shown scaled while there is a draft. */
  #stale = null
  /** Canvases of drafts that were, for those to come. */
  #spare = []

  regions

  /**
   * @param {import('../state/app.js').App} app with its scene and view
   * @param {HTMLCanvasElement} canvas
   * @param {import('./palette.js').Palette} palette
   */
  constructor(app, canvas, palette) {
    this.#app = app
    this.#palette = palette
    this.#canvas = canvas
    this.#context = canvas.getContext('2d', { alpha: false })
    this.regions = new Regions(app)
    this.#picture = new Picture(this.#context, this.regions)
    palette.addEventListener('change', () => {
      app.scene.touchAll()
      app.invalidate()
    })
    app.addEventListener('changes', ({ detail }) => this.regions.apply(detail))
  }

  /** Whether all that is to be seen is painted, and sharp. */
  get isDone() { return this.#draft === null && this.#picture.waiting.size === 0 && !this.#picture.isLate }

  /** @param {number} now */
  paint(now) {
    const { view, scene } = this.#app
    view.advance(now)
    const width = Math.max(1, Math.round(view.width * view.ratio))
    const height = Math.max(1, Math.round(view.height * view.ratio))
    const touched = scene.takeTouched()
    if (touched && this.#picture.waiting.size === 0) touched.push(...this.#picture.takeLate())
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width
      this.#canvas.height = height
      this.#endDraft()
      this.#pixels = null
    }
    const { pixels } = view
    const until = performance.now() + frameMilliseconds
    if (this.#draft) this.#goOnWithDraft(pixels, touched, until)
    else if (touched === null || this.#pixels === null || this.#pixels.scale !== pixels.scale) this.#paintAll(pixels, until)
    else this.#paintTouched(pixels, touched, until)
    if (!this.#draft) this.#picture.paintWaiting(until)
    // Where all is painted anew in no time, lines that came to lie below others' fill are.
    if (this.#isDear(scene.order.length)) this.#picture.takeLate()
    if (!this.isDone) this.#app.invalidate()
  }

  #isDear(shapes) { return shapes * this.#cost > pictureMilliseconds }

  #look(pixels) {
    return { pixels, ratio: this.#app.view.ratio, colors: this.#palette.colors }
  }

  get #area() {
    return { left: 0, top: 0, right: this.#canvas.width, bottom: this.#canvas.height }
  }

  #paintAll(pixels, until) {
    const shapes = this.#shapesIn(pixels, this.#area)
    if (this.#isDear(shapes.length)) {
      this.#beginDraft(shapes, pixels, until)
      return
    }
    const start = performance.now()
    this.#picture.waiting.clear()
    this.#picture.takeLate()
    this.#picture.paint(shapes, this.#look(pixels), this.#area, until)
    this.#pixels = pixels
    this.#learn(performance.now() - start, shapes.length)
  }

  #paintTouched(pixels, touched, until) {
    const { width, height } = this.#canvas
    const dx = pixels.x - this.#pixels.x
    const dy = pixels.y - this.#pixels.y
    const tiles = new Tiles(width, height)
    if (dx !== 0 || dy !== 0) {
      if (dx > 0) tiles.mark(0, 0, dx - 1, height)
      if (dx < 0) tiles.mark(width + dx, 0, width, height)
      if (dy > 0) tiles.mark(0, 0, width, dy - 1)
      if (dy < 0) tiles.mark(0, height + dy, width, height)
    }
    for (let at = 0; at < touched.length; at += 4) {
      tiles.mark(
        touched[at] * pixels.scale + pixels.x - fringe, touched[at + 1] * pixels.scale + pixels.y - fringe,
        touched[at + 2] * pixels.scale + pixels.x + fringe, touched[at + 3] * pixels.scale + pixels.y + fringe)
    }
    if (tiles.part > partMax) {
      this.#paintAll(pixels, until)
      return
    }
    const context = this.#context
    if (dx !== 0 || dy !== 0) {
      context.setTransform(1, 0, 0, 1, 0, 0)
      context.globalAlpha = 1
      context.drawImage(this.#canvas, dx, dy)
    }
    this.#pixels = pixels
    const areas = tiles.areas()
    if (areas.length === 0) return
    this.#picture.forgetWaiting((left, top, right, bottom) => tiles.covers(
      left * pixels.scale + pixels.x - fringe, top * pixels.scale + pixels.y - fringe,
      right * pixels.scale + pixels.x + fringe, bottom * pixels.scale + pixels.y + fringe))
    const candidates = this.#shapesIn(pixels, around(areas))
    for (const area of areas) {
      context.save()
      context.setTransform(1, 0, 0, 1, 0, 0)
      context.beginPath()
      context.rect(area.left, area.top, area.right - area.left, area.bottom - area.top)
      context.clip()
      this.#picture.paint(within(candidates, pixels, area), this.#look(pixels), area, until)
      context.restore()
    }
  }

  #learn(milliseconds, shapes) {
    if (shapes >= 100) this.#cost += (Math.min(milliseconds / shapes, 0.1) - this.#cost) * 0.2
  }

  /** From the back to the front. */
  #shapesIn(pixels, area) {
    return within(this.#app.scene.order, pixels, area)
  }

  // MARK: Several frames for one picture

  #beginDraft(shapes, pixels, until) {
    const { width, height } = this.#canvas
    if (!this.#stale) {
      const copy = this.#takeSpare(width, height)
      copy.setTransform(1, 0, 0, 1, 0, 0)
      copy.globalAlpha = 1
      copy.drawImage(this.#canvas, 0, 0)
      this.#stale = { canvas: copy.canvas, pixels: this.#pixels }
    }
    const picture = new Picture(this.#takeSpare(width, height), this.regions)
    picture.begin(shapes, this.#look(pixels), this.#area)
    this.#draft = { picture, pixels, touched: [], count: shapes.length, milliseconds: 0 }
    this.#goOnWithDraft(pixels, [], until)
  }

  #goOnWithDraft(pixels, touched, until) {
    const draft = this.#draft
    if (touched === null || draft.touched === null) draft.touched = null
    else for (const edge of touched) draft.touched.push(edge)
    const start = performance.now()
    const isDone = draft.picture.goOn(until)
    draft.milliseconds += performance.now() - start
    if (!isDone) {
      this.#showScaled(this.#stale, pixels)
      return
    }
    this.#learn(draft.milliseconds, draft.count)
    const { canvas } = draft.picture.context
    this.#spare.push(this.#stale.canvas)
    this.#stale = { canvas, pixels: draft.pixels }
    this.#showScaled(this.#stale, pixels.scale === draft.pixels.scale ? draft.pixels : pixels)
    this.#pixels = draft.pixels
    this.#draft = null
    this.#picture.waiting = draft.picture.waiting
    this.#picture.look = draft.picture.look
    if (draft.touched === null || draft.pixels.scale !== pixels.scale) {
      this.#beginDraft(this.#shapesIn(pixels, this.#area), pixels, performance.now())
      return
    }
    this.#spare.push(canvas)
    this.#stale = null
    this.#paintTouched(pixels, draft.touched, until)
  }

  #endDraft() {
    this.#draft = null
    this.#stale = null
    // Of the size that the canvas had.
    this.#spare = []
    this.#picture.waiting.clear()
    this.#picture.takeLate()
  }

  #takeSpare(width, height) {
    return (this.#spare.pop() ?? new OffscreenCanvas(width, height)).getContext('2d', { alpha: false })
  }

  #showScaled(picture, pixels) {
    const context = this.#context
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalAlpha = 1
    context.fillStyle = this.#palette.colors.paper
    if (!picture.pixels) {
      context.fillRect(0, 0, this.#canvas.width, this.#canvas.height)
      return
    }
    const size = pixels.scale / picture.pixels.scale
    const x = pixels.x - picture.pixels.x * size
    const y = pixels.y - picture.pixels.y * size
    if (size !== 1 || x !== 0 || y !== 0) context.fillRect(0, 0, this.#canvas.width, this.#canvas.height)
    context.drawImage(picture.canvas, x, y, picture.canvas.width * size, picture.canvas.height * size)
  }
}

/** Those of some shapes that may be seen in an area. */
function within(shapes, pixels, area) {
  const left = (area.left - fringe - pixels.x) / pixels.scale
  const right = (area.right + fringe - pixels.x) / pixels.scale
  const top = (area.top - fringe - pixels.y) / pixels.scale
  const bottom = (area.bottom + fringe - pixels.y) / pixels.scale
  return shapes.filter((drawn) => drawn.right > left && drawn.left < right && drawn.bottom > top && drawn.top < bottom
    && drawn.opacity > 0)
}

function around(areas) {
  return {
    left: Math.min(...areas.map((area) => area.left)),
    top: Math.min(...areas.map((area) => area.top)),
    right: Math.max(...areas.map((area) => area.right)),
    bottom: Math.max(...areas.map((area) => area.bottom)),
  }
}
