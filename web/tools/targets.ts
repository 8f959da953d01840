import type { Reach } from '../arrange/reach.js'
import { isWithin } from '../canvas/captions.js'
import { handleAt } from '../canvas/handles.js'
import { shapesAt } from '../canvas/hits.js'
import { isStroke } from '../canvas/lines.js'
import { isOnOutline } from '../canvas/outline.js'
import type { Point } from '../core/types.js'
import type { PointerType, Target } from '../gestures/recogniser.js'
import type { HeldTool } from './toolbox.js'

/** In CSS pixels: how far from a fingertip a small shape is still hit. */
const fingerReach = 14
/** In CSS pixels: a shape without a fill is hit by presses at most this far from its outline. */
export const outlineReach = { mouse: 5, pen: 6, touch: fingerReach }

const empty: Target = Object.freeze({ kind: 'empty', key: 'empty' })
/** The empty canvas between selected shapes. A drag moves these, but with Shift it selects. Taps are those on `empty`. */
const gap: Target = Object.freeze({ ...empty, handle: 'move' })
/**
 * The empty canvas for the select tool. Dragging with a mouse selects, and so does dragging with a finger after a long
 * press. A finger that drags at once moves the canvas.
 */
const emptyToSelect: Target = Object.freeze({ ...empty, holds: true, joins: true })
/**
 * A shape that isn't selected, as the target of a drawing tool. A drag draws, unless it begins with a long press. Taps
 * apply to the shape.
 */
const over: Target = Object.freeze({ ...empty, holds: true })
const sheet: Target = Object.freeze({ kind: 'sheet', key: 'sheet' })
const paper: Target = Object.freeze({ kind: 'view', key: 'view', joins: true })

/** Finds what is under a pointer: a handle of the selection, a shape, or the empty canvas. */
export class Targets {
  #held
  #shown
  #selection
  #view
  #handles
  #locks
  #play
  #scene

  /** @param held the current tool */
  constructor(
    { shown, selection, view, handles, locks, play, scene }: Pick<Reach,
      'shown' | 'selection' | 'view' | 'handles' | 'locks' | 'play' | 'scene'>,
    held: () => HeldTool,
  ) {
    this.#held = held
    this.#locks = locks
    this.#play = play
    this.#scene = scene
    this.#shown = shown
    this.#selection = selection
    this.#view = view
    this.#handles = handles
  }

  /** @param point relative to the stage */
  at(point: Point, pointer: PointerType): Target {
    const { reaches } = this.#held()
    if (reaches === 'paper') return paper
    if (reaches === 'sheet') return sheet
    const shape = this.#shapeAt(point, pointer)
    const nothing = reaches === 'handles' ? sheet : pointer === 'touch' && reaches === 'shapes' ? emptyToSelect : empty
    const under: Target = shape === null ? nothing
      : reaches === 'handles' ? { ...sheet, key: `shape:${shape}`, taps: 2, opens: shape }
        : { kind: 'shape', key: `shape:${shape}`, id: shape, ...this.#tapsOn(shape, pointer) }
    const handles = this.#handles.all()
    const found = handleAt(handles, point, pointer)
    const selected = this.#selection.ids()
    if (!found) {
      const isGap = under === empty && reaches === 'shapes' && selected.length > 1 && handles.length > 0
      if (isGap && isWithin(this.#handles.frame(), this.#view.toCanvas(point))) return gap
      const isDrawnOver = shape !== null && reaches === 'selected' && !this.#selection.has(shape)
      return isDrawnOver ? { ...over, key: under.key, under } : under
    }
    const { kind: handle, across, down, index } = found
    // A single shape's move handle is treated as the shape, so a long press on the handle lifts the shape. Quick
    // presses on the handle are never a double tap.
    if (handle === 'move' && selected.length === 1) {
      return { kind: 'shape', key: `shape:${selected[0]}`, id: selected[0], handle, taps: 1 }
    }
    return { kind: 'handle', key: `handle:${handle} ${across} ${down} ${index}`, handle, side: { across, down }, index, under }
  }

  /**
   * How many taps have a meaning on a shape. If a double tap opens the shape's text, a third tap would do nothing, so a
   * double tap acts at once.
   */
  #tapsOn(id: number, pointer: PointerType) {
    const shape = this.#scene.drawn(id)?.shape
    const opens = shape && (shape.kind === 'text' || !this.#play.isOn || (shape.written && pointer !== 'touch'))
    return opens ? { taps: 2 } : {}
  }

  #shapeAt(point: Point, pointer: PointerType): number | null {
    const { replica } = this.#shown
    const view = this.#view
    const at = view.toCanvas(point)
    const { x, y } = at
    const reach = outlineReach[pointer] / view.scale
    const topmost = this.#meant(shapesAt({ scene: this.#scene, shown: this.#shown }, at, reach), at, reach)
    if (topmost !== null || pointer !== 'touch') return topmost
    const near = replica.shapesInBox({ x: x - reach, y: y - reach, width: 2 * reach, height: 2 * reach })
    return near.reverse().find((id) => !this.#locks.has(id) && !isStroke(this.#scene.drawn(id)?.shape.kind ?? '')) ?? null
  }

  /**
   * The shape that a pointer hits: the topmost unlocked one. If that is a shape without a fill, and another shape is
   * visible inside it, the other one is hit.
   *
   * @param ids the topmost first
   * @param reach in units of the canvas
   */
  #meant(ids: number[], point: Point, reach: number) {
    let hollow: number | null = null
    for (const id of ids) {
      if (this.#locks.has(id)) continue
      const drawn = this.#scene.drawn(id)
      if (!drawn || isStroke(drawn.shape.kind) || drawn.shape.filled || drawn.shape.written || isOnOutline(drawn, point, reach)) return id
      hollow ??= id
    }
    return hollow
  }
}
