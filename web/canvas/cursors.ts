import { inkOn } from '../basics/ink.js'
import type { Point } from '../core/types.js'
import type { Person } from '../state/presence.js'
import { motionMilliseconds, othersMilliseconds, Steps, Way } from './motion.js'
import type { View } from './view.js'

/** An arrow whose tip is at 0, 0. */
const arrow = new Path2D('M0 0 L0 15.5 L4.4 11.9 L7.3 18.2 L10.1 16.9 L7.3 10.8 L12.6 10.4 Z')
/** How long a cursor shows its name after it has moved. */
const nameMilliseconds = 8000

/** Paints other people's cursors. A cursor moves smoothly from each reported position to the next. */
export class Cursors {
  #known = new Map<number, { x: Way, y: Way, cursor: Point, toldAt: number, steps: Steps }>()

  follow(people: Person[], now: number) {
    const here = new Set()
    for (const { actor, cursor } of people) {
      if (!cursor) continue
      here.add(actor)
      const known = this.#known.get(actor)
      if (!known) {
        const steps = new Steps()
        steps.take(now)
        this.#known.set(actor, { x: still(cursor.x), y: still(cursor.y), cursor, toldAt: now, steps })
      } else if (known.cursor.x !== cursor.x || known.cursor.y !== cursor.y) {
        const step = known.steps.take(now)
        const milliseconds = motionMilliseconds(step ?? othersMilliseconds)
        const pace = step === null ? 'slowing' : 'even'
        known.x = new Way(known.x.at(now), cursor.x, now, milliseconds, pace)
        known.y = new Way(known.y.at(now), cursor.y, now, milliseconds, pace)
        known.cursor = cursor
        known.toldAt = now
      }
    }
    for (const actor of this.#known.keys()) if (!here.has(actor)) this.#known.delete(actor)
  }

  moves(now: number) {
    for (const { x, y } of this.#known.values()) if (!x.isOver(now) || !y.isOver(now)) return true
    return false
  }

  /** @param context a context whose unit is one CSS pixel */
  paint(context: CanvasRenderingContext2D, people: Person[], view: View, now: number, face: string) {
    for (const { actor, name, color } of people) {
      const known = this.#known.get(actor)
      if (!known) continue
      const { x, y } = view.toScreen({ x: known.x.at(now), y: known.y.at(now) })
      if (x < -200 || y < -60 || x > view.width + 20 || y > view.height + 20) continue
      context.save()
      context.translate(x, y)
      context.lineJoin = 'round'
      context.lineWidth = 2.5
      context.strokeStyle = '#FFFFFF'
      context.stroke(arrow)
      context.fillStyle = color
      context.fill(arrow)
      context.restore()
      if (now - known.toldAt < nameMilliseconds) paintFlag(context, name, color, x + 12, y + 18, face)
    }
  }
}

const still = (value: number) => new Way(value, value, 0, 0)

/**
 * Paints a name on a small flag in a person's colour.
 *
 * @param context in which a unit is a CSS pixel
 * @param color `#RRGGBB`
 * @param x the left edge
 * @param right the upper bound on the flag's right edge
 * @param doing what the person is doing; unlike the name it isn't shortened
 */
export function paintFlag(
  context: CanvasRenderingContext2D, name: string, color: string, x: number, y: number, face: string, right = Infinity,
  doing = '',
) {
  context.font = `500 12px ${face}`
  context.textBaseline = 'middle'
  const words = shortened(context, name, 160) + doing
  const width = Math.ceil(context.measureText(words).width) + 12
  x = Math.min(x, right - width)
  context.globalAlpha = 1
  context.fillStyle = color
  context.beginPath()
  context.roundRect(x, y, width, flagHeight, 4)
  context.fill()
  context.fillStyle = inkOn(color)
  context.fillText(words, x + 6, y + flagHeight / 2 + 0.5)
}

export const flagHeight = 18

/** @param widthMax CSS pixels */
function shortened(context: CanvasRenderingContext2D, name: string, widthMax: number) {
  if (context.measureText(name).width <= widthMax) return name
  const letters = [...name]
  const cut = (count: number) => letters.slice(0, count).join('') + '…'
  // A binary search for the number of letters that fit, because many long names can be measured in each frame.
  let [least, most] = [1, letters.length]
  while (most - least > 1) {
    const middle = least + most >> 1
    if (context.measureText(cut(middle)).width <= widthMax) least = middle
    else most = middle
  }
  return cut(least)
}
