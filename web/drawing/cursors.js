import { luminance } from '../basics/ink.js'
import { motionMilliseconds, othersMilliseconds, Steps, Way } from './motion.js'

/** The usual pointer. Its tip is at 0, 0. */
const arrow = new Path2D('M0 0 L0 15.5 L4.4 11.9 L7.3 18.2 L10.1 16.9 L7.3 10.8 L12.6 10.4 Z')
/** For how long a cursor that doesn't move shows its name. */
const nameMilliseconds = 8000

/** @typedef {import('../state/presence.js').Person} Person */

/** Other people's cursors. They glide from each reported place to the next. */
export class Cursors {
  /** @type {Map<number, {x: Way, y: Way, cursor: import('../core/types.js').Point, toldAt: number, steps: Steps}>} */
  #known = new Map()

  /** @param {Person[]} people @param {number} now */
  follow(people, now) {
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

  /** @param {number} now */
  moves(now) {
    for (const { x, y } of this.#known.values()) if (!x.isOver(now) || !y.isOver(now)) return true
    return false
  }

  /**
   * @param {CanvasRenderingContext2D} context in CSS pixels @param {Person[]} people @param {import('./view.js').View} view
   * @param {number} now @param {string} face
   */
  paint(context, people, view, now, face) {
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

/** @param {number} value */
const still = (value) => new Way(value, value, 0, 0)

/**
 * Paints a name on a small flag in a person's colour.
 *
 * @param {CanvasRenderingContext2D} context in CSS pixels @param {string} name @param {string} color `#RRGGBB`
 * @param {number} x the top left corner @param {number} y @param {string} face
 * @param {number} [right] where it ends at the latest
 */
export function paintFlag(context, name, color, x, y, face, right = Infinity) {
  context.font = `500 12px ${face}`
  context.textBaseline = 'middle'
  const words = shortened(context, name, 160)
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

/** @param {CanvasRenderingContext2D} context @param {string} name @param {number} widthMax CSS pixels */
function shortened(context, name, widthMax) {
  if (context.measureText(name).width <= widthMax) return name
  const letters = [...name]
  const cut = (/** @type {number} */ count) => letters.slice(0, count).join('') + '…'
  // The number of letters that fit is found by halving, because a crowd of long names is measured in each frame.
  let [least, most] = [1, letters.length]
  while (most - least > 1) {
    const middle = least + most >> 1
    if (context.measureText(cut(middle)).width <= widthMax) least = middle
    else most = middle
  }
  return cut(least)
}

/**
 * White or near-black, whichever reads better on a colour.
 *
 * @param {string} color `#RRGGBB`
 */
function inkOn(color) {
  const light = luminance(color)
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.06 ? '#FFFFFF' : '#141413'
}
