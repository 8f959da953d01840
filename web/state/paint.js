import { Source } from '../basics/source.js'

const key = 'canvas.paint'

/**
 * `#RRGGBB` each. null: the next fill in turn, no outline. `any`: a bright fill at random. `none`: no fill.
 *
 * @typedef {{fill: string | null, stroke: string | null}} Colors
 */

/**
 * The colours for the next shape, as chosen in this browser. `change`: the colours have changed.
 *
 * @extends {Source<{change: null}>}
 */
export class Paint extends Source {
  #colors = remembered()
  #play

  /** @param {import('./play.js').Play} play */
  constructor(play) {
    super()
    this.#play = play
    play.on('change', () => this.tell('change', null))
  }

  get fill() { return this.#colors.fill === 'any' && !this.#play.isOn ? null : this.#colors.fill }
  get stroke() { return this.#colors.stroke }

  /** @param {Partial<Colors>} colors those to change */
  choose(colors) {
    this.#colors = { ...this.#colors, ...colors }
    try {
      localStorage.setItem(key, JSON.stringify(this.#colors))
    } catch {
      // If the choice can't be stored, it lasts as long as the page does.
    }
    this.tell('change', null)
  }
}

/** @returns {Colors} */
function remembered() {
  const colors = /** @type {Colors} */ ({ fill: null, stroke: null })
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}')
    for (const name of /** @type {('fill' | 'stroke')[]} */ (['fill', 'stroke'])) {
      if (/^#[0-9A-F]{6}$/.test(kept[name])) colors[name] = kept[name]
    }
    if (kept.fill === 'none' || kept.fill === 'any') colors.fill = kept.fill
  } catch {
    // Either no choice was stored, or another program has written the value.
  }
  return colors
}
