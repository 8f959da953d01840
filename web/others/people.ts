import { inkOn } from '../basics/ink.js'
import { Source } from '../basics/source.js'
import { counted, within } from '../basics/words.js'
import { element, iconButton } from '../elements/element.js'
import type { Me } from '../state/me.js'
import type { OwnTabs } from '../state/own-tabs.js'
import type { LaterPart } from '../state/parts.js'
import type { Person, Presence } from '../state/presence.js'
import { initials } from '../storage/identity.js'
import type { Follow } from './follow.js'

/** The upper bound on other people who get a badge. The number of further people is shown instead. */
const shownMax = 4

/** For buttons whose boxes are loaded later. */
const opensBox = { 'aria-haspopup': 'dialog', 'aria-expanded': 'false' }

/** A round badge with a person's initials and colour. */
export function badge({ name, color }: { name: string, color: string }) {
  const made = element('span', { class: 'person', 'aria-hidden': 'true' }, initials(name))
  made.style.background = color
  made.style.color = inkOn(color)
  return made
}

/**
 * Shows the people in the room, and this person. A click on a badge follows that person. `change`: what is shown has
 * changed.
 */
export class People extends Source<{ change: null }> {
  #me
  #presence
  #ownTabs
  #follow
  #followed: number | null = null
  #badges = element('div', { class: 'people-others row' })
  readonly ownButton = element('button', { type: 'button', class: 'person-button', title: 'You', ...opensBox })
  readonly everyoneButton = iconButton('person', 'Who’s here', { class: 'plain everyone', ...opensBox })
  readonly element = element('div', { class: 'people row', role: 'group', 'aria-label': 'People' },
    this.#badges, this.everyoneButton, this.ownButton)

  constructor(me: Me, presence: Presence, ownTabs: OwnTabs, follow: LaterPart<Follow>) {
    super()
    this.#me = me
    this.#presence = presence
    this.#ownTabs = ownTabs
    this.#follow = follow
    presence.on('people', () => this.#show())
    me.on('change', () => this.#show())
    ownTabs.on('change', () => this.#show())
    this.#show()
  }

  /** The followed actor, or null. */
  get followed() { return this.#followed }

  /** Marks the followed person. */
  showFollowed(actor: number | null) {
    this.#followed = actor
    this.#show()
  }

  /** Everybody except this person. This person's other tabs are left out too. */
  others() { return this.#presence.people().filter(({ actor }) => !this.#ownTabs.has(actor)) }

  #show() {
    const me = this.#me
    const people = this.others()
    this.ownButton.replaceChildren(badge(me))
    this.ownButton.setAttribute('aria-label', `You’re ${within(me.name)}. Change your name and colour`)
    const unnamed = this.#presence.unnamedCount
    const count = people.length + unnamed
    const shown = count > shownMax ? people.slice(0, shownMax - 1) : people
    const focused = this.#badges.contains(document.activeElement) && document.activeElement?.getAttribute('data-actor')
    this.#badges.replaceChildren(...shown.map((person) => this.#button(person)))
    if (focused) this.#badges.querySelector<HTMLElement>(`[data-actor="${focused}"]`)?.focus()
    this.everyoneButton.hidden = count === 0
    // If there is no space for badges of others, the number counts everybody.
    this.everyoneButton.replaceChildren(element('span', { class: 'person more' },
      element('span', { class: 'rest' }, `+${(count - shown.length).toLocaleString('en')}`),
      element('span', { class: 'all' }, (count + 1).toLocaleString('en'))))
    this.everyoneButton.setAttribute('aria-label', `${counted(count + 1, 'person is', 'people are')} here`)
    this.everyoneButton.title = people.map(({ name }) => name).slice(0, 20).join(', ')
    this.everyoneButton.classList.toggle('needed', count > shown.length)
    this.tell('change', null)
  }

  /** Follows a person, or stops that. */
  async toggle(actor: number) {
    const follow = await this.#follow.get()
    follow?.toggle(actor)
  }

  #button(person: Person) {
    const isFollowed = this.#followed === person.actor
    const words = isFollowed ? `Stop following ${within(person.name)}` : `Follow ${within(person.name)}`
    return element('button', {
      type: 'button', class: 'person-button', 'data-actor': person.actor, title: words, 'aria-label': words, 'aria-pressed': String(isFollowed),
      onclick: () => this.toggle(person.actor),
    }, badge(person))
  }
}
