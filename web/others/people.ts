import { inkOn } from '../basics/ink.js'
import { personColors } from '../basics/person-colors.js'
import { counted, within } from '../basics/words.js'
import { hiddenCharacters } from '../core/table.js'
import { element, icon, iconButton, isWithin } from '../elements/element.js'
import { popover } from '../elements/popover.js'
import type { Me } from '../state/me.js'
import type { OwnTabs } from '../state/own-tabs.js'
import type { LaterPart } from '../state/parts.js'
import type { Person, Presence } from '../state/presence.js'
import { initials, isName } from '../storage/identity.js'
import type { Doable } from '../tools/actions.js'
import type { Follow } from './follow.js'

/** The upper bound on other people who get a badge. The number of further people is shown instead. */
const shownMax = 4

/** A round badge with a person's initials and colour. */
function badge({ name, color }: { name: string, color: string }) {
  const made = element('span', { class: 'person', 'aria-hidden': 'true' }, initials(name))
  made.style.background = color
  made.style.color = inkOn(color)
  return made
}

/**
 * Shows the people in the room. A click on a badge follows that person. This person can change their own name and
 * colour.
 */
export class People {
  #me
  #presence
  #ownTabs
  #follow
  /** The followed actor, or null. */
  #followed: number | null = null
  #badges = element('div', { class: 'people-others row' })
  #list = element('ul', { class: 'people-list', 'aria-label': 'Who’s here' })
  #heading = element('h2', {})
  #own = element('button', { type: 'button', class: 'person-button', title: 'You' })
  #everyone = iconButton('person', 'Who’s here', { class: 'plain everyone' })
  #about
  #everyones
  readonly element = element('div', { class: 'people row', role: 'group', 'aria-label': 'People' },
    this.#badges, this.#everyone, this.#own)

  /** @param guide asks others to follow this person */
  constructor(me: Me, presence: Presence, ownTabs: OwnTabs, follow: LaterPart<Follow>, guide: Doable) {
    this.#me = me
    this.#presence = presence
    this.#ownTabs = ownTabs
    this.#follow = follow
    this.#about = popover(this.#own, this.#aboutMe(), { label: 'Your name and colour' })
    const asking = element('button', { type: 'button', class: 'button', onclick: () => { everyone.close(); guide.run() } })
    const everyone = this.#everyones = popover(this.#everyone, element('div', { class: 'sheet' }, this.#heading, this.#list, asking), {
      label: 'Who’s here', onOpen: () => {
        asking.textContent = guide.isChecked?.() ? 'Stop asking others to follow you' : guide.words
        this.#showList()
      },
    })
    presence.on('people', () => this.#show())
    me.on('change', () => this.#show())
    ownTabs.on('change', () => this.#show())
    this.#show()
  }

  askForName() { this.#about.open() }

  /** Marks the followed person in the list. */
  showFollowed(actor: number | null) {
    this.#followed = actor
    this.#show()
  }

  /** Everybody except this person. This person's other tabs are left out too. */
  #others() { return this.#presence.people().filter(({ actor }) => !this.#ownTabs.has(actor)) }

  #show() {
    const me = this.#me
    const people = this.#others()
    this.#own.replaceChildren(badge(me))
    this.#own.setAttribute('aria-label', `You’re ${within(me.name)}. Change your name and colour`)
    const unnamed = this.#presence.unnamedCount
    const count = people.length + unnamed
    const shown = count > shownMax ? people.slice(0, shownMax - 1) : people
    this.#badges.replaceChildren(...shown.map((person) => this.#button(person)))
    this.#everyone.hidden = count === 0
    // If there is no space for badges of others, the number counts everybody.
    this.#everyone.replaceChildren(element('span', { class: 'person more' },
      element('span', { class: 'rest' }, `+${(count - shown.length).toLocaleString('en')}`),
      element('span', { class: 'all' }, (count + 1).toLocaleString('en'))))
    this.#everyone.setAttribute('aria-label', `${counted(count + 1, 'person is', 'people are')} here`)
    this.#everyone.title = people.map(({ name }) => name).slice(0, 20).join(', ')
    this.#everyone.classList.toggle('needed', count > shown.length)
    if (this.#everyones.isOpen()) this.#showList()
  }

  async #toggle(actor: number) {
    const follow = await this.#follow.get()
    follow?.toggle(actor)
  }

  #button(person: Person) {
    const isFollowed = this.#followed === person.actor
    const words = isFollowed ? `Stop following ${within(person.name)}` : `Follow ${within(person.name)}`
    return element('button', {
      type: 'button', class: 'person-button', title: words, 'aria-label': words, 'aria-pressed': String(isFollowed),
      onclick: () => this.#toggle(person.actor),
    }, badge(person))
  }

  #showList() {
    const me = this.#me
    const people = this.#others()
    const tabs = this.#presence.people().length - people.length
    const words = tabs === 0 ? '(you)' : `(you, in ${tabs + 1} tabs)`
    const unnamed = this.#presence.unnamedCount
    this.#heading.textContent = counted(people.length + unnamed + 1, 'person here', 'people here')
    const focused = isWithin(document.activeElement, '.people-list button') ? document.activeElement : null
    this.#list.replaceChildren(
      element('li', { class: 'row' }, badge(me), element('span', { class: 'grow clip' }, `${within(me.name)} ${words}`)),
      ...people.slice(0, 200).map((person) => {
        const isFollowed = this.#followed === person.actor
        return element('li', { class: 'row' }, badge(person), element('span', { class: 'grow clip', dir: 'auto' }, person.name),
          element('button', {
            type: 'button', class: 'button small', 'aria-pressed': String(isFollowed), 'data-actor': person.actor,
            'aria-label': `${isFollowed ? 'Stop following' : 'Follow'} ${within(person.name)}`,
            onclick: () => this.#toggle(person.actor),
          }, isFollowed ? 'Following' : 'Follow'))
      }),
      ...unnamed > 0 ? [element('li', { class: 'row' }, `and ${unnamed.toLocaleString('en')} more`)] : [])
    if (focused instanceof HTMLElement) this.#focus(focused.dataset.actor)
  }

  /** Keeps the focus in the list, so that its box still gets the Escape key. */
  #focus(actor = '') {
    const next = this.#list.querySelector(`[data-actor="${actor}"]`) ?? this.#list.closest('[popover]')
    if (next instanceof HTMLElement) next.focus({ preventScroll: true })
  }

  #aboutMe() {
    const me = this.#me
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
      this.#about.close()
    } },
    element('label', { for: 'own-name' }, element('h2', {}, 'What should others call you?')),
    name, colors,
    element('button', { type: 'submit', class: 'button primary' }, 'Save'))
    name.addEventListener('input', () => {
      name.removeAttribute('aria-invalid')
      name.setCustomValidity('')
    })
    return form
  }
}
