/** What is painted in the colours of the page, by custom property. */
const names = {
  paper: '--paper', dot: '--dot', overlap: '--overlap', overlapLine: '--overlap-line', accent: '--accent',
  onAccent: '--on-accent', panel: '--panel', ink: '--ink', face: '--face',
}

/**
 * The page's colours as a canvas takes them. Dispatches `change` when they have become others: with the system's palette, the page's,
 * or one's own colour.
 */
export class Palette extends EventTarget {
  /** @type {Record<keyof typeof names, string>} */
  colors = {}

  constructor() {
    super()
    this.#read()
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#read())
    new MutationObserver(() => this.#read()).observe(document.documentElement, { attributeFilter: ['style', 'data-theme'] })
  }

  #read() {
    const style = getComputedStyle(document.documentElement)
    for (const [name, property] of Object.entries(names)) this.colors[name] = style.getPropertyValue(property).trim()
    this.dispatchEvent(new Event('change'))
  }
}
