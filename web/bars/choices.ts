import { standardTextSize } from '../canvas/notes.js'
import { element, setAttributes } from '../elements/element.js'

type Value = string | number

/** The choices for stroke widths, dashes, routes of lines and text sizes: each with its value, its label and its icon or text. */
export const widths: [Value, string, string][] = [[2, 'Thin', 'thin'], [4, 'Medium', 'medium'], [8, 'Thick', 'thick']]
export const dashes: [Value, string, string][] = [
  ['solid', 'Solid', 'solid'], ['dashed', 'Dashed', 'dashed'], ['dotted', 'Dotted', 'dotted'],
]
export const routes: [Value, string, string][] = [
  ['straight', 'Straight', 'straight'], ['curved', 'Curved', 'curved'], ['elbow', 'Elbow', 'elbow'],
]
export const textSizes: [Value, string, string][] = [
  [14, 'Small', 'S'], [standardTextSize, 'Medium', 'M'], [32, 'Large', 'L'], [48, 'Very large', 'XL'],
]

/** A row of buttons, one for each of the common values of a property. */
export class Choices {
  #buttons: [Value, HTMLButtonElement][]
  readonly element

  constructor(label: string, choices: [Value, string, string][], choose: (value: Value) => unknown) {
    this.#buttons = choices.map(([value, words, look]) => {
      const name = `${label}: ${words}`
      const isLetter = look === look.toUpperCase()
      return [value, element('button', {
        type: 'button', class: 'choice', 'aria-label': name, title: name, onclick: () => choose(value),
      }, isLetter ? look : element('span', { class: `sample ${look}` }))]
    })
    this.element = element('div', { class: 'choices row', role: 'group', 'aria-label': label }, this.#buttons.map(([, button]) => button))
  }

  /** @param chosen the value that all the shapes have; otherwise undefined */
  show(chosen: unknown) {
    for (const [value, button] of this.#buttons) setAttributes(button, { 'aria-pressed': String(value === chosen) })
  }
}
