import { counted, within } from '../basics/words.js'
import { element, isWithin } from '../elements/element.js'
import { popover } from '../elements/popover.js'
import type { Me } from '../state/me.js'
import type { Presence } from '../state/presence.js'
import type { Doable } from '../tools/actions.js'
import { badge, type People } from './people.js'

/** At most this many people are listed. */
const listedMax = 200

/**
 * The box that lists who is in the room. From now on, each click on its button opens or closes it.
 *
 * @param how `guide`: asks others to follow this person
 */
export function makeEveryoneBox(
  button: HTMLElement, { me, people, presence, guide }: { me: Me, people: People, presence: Presence, guide: Doable },
) {
  const heading = element('h2', {})
  const list = element('ul', { class: 'people-list', 'aria-label': 'Who’s here' })
  const asking = element('button', { type: 'button', class: 'button', onclick: () => { box.close(); guide.run() } })
  const show = () => {
    asking.textContent = guide.isChecked?.() ? 'Stop asking others to follow you' : guide.words
    const others = people.others()
    const tabs = presence.people().length - others.length
    const words = tabs === 0 ? '(you)' : `(you, in ${tabs + 1} tabs)`
    const unnamed = presence.unnamedCount
    heading.textContent = counted(others.length + unnamed + 1, 'person here', 'people here')
    const focused = isWithin(document.activeElement, '.people-list button') ? document.activeElement : null
    list.replaceChildren(
      element('li', { class: 'row' }, badge(me), element('span', { class: 'grow clip' }, `${within(me.name)} ${words}`)),
      ...others.slice(0, listedMax).map((person) => {
        const isFollowed = people.followed === person.actor
        return element('li', { class: 'row' }, badge(person), element('span', { class: 'grow clip', dir: 'auto' }, person.name),
          element('button', {
            type: 'button', class: 'button small', 'aria-pressed': String(isFollowed), 'data-actor': person.actor,
            'aria-label': `${isFollowed ? 'Stop following' : 'Follow'} ${within(person.name)}`,
            onclick: () => people.toggle(person.actor),
          }, isFollowed ? 'Following' : 'Follow'))
      }),
      ...unnamed > 0 ? [element('li', { class: 'row' }, `and ${unnamed.toLocaleString('en')} more`)] : [])
    if (focused instanceof HTMLElement) focus(focused.dataset.actor)
  }
  /** Keeps the focus in the list, so that its box still gets the Escape key. */
  const focus = (actor = '') => {
    const next = list.querySelector(`[data-actor="${actor}"]`) ?? list.closest('[popover]')
    if (next instanceof HTMLElement) next.focus({ preventScroll: true })
  }
  const box = popover(button, element('div', { class: 'sheet' }, heading, list, asking), { label: 'Who’s here', onOpen: show })
  people.on('change', () => { if (box.isOpen()) show() })
  return box
}
