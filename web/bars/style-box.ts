import { element } from '../elements/element.js'
import { popover } from '../elements/popover.js'
import type { Paint } from '../state/paint.js'
import type { Play } from '../state/play.js'
import { Choices, dashes, routes, textSizes, widths } from './choices.js'
import { Swatches } from './swatches.js'

/** The box in which the style of the next shape is chosen. From now on, each click on its button opens or closes it. */
export function makeStyleBox(button: HTMLElement, { paint, play }: { paint: Paint, play: Play }) {
  const swatches = new Swatches('Colours of the next shape', {
    fill: { words: 'The next colour in turn', icon: 'in-turn' }, stroke: { words: 'No outline', icon: 'none' },
    any: { words: 'Any bright colour', icon: 'any-color', isShown: () => play.isOn },
  }, (part, color) => paint.choose({ [part]: color }))
  const choices = [
    ['strokeWidth', new Choices('Outline width', widths, (value) => paint.choose({ strokeWidth: Number(value) }))],
    ['dash', new Choices('Line', dashes, (value) => paint.choose({ dash: value as typeof paint.dash }))],
    ['route', new Choices('Lines and arrows', routes, (value) => paint.choose({ route: value as typeof paint.route }))],
    ['textSize', new Choices('Text size', textSizes, (value) => paint.choose({ textSize: Number(value) }))],
  ] as const
  const show = () => {
    const { fill, stroke } = paint
    swatches.show({ fill, stroke })
    for (const [name, choice] of choices) choice.show(paint[name])
  }
  paint.on('change', show)
  show()
  return popover(button, element('div', { class: 'style-sheet' }, swatches.element, choices.map(([, { element }]) => element)),
    { label: 'Style of the next shape' })
}
