import { motionMilliseconds, othersMilliseconds, Way } from './motion.js'

/** The pointer as one knows it, its tip at 0, 0. */
const arrow = new Path2D('M0 0 L0 15.5 L4.4 11.9 L7.3 18.2 L10.1 16.9 L7.3 10.8 L12.6 10.4 Z')
/** A cursor that hasn't moved for so long shows no name, and none at all after the other. */
const nameMilliseconds = 8000

/** Others' cursors, gliding from each place they tell to the next. */
export class Cursors {
  #known = new Map()

  /**
   * @param {{actor: number, name: string, color: string, cursor: {x: number, y: number} | null}[]} people
   * @param {number} now
   */
  follow(people, now) {
    const here = new Set()
    for (const { actor, cursor } of people) {
      if (!cursor) continue
      here.add(actor)
      const known = this.#known.get(actor)
      if (!known) {
        this.#known.set(actor, { x: still(cursor.x), y: still(cursor.y), cursor, toldAt: now })
      } else if (known.cursor.x !== cursor.x || known.cursor.y !== cursor.y) {
        const interval = now - known.toldAt
        const milliseconds = motionMilliseconds(Math.min(othersMilliseconds, Math.max(20, 1.25 * interval)))
        const pace = interval < 250 ? 'even' : 'slowing'
        known.x = new Way(known.x.at(now), cursor.x, now, milliseconds, pace)
        known.y = new Way(known.y.at(now), cursor.y, now, milliseconds, pace)
        known.cursor = cursor
        known.toldAt = now
      }
    }
    for (const actor of this.#known.keys()) if (!here.has(actor)) this.#known.delete(actor)
  }

  /** Where someone's cursor is drawn. @param {number} actor @param {number} now @returns {{x: number, y: number} | null} */
  place(actor, now) {
    const known = this.#known.get(actor)
    return known ? { x: known.x.at(now), y: known.y.at(now) } : null
  }

  /** @param {number} now */
  moves(now) {
    for (const { x, y } of this.#known.values()) if (!x.isOver(now) || !y.isOver(now)) return true
    return false
  }

  /**
   * @param {CanvasRenderingContext2D} context in CSS pixels @param {object[]} people @param {import('./view.js').View} view
   * @param {number} now @param {string} face
   */
  paint(context, people, view, now, face) {
    for (const { actor, name, color } of people) {
      const place = this.place(actor, now)
      if (!place) continue
      const { x, y } = view.toScreen(place)
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
      if (now - this.#known.get(actor).toldAt < nameMilliseconds) paintFlag(context, name, color, x + 12, y + 18, face)
    }
  }
}

const still = (value) => new Way(value, value, 0, 0)

/**
 * A name on a small flag of someone's colour.
 *
 * @param {CanvasRenderingContext2D} context in CSS pixels @param {string} name @param {string} color `#RRGGBB`
 * @param {number} x the top left corner @param {number} y @param {string} face
 * @param {number} [right] it doesn’t reach beyond
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

function shortened(context, name, widthMax) {
  if (context.measureText(name).width <= widthMax) return name
  const letters = [...name].slice(0, 40)
  while (letters.length > 1 && context.measureText(letters.join('') + '…').width > widthMax) letters.pop()
  return letters.join('') + '…'
}

/** White or near-black, whichever is read better on a colour. @param {string} color `#RRGGBB` */
function inkOn(color) {
  const channel = (at) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.06 ? '#FFFFFF' : '#141413'
}
