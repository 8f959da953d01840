import { personColors } from '../basics/person-colors.js'
import { hiddenCharacters } from '../core/table.js'
import { element, icon } from '../elements/element.js'
import { popover } from '../elements/popover.js'
import type { Me } from '../state/me.js'
import { isName } from '../storage/identity.js'

/** The box in which a person changes their name and colour. From now on, each click on its button opens or closes it. */
export function makeOwnBox(button: HTMLElement, me: Me) {
  const name = element('input', {
    class: 'field large', name: 'name', value: me.name, autocomplete: 'nickname', autofocus: true,
    id: 'own-name', dir: 'auto', spellcheck: 'false',
  })
  const colors = element('div', { class: 'swatches', role: 'radiogroup', 'aria-label': 'Your colour' },
    personColors.map((color) => {
      const input = element('input', {
        type: 'radio', name: 'own-color', value: color, 'aria-label': `Colour ${color}`,
        checked: color === me.color, class: 'visually-hidden',
      })
      const swatch = element('label', { class: 'swatch' }, input, icon('check'))
      swatch.style.setProperty('--swatch', color)
      return swatch
    }))
  const form: HTMLFormElement = element('form', { class: 'sheet', onsubmit: (event) => {
    event.preventDefault()
    if (!isName(name.value)) {
      name.setAttribute('aria-invalid', 'true')
      name.setCustomValidity(hiddenCharacters.test(name.value) ? 'Please choose a name without invisible characters.'
        : name.value.trim() ? 'Please choose a shorter name.' : 'Please enter a name.')
      name.reportValidity()
      return
    }
    const color = new FormData(form).get('own-color')
    me.become({ name: name.value.trim(), color: typeof color === 'string' ? color : me.color })
    box.close()
  } },
  element('label', { for: 'own-name' }, element('h2', {}, 'What should others call you?')),
  name, colors,
  element('button', { type: 'submit', class: 'button primary' }, 'Save'))
  name.addEventListener('input', () => {
    name.removeAttribute('aria-invalid')
    name.setCustomValidity('')
  })
  const box = popover(button, form, { label: 'Your name and colour' })
  return box
}
