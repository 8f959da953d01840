import { counted, element, icon, iconButton, within } from '../elements/element.js'
import { initials, inkOn, isName, personColors } from '../storage/identity.js'
import { popover } from '../elements/popover.js'

/** Who else is shown beside oneself before the rest becomes a number. */
const shownMax = 4

/** A person as a round of their colour. @param {{name: string, color: string}} person */
export function badge({ name, color }, attributes = {}) {
  const made = element('span', { class: 'person', 'aria-hidden': 'true', ...attributes }, initials(name))
  made.style.background = color
  made.style.color = inkOn(color)
  return made
}

/** Who is here, and who one is. A click on somebody follows them. */
export class People {
  #app
  #loadFollow
  #follow = null
  #others = element('div', { class: 'people-others row' })
  #list = element('ul', { class: 'people-list', 'aria-label': 'Who is here' })
  #heading = element('h2', {})
  #own
  #about

  /** @param {import('../state/app.js').App} app @param {() => Promise<import('./follow.js').Follow | null>} follow */
  constructor(app, follow) {
    this.#app = app
    this.#loadFollow = follow
    this.#own = element('button', { type: 'button', class: 'person-button', title: 'You' })
    this.#about = popover(this.#own, this.#aboutMe(), { label: 'Your name and colour' })
    const everyone = iconButton('person', 'Who is here', { class: 'plain everyone' })
    popover(everyone, element('div', { class: 'sheet' }, this.#heading, this.#list), {
      label: 'Who is here', onOpen: () => this.#showList(),
    })
    this.everyone = everyone
    this.element = element('div', { class: 'people row', role: 'group', 'aria-label': 'People' },
      this.#others, everyone, this.#own)
    app.addEventListener('people', () => this.#show())
    app.addEventListener('me', () => this.#show())
    this.#show()
  }

  askForName() { this.#about.open() }

  #show() {
    const { me, presence } = this.#app
    const people = presence.people()
    this.#own.replaceChildren(badge(me))
    this.#own.setAttribute('aria-label', `You are ${within(me.name)}: change your name and colour`)
    const shown = people.length > shownMax ? people.slice(0, shownMax - 1) : people
    this.#others.replaceChildren(...shown.map((person) => this.#button(person)))
    this.everyone.hidden = people.length === 0
    // Where there is no room for anyone beside oneself, the number is of all.
    this.everyone.replaceChildren(element('span', { class: 'person more' },
      element('span', { class: 'rest' }, `+${people.length - shown.length}`),
      element('span', { class: 'all' }, String(people.length + 1))))
    this.everyone.setAttribute('aria-label', `${counted(people.length + 1, 'person is', 'people are')} here`)
    this.everyone.title = people.map(({ name }) => name).slice(0, 20).join(', ')
    this.everyone.classList.toggle('needed', people.length > shown.length)
    this.#showList()
  }

  async #toggle(actor) {
    const follow = await this.#loadFollow()
    if (!follow) return
    if (!this.#follow) follow.addEventListener('change', () => this.#show())
    this.#follow = follow
    follow.toggle(actor)
  }

  #button(person) {
    const isFollowed = this.#follow?.actor === person.actor
    const words = isFollowed ? `Stop following ${within(person.name)}` : `Follow ${within(person.name)}`
    return element('button', {
      type: 'button', class: 'person-button', title: words, 'aria-label': words, 'aria-pressed': String(isFollowed),
      onclick: () => this.#toggle(person.actor),
    }, badge(person))
  }

  #showList() {
    const { me, presence } = this.#app
    const people = presence.people()
    this.#heading.textContent = counted(people.length + 1, 'person here', 'people here')
    this.#list.replaceChildren(
      element('li', { class: 'row' }, badge(me), element('span', { class: 'grow clip' }, `${within(me.name)} (you)`)),
      ...people.slice(0, 200).map((person) => {
        const isFollowed = this.#follow?.actor === person.actor
        return element('li', { class: 'row' }, badge(person), element('span', { class: 'grow clip' }, person.name),
          element('button', {
            type: 'button', class: 'button small', 'aria-pressed': String(isFollowed),
            'aria-label': `${isFollowed ? 'Stop following' : 'Follow'} ${within(person.name)}`,
            onclick: () => this.#toggle(person.actor),
          }, isFollowed ? 'Following' : 'Follow'))
      }))
  }

  #aboutMe() {
    const { me } = this.#app
    const name = element('input', {
      class: 'field large', name: 'name', value: me.name, maxlength: '40', autocomplete: 'nickname', autofocus: true,
      id: 'own-name', spellcheck: 'false',
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
    const form = element('form', { class: 'sheet', onsubmit: (event) => {
      event.preventDefault()
      if (!isName(name.value)) {
        name.setAttribute('aria-invalid', 'true')
        name.setCustomValidity(name.value.trim() ? 'A shorter name, please.' : 'A name, please.')
        name.reportValidity()
        return
      }
      const color = form.querySelector('input[name="own-color"]:checked')?.value ?? this.#app.me.color
      this.#app.setMe({ name: name.value.trim(), color })
      form.closest('[popover]').hidePopover()
    } },
    element('label', { for: 'own-name' }, element('h2', {}, 'What should others call you?')),
    name, colors,
    element('button', { type: 'submit', class: 'button primary' }, 'That’s me'))
    name.addEventListener('input', () => {
      name.removeAttribute('aria-invalid')
      name.setCustomValidity('')
    })
    return form
  }
}
