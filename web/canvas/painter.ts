import type { Frames } from '../state/frames.js'
import { contextOf, offscreenContextOf } from './context.js'
import { DashBudget } from './dashes.js'
import type { Drawn } from './drawn.js'
import type { Palette } from './palette.js'
import { type Look, Picture } from './picture.js'
import type { Regions } from './regions.js'
import type { Scene } from './scene.js'
import { type Area, Tiles } from './tiles.js'
import type { Pixels, View } from './view.js'
import { turnWork } from './work.js'

/**
 * If painting a picture takes longer than this, it is spread over several frames. Until it is done, the old picture
 * stays visible.
 */
const pictureMilliseconds = 40
/** How much of each frame is used for painting a picture that is spread over several frames. */
const frameMilliseconds = 9
/** If a larger fraction of the picture than this is stale, the whole picture is painted again. */
const partMax = 0.5
/**
 * In device pixels: how far painting may extend beyond a shape's box, because of smoothed edges and the line around an
 * overlap.
 */
const fringe = 2

/** An old picture that is shown scaled to the current view, and the view for which it was painted. */
type Stale = { canvas: OffscreenCanvas, pixels: Pixels | null }

/**
 * A new picture that is being painted over several frames. Until it is done, `stale` is shown. `touched` are the areas
 * that have changed since the painting began; null stands for everything.
 *
 * `seen`: the view in which `stale` is shown now.
 */
type Draft = {
  picture: Picture, canvas: OffscreenCanvas, stale: Stale, pixels: Pixels, touched: number[] | null,
  milliseconds: number, seen: Pixels | null,
}

/**
 * Paints the scene onto a canvas.
 *
 * The picture is kept between frames. Panning moves the picture, and paints the area that comes into view. When a shape
 * changes, only the tiles that it touches are repainted. Everything is repainted if the scale changes, or if most tiles
 * are touched.
 *
 * If one frame is too short for that, the new picture is painted on another canvas over several frames. Until then the
 * old picture is shown, scaled.
 */
export class Painter {
  #scene
  #view
  #frames
  #regions
  #palette
  #canvas
  #context
  #picture
  /** The view for which the canvas was painted. */
  #pixels: Pixels | null = null
  /** The average of recent measurements: how many milliseconds a unit of work takes. */
  #cost = 0.004
  /** The picture that is being painted over several frames. */
  #draft: Draft | null = null
  /** Canvases of earlier drafts, kept for reuse. */
  #spare: OffscreenCanvas[] = []

  constructor(
    canvas: HTMLCanvasElement,
    { scene, regions, view, palette, frames }: {
      scene: Scene, regions: Regions, view: View, palette: Palette, frames: Frames,
    },
  ) {
    this.#scene = scene
    this.#regions = regions
    this.#view = view
    this.#palette = palette
    this.#frames = frames
    this.#canvas = canvas
    this.#context = contextOf(canvas, { alpha: false })
    this.#picture = new Picture(this.#context, regions, this.#look(view.pixels))
    palette.on('change', () => {
      scene.touchAll()
      frames.request()
    })
    view.on('change', () => frames.request())
    frames.on('paint', (now) => this.paint(now))
    // The browser can lose the canvas's content, for example if its graphics process crashes. The canvas is empty then,
    // so everything is painted again.
    canvas.addEventListener('contextrestored', () => {
      this.#endDraft()
      this.#pixels = null
      scene.touchAll()
      frames.request()
    })
  }

  /** Whether everything in view is painted at the current scale. */
  get isDone() { return this.#draft === null && this.#picture.waiting.size === 0 && !this.#picture.isLate }

  paint(now: number) {
    const [view, scene] = [this.#view, this.#scene]
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
    if (this.#draft) this.#goOnWithDraft(this.#draft, pixels, touched, until)
    else if (touched === null || this.#pixels === null || this.#pixels.scale !== pixels.scale) this.#paintAll(pixels, until)
    else this.#paintTouched(this.#pixels, pixels, touched, until)
    if (!this.#draft) this.#picture.paintWaiting(until, turnWork)
    // Overlaps that were painted late now cover the texts below them. If repainting would take long, `takeLate` leaves
    // them as they are.
    if (this.#isDear(scene.order, pixels)) this.#picture.takeLate()
    if (!this.isDone) this.#frames.request()
  }

  #isDear(shapes: Drawn[], pixels: Pixels, areas: Area[] = [this.#area]) {
    return this.#picture.takesMore(shapes, this.#look(pixels), areas, Math.min(turnWork, pictureMilliseconds / this.#cost))
  }

  #look(pixels: Pixels): Look {
    const { colors, isDark } = this.#palette
    return { pixels, ratio: this.#view.ratio, colors, isDark }
  }

  get #area() {
    return { left: 0, top: 0, right: this.#canvas.width, bottom: this.#canvas.height }
  }

  #paintAll(pixels: Pixels, until: number) {
    const shapes = this.#shapesIn(pixels, this.#area)
    if (this.#isDear(shapes, pixels)) {
      this.#beginDraft(shapes, pixels, until)
      return
    }
    this.#picture.waiting.clear()
    this.#picture.takeLate()
    this.#picture.paint(shapes, this.#look(pixels), this.#area, until)
    this.#pixels = pixels
  }

  #paintTouched(before: Pixels, pixels: Pixels, touched: number[], until: number) {
    const { width, height } = this.#canvas
    const dx = pixels.x - before.x
    const dy = pixels.y - before.y
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
    if (this.#isDear(candidates, pixels, areas)) {
      this.#paintAll(pixels, until)
      return
    }
    const dashes = new DashBudget()
    for (const area of areas) {
      context.save()
      context.setTransform(1, 0, 0, 1, 0, 0)
      context.beginPath()
      context.rect(area.left, area.top, area.right - area.left, area.bottom - area.top)
      context.clip()
      this.#picture.paint(within(candidates, pixels, area), this.#look(pixels), area, until, dashes)
      context.restore()
    }
  }

  #learn(milliseconds: number, work: number) {
    if (work >= 1000) this.#cost += (Math.min(milliseconds / work, 0.1) - this.#cost) * 0.2
  }

  /** The shapes that might be visible in an area, from the back to the front. */
  #shapesIn(pixels: Pixels, area: Area) {
    return within(this.#scene.order, pixels, area)
  }

  // MARK: Painting over several frames

  /** @param stale the picture to show meanwhile; by default a copy of the canvas */
  #beginDraft(shapes: Drawn[], pixels: Pixels, until: number, stale: Stale = this.#copy()) {
    const canvas = this.#takeSpare()
    const look = this.#look(pixels)
    const picture = new Picture(offscreenContextOf(canvas, { alpha: false }), this.#regions, look)
    picture.begin(shapes, look, this.#area)
    this.#draft = { picture, canvas, stale, pixels, touched: [], milliseconds: 0, seen: null }
    this.#goOnWithDraft(this.#draft, pixels, [], until)
  }

  /** A copy of the canvas. */
  #copy(): Stale {
    const canvas = this.#takeSpare()
    const context = offscreenContextOf(canvas, { alpha: false })
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalAlpha = 1
    context.drawImage(this.#canvas, 0, 0)
    return { canvas, pixels: this.#pixels }
  }

  #goOnWithDraft(draft: Draft, pixels: Pixels, touched: number[] | null, until: number) {
    if (touched === null || draft.touched === null) draft.touched = null
    else for (const edge of touched) draft.touched.push(edge)
    const start = performance.now()
    const isDone = draft.picture.goOn(until, turnWork)
    draft.milliseconds += performance.now() - start
    if (!isDone) {
      // The old picture is shown anew only if the view has moved, because the browser sends a changed canvas to the
      // screen as a whole.
      const { seen } = draft
      if (!seen || seen.scale !== pixels.scale || seen.x !== pixels.x || seen.y !== pixels.y) this.#showScaled(draft.stale, pixels)
      draft.seen = pixels
      return
    }
    this.#learn(draft.milliseconds, draft.picture.work)
    const { canvas } = draft
    this.#spare.push(draft.stale.canvas)
    const sharp = { canvas, pixels: draft.pixels }
    this.#showScaled(sharp, pixels.scale === draft.pixels.scale ? draft.pixels : pixels)
    this.#pixels = draft.pixels
    this.#draft = null
    this.#picture.waiting = draft.picture.waiting
    this.#picture.look = draft.picture.look
    if (draft.touched === null || draft.pixels.scale !== pixels.scale) {
      this.#beginDraft(this.#shapesIn(pixels, this.#area), pixels, performance.now(), sharp)
      return
    }
    this.#spare.push(canvas)
    this.#paintTouched(draft.pixels, pixels, draft.touched, until)
  }

  #endDraft() {
    this.#draft = null
    // The spare canvases are dropped, because they have the canvas's former size.
    this.#spare = []
  }

  #takeSpare() {
    return this.#spare.pop() ?? new OffscreenCanvas(this.#canvas.width, this.#canvas.height)
  }

  #showScaled({ canvas, pixels: before }: Stale, pixels: Pixels) {
    const context = this.#context
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.globalAlpha = 1
    context.fillStyle = this.#palette.colors.paper
    if (!before) {
      context.fillRect(0, 0, this.#canvas.width, this.#canvas.height)
      return
    }
    const size = pixels.scale / before.scale
    const x = pixels.x - before.x * size
    const y = pixels.y - before.y * size
    if (size !== 1 || x !== 0 || y !== 0) context.fillRect(0, 0, this.#canvas.width, this.#canvas.height)
    context.drawImage(canvas, x, y, canvas.width * size, canvas.height * size)
  }
}

/** Returns the shapes that might be visible in the area. */
function within(shapes: Drawn[], pixels: Pixels, area: Area) {
  const left = (area.left - fringe - pixels.x) / pixels.scale
  const right = (area.right + fringe - pixels.x) / pixels.scale
  const top = (area.top - fringe - pixels.y) / pixels.scale
  const bottom = (area.bottom + fringe - pixels.y) / pixels.scale
  return shapes.filter((drawn) => drawn.right > left && drawn.left < right && drawn.bottom > top && drawn.top < bottom
    && drawn.opacity > 0)
}

function around(areas: Area[]): Area {
  return {
    left: Math.min(...areas.map((area) => area.left)),
    top: Math.min(...areas.map((area) => area.top)),
    right: Math.max(...areas.map((area) => area.right)),
    bottom: Math.max(...areas.map((area) => area.bottom)),
  }
}
