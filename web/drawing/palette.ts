import { Source } from '../basics/source.js'

/** The page's colours that the canvas needs, with their custom properties. */
const names = {
  paper: '--paper', dot: '--dot', overlap: '--overlap', overlapLine: '--overlap-line', accent: '--accent',
  onAccent: '--on-accent', panel: '--panel', ink: '--ink', face: '--face',
}

export type Colors = Record<keyof typeof names, string>

/**
 * The page's colours in the form that a canvas takes. `change`: the colours have changed, because of the system's
 * appearance, the page's appearance, or the person's own colour.
 */
export class Palette extends Source<{ change: null }> {
  colors: Colors

  constructor() {
    super()
    this.colors = read()
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#refresh())
    new MutationObserver(() => this.#refresh()).observe(document.documentElement, { attributeFilter: ['style', 'data-theme'] })
  }

  #refresh() {
    this.colors = read()
    this.tell('change', null)
  }
}

function read(): Colors {
  const style = getComputedStyle(document.documentElement)
  const colors = { ...names }
  for (const name of Object.keys(names) as (keyof typeof names)[]) {
    colors[name] = style.getPropertyValue(names[name]).trim()
  }
  return colors
}
