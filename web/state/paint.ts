import { Source } from '../basics/source.js'
import type { Shape } from '../core/table.js'
import type { Me } from './me.js'
import type { Play } from './play.js'

const key = 'canvas.paint'

/**
 * Colours are `#RRGGBB` or one of these: null for the next fill in turn or for no outline; `any` for a random bright
 * fill; `none` for no fill.
 */
type Style = {
  fill: string | null, stroke: string | null, strokeWidth: number, dash: 'solid' | 'dashed' | 'dotted',
  route: Shape['route'], textSize: number,
}

/** The style of the next shape, stored in this browser. `change`: the style has changed. */
export class Paint extends Source<{ change: null }> {
  #style = remembered()
  #play
  /** Who draws. */
  readonly person

  constructor(play: Play, person: Me) {
    super()
    this.person = person
    this.#play = play
    play.on('change', () => this.tell('change', null))
  }

  get fill() { return this.#style.fill === 'any' && !this.#play.isOn ? null : this.#style.fill }
  get stroke() { return this.#style.stroke }
  get strokeWidth() { return this.#style.strokeWidth }
  get dash() { return this.#style.dash }
  get route() { return this.#style.route }
  get textSize() { return this.#style.textSize }

  /** @param style the values to change */
  choose(style: Partial<Style>) {
    this.#style = { ...this.#style, ...style }
    try {
      localStorage.setItem(key, JSON.stringify(this.#style))
    } catch {
      // If the choice can't be stored, it lasts as long as the page does.
    }
    this.tell('change', null)
  }
}

function remembered(): Style {
  const style: Style = { fill: null, stroke: null, strokeWidth: 4, dash: 'solid', route: 'straight', textSize: 20 }
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}')
    for (const name of ['fill', 'stroke'] as ('fill' | 'stroke')[]) {
      if (/^#[0-9A-F]{6}$/.test(kept[name])) style[name] = kept[name]
    }
    if (kept.fill === 'none' || kept.fill === 'any') style.fill = kept.fill
    if (kept.strokeWidth > 0 && kept.strokeWidth <= 1000) style.strokeWidth = kept.strokeWidth
    if (kept.textSize >= 1 && kept.textSize <= 1000) style.textSize = kept.textSize
    if (kept.route === 'curved' || kept.route === 'elbow') style.route = kept.route
    if (kept.dash === 'dashed' || kept.dash === 'dotted') style.dash = kept.dash
  } catch {
    // Nothing is stored, or another program has written the value.
  }
  return style
}
