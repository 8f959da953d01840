import { Source } from '../basics/source.js'

/** The colours of the page that the canvas uses, with their CSS custom properties. */
const names = {
  paper: '--paper', dot: '--dot', overlap: '--overlap', overlapLine: '--overlap-line', accent: '--accent',
  onAccent: '--on-accent', panel: '--panel', ink: '--ink', face: '--face',
}

export type Colors = Record<keyof typeof names, string>

/**
 * The page's colours, as a canvas takes them. `change`: the colours have changed, because of light or dark mode, the
 * contrast that the system asks for, or the person's own colour.
 */
export class Palette extends Source<{ change: null }> {
  colors: Colors

  constructor() {
    super()
    this.colors = read()
    for (const media of ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']) {
      matchMedia(media).addEventListener('change', () => this.#refresh())
    }
    new MutationObserver(() => this.#refresh()).observe(document.documentElement, { attributeFilter: ['style', 'data-theme'] })
  }

  /** Whether the paper is dark. */
  get isDark() { return parseInt(this.colors.paper.match(/\d+/)?.[0] ?? '', 10) < 128 }

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
