import { changedBits } from '../core/table.js'
import type { Changes, Point } from '../core/types.js'
import type { Frames } from '../state/frames.js'
import type { Marks } from '../state/marks.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'
import type { Context2D } from './context.js'
import type { Drawn } from './drawn.js'
import { stripes } from './hatching.js'
import { lowerOf, Marked, upperOf } from './marked.js'
import { outlinePath, turnTo } from './outline.js'
import type { Look } from './picture.js'
import type { Scene } from './scene.js'
import { textBox } from './text.js'
import type { Pixels } from './view.js'

/** The opacity of the orange in a region that is too small for stripes. */
const smallAlpha = 0.6

/**
 * In device pixels: if the intersection of two shapes' boxes is smaller than this, the box itself is painted instead of
 * the region.
 */
const speck = 3
/** In CSS pixels: a moving region that is smaller than this is painted roughly, because exact clipping is slow. */
const blurred = 12
/** If more shapes than this are moving, moving regions are painted without a line around them. */
const linedMovesMax = 60
/**
 * In CSS pixels: a region that is narrower than this has a fainter line around it, because otherwise only the line
 * would be visible.
 */
const lined = 10

/** The properties on which a shape's outline depends. */
const forms = changedBits(({ name, decidesOutline }) => decidesOutline && name !== 'visible')

/** The intersection of two shapes. */
export class Region {
  /** The outline relative to `origin`; null until the core is asked for it. */
  path: Path2D | null = null
  /**
   * A corner of the region. The outline is relative to it, because paths have only single precision, which is too
   * coarse far from the canvas's origin.
   */
  origin = { x: 0, y: 0 }
  /** Whether the two shapes no longer overlap, but their transition still shows them overlapping. */
  isEnding = false
  readonly first
  readonly second

  constructor(first: Drawn, second: Drawn) {
    this.first = first
    this.second = second
  }
}

/**
 * The regions in which shapes overlap. The replica's changes say which regions exist. The core is asked for a region's
 * outline when the region comes into view, and again after one of its shapes has changed.
 *
 * While a shape is lifted or in transition, it is not drawn where the core has it. Then one shape of the pair is
 * clipped to the other.
 */
export class Regions {
  #shown
  #scene
  #regions = new Map<string, Region>()
  #ending = new Set<Region>()
  readonly marked

  constructor({ shown, scene, marks, selection, frames }: {
    shown: Shown, scene: Scene, marks: Marks, selection: Selection, frames: Frames,
  }) {
    this.#shown = shown
    this.#scene = scene
    this.marked = new Marked({ scene, marks, selection })
    // The scene's listener was added before this one, so the scene has applied the changes already.
    shown.on('changes', (changes) => {
      this.#apply(changes)
      this.marked.refresh(this.#regions.size)
    })
    const look = () => {
      this.marked.refresh(this.#regions.size)
      frames.request()
    }
    marks.on('change', look)
    selection.on('change', look)
  }

  #apply(changes: Changes) {
    const scene = this.#scene
    if (changes.reset) {
      this.#regions.clear()
      this.#ending.clear()
    }
    for (const { id, changed } of changes.shapes) {
      // A new name or colour changes no outline.
      if ((changed & forms) === 0) continue
      const drawn = scene.drawn(id)
      if (drawn) for (const region of drawn.regions) region.path = null
    }
    for (const { first, second, overlaps } of changes.pairs) {
      const key = `${first} ${second}`
      const known = this.#regions.get(key)
      if (overlaps) {
        if (known) {
          known.isEnding = false
          this.#ending.delete(known)
          continue
        }
        const [one, other] = [scene.drawn(first), scene.drawn(second)]
        if (!one || !other) continue
        const region = new Region(one, other)
        this.#regions.set(key, region)
        region.first.regions.add(region)
        region.second.regions.add(region)
      } else if (known) {
        known.isEnding = true
        this.#ending.add(known)
      }
    }
    for (const region of this.#ending) {
      const { first, second } = region
      if ((first.moves || second.moves) && isStaying(first) && isStaying(second)) continue
      this.#ending.delete(region)
      this.#regions.delete(`${first.id} ${second.id}`)
      first.regions.delete(region)
      second.regions.delete(region)
    }
  }

  /** Whether a region can be painted without asking the core for its outline. */
  isReady(region: Region, scale: number) {
    return region.path !== null || isApart(region) || isFine(region, scale) || breadth(region) * scale < speck
  }

  /** Asks the core for a region's outline. */
  prepare(region: Region) {
    const polygons = this.#shown.replica.commonRegion(region.first.id, region.second.id)
    const path = new Path2D()
    const origin = polygons[0]?.[0] ?? region.origin
    for (const polygon of polygons) {
      polygon.forEach(({ x, y }, corner) => path[corner === 0 ? 'moveTo' : 'lineTo'](x - origin.x, y - origin.y))
      path.closePath()
    }
    region.origin = origin
    region.path = path
  }

  /**
   * Paints the mark of an overlap, but not where the lower shape's text is seen through the upper shape.
   *
   * @param region for which `isReady` is true
   */
  paint(context: Context2D, region: Region, look: Look) {
    const [upper, lower] = [upperOf(region), lowerOf(region)]
    const text = upper.opacity < 1 || !upper.shape.filled ? textBox(lower, look.pixels.scale) : null
    if (text) {
      context.save()
      turnTo(context, lower, look.pixels)
      const beside = new Path2D()
      beside.rect(-lower.width, -lower.height, 2 * lower.width, 2 * lower.height)
      beside.rect(text.x, text.y, text.width, text.height)
      context.clip(beside, 'evenodd')
    }
    this.#fill(context, region, look)
    this.#line(context, region, look)
    if (text) context.restore()
  }

  #fill(context: Context2D, region: Region, { pixels, ratio, colors }: Look) {
    const { scale, x, y } = pixels
    const wide = breadth(region) * scale
    if (wide <= 0) return
    context.fillStyle = colors.overlap
    context.globalAlpha = smallAlpha
    if (wide < speck) {
      const { left, top, right, bottom } = commonBox(region)
      context.setTransform(1, 0, 0, 1, 0, 0)
      context.fillRect(left * scale + x, top * scale + y, (right - left) * scale, (bottom - top) * scale)
    } else if (isBlurred(region, scale / ratio)) {
      fillEllipse(context, commonBox(region), pixels)
    } else if (isApart(region) || isFine(region, scale)) {
      clipped(context, region, pixels, (_first, second) => hatch(context, second, colors.overlap, pixels, ratio))
    } else if (region.path) {
      moveTo(context, region.origin, pixels)
      hatch(context, region.path, colors.overlap, pixels, ratio)
    }
  }

  /** Paints the line around a region. */
  #line(context: Context2D, region: Region, { pixels, ratio, colors }: Look) {
    const { scale } = pixels
    const wide = breadth(region) * scale
    if (wide < speck || isBlurred(region, scale / ratio)) return
    context.strokeStyle = colors.overlapLine
    context.globalAlpha = Math.min(1, wide / ratio / lined)
    if (isApart(region) || isFine(region, scale)) {
      if (isApart(region) && this.#scene.movingCount > linedMovesMax) return
      clipped(context, region, pixels, (first, second) => {
        // Both outlines are clipped to both shapes, so only their inner halves are visible.
        context.clip(second)
        for (const { drawn, path } of [{ drawn: region.second, path: second }, { drawn: region.first, path: first }]) {
          turnTo(context, drawn, pixels)
          context.lineWidth = 2 * ratio / (scale * drawn.growth)
          context.stroke(path)
        }
      })
      return
    }
    if (!region.path) return
    moveTo(context, region.origin, pixels)
    context.lineJoin = 'miter'
    context.lineWidth = ratio / scale
    context.stroke(region.path)
  }
}

/** The intersection of the boxes of two shapes, as the shapes are drawn. */
export function commonBox({ first, second }: Region) {
  return {
    left: Math.max(first.left, second.left),
    top: Math.max(first.top, second.top),
    right: Math.min(first.right, second.right),
    bottom: Math.min(first.bottom, second.bottom),
  }
}

/** The shorter side of the intersection of the two boxes: an upper bound on the region's width. */
function breadth({ first, second }: Region) {
  return Math.min(
    Math.min(first.right, second.right) - Math.max(first.left, second.left),
    Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top))
}

const isStaying = ({ leaving, shape }: Drawn) => !leaving && shape.visible

/** Whether one of the shapes is lifted or in transition. Such a shape is drawn at another place than the core has. */
function isApart({ first, second, isEnding }: Region) {
  return isEnding || first.moves || second.moves || first.growth !== 1 || second.growth !== 1
}

/**
 * Whether the scale is so large that the core's outlines look angular. Their straight pieces deviate from a curve by up
 * to an eighth of a unit.
 */
function isFine({ first, second }: Region, scale: number) {
  return scale > 4 && (isCurved(first) || isCurved(second))
}

const isCurved = ({ shape }: Drawn) => shape.kind === 'ellipse' || shape.kind === 'roundedRectangle'

function isBlurred(region: Region, scale: number) {
  if (!isApart(region)) return false
  const { left, top, right, bottom } = commonBox(region)
  return Math.max(right - left, bottom - top) * scale < blurred
}

function hatch(context: Context2D, path: Path2D, color: string, pixels: Pixels, ratio: number) {
  context.globalAlpha = 1
  context.fillStyle = stripes(context, color, pixels, ratio)
  context.fill(path)
}

/** Moves a context's origin to a point of the canvas, and scales the context. */
function moveTo(context: Context2D, point: Point, { scale, x, y }: Pixels) {
  context.setTransform(scale, 0, 0, scale, point.x * scale + x, point.y * scale + y)
}

function fillEllipse(context: Context2D, { left, top, right, bottom }: ReturnType<typeof commonBox>, pixels: Pixels) {
  moveTo(context, { x: (left + right) / 2, y: (top + bottom) / 2 }, pixels)
  context.beginPath()
  context.ellipse(0, 0, (right - left) / 2, (bottom - top) / 2, 0, 0, 2 * Math.PI)
  context.fill()
}

/** Paints clipped to the first shape. The context is transformed for the second shape. */
function clipped(
  context: Context2D, { first, second }: Region, pixels: Pixels, paint: (first: Path2D, second: Path2D) => void,
) {
  const firstPath = first.path ??= outlinePath(first)
  const secondPath = second.path ??= outlinePath(second)
  context.save()
  turnTo(context, first, pixels)
  context.clip(firstPath)
  turnTo(context, second, pixels)
  paint(firstPath, secondPath)
  context.restore()
}
