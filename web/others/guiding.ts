import { inkOn } from '../basics/ink.js'
import { counted, within } from '../basics/words.js'
import { element } from '../elements/element.js'
import type { Me } from '../state/me.js'
import type { Notices } from '../state/notices.js'
import type { OwnTabs } from '../state/own-tabs.js'
import type { Person, Presence } from '../state/presence.js'
import type { Shown } from '../state/shown.js'
import type { Follow } from './follow.js'

/** How long the notice is shown by which somebody asks to be followed. */
const askedMilliseconds = 30_000
/** A person who asks again within this time causes no second notice. */
const pauseMilliseconds = 10_000

/**
 * Asks others to follow this person, and tells this person who asks for that. Nobody is made to follow: a notice has a
 * button for it. Those who have pressed that follow until they are no longer asked to.
 */
export class Guiding {
  #presence
  #notices
  #ownTabs
  #shown
  #follow
  #words = element('span', { class: 'clip', role: 'status' })
  #pill = element('div', { class: 'follow-frame guiding', hidden: true }, element('div', { class: 'follow-pill row' }, this.#words,
    element('button', { type: 'button', class: 'button small', onclick: () => this.#set(false) }, 'Stop')))
  /** The people who ask now, and when a notice was last shown for each person. */
  #asking = new Set<number>()
  #askedAt = new Map<number, number>()
  /** The person who asked this person to follow and is followed now. */
  #leader: number | null = null

  constructor({ presence, notices, ownTabs, shown, me, follow }: {
    presence: Presence, notices: Notices, ownTabs: OwnTabs, shown: Shown, me: Me, follow: Follow,
  }) {
    this.#presence = presence
    this.#notices = notices
    this.#ownTabs = ownTabs
    this.#shown = shown
    this.#follow = follow
    document.body.append(this.#pill)
    presence.on('change', () => this.#look())
    ownTabs.on('change', () => this.#look())
    const color = () => {
      this.#pill.style.setProperty('--person', me.color)
      this.#pill.style.setProperty('--on-person', inkOn(me.color))
    }
    me.on('change', color)
    color()
    // Two people who lead each other would lead nowhere.
    follow.on('change', (actor) => {
      if (actor !== this.#leader) this.#leader = null
      if (actor === null) return
      this.#set(false)
      this.#notices.withdraw(groupOf(actor))
    })
    this.#look()
  }

  toggle() { this.#set(!this.#presence.isGuiding) }

  #set(isOn: boolean) {
    if (isOn) this.#follow.stop()
    this.#presence.setGuiding(isOn)
    this.#look()
  }

  #look() {
    const others = this.#presence.people().filter(({ actor }) => !this.#ownTabs.has(actor))
    this.#showPill(others)
    const asking = new Set(others.filter(({ guides }) => guides).map(({ actor }) => actor))
    for (const actor of this.#asking) if (!asking.has(actor)) this.#notices.withdraw(groupOf(actor))
    this.#letGo(others.find(({ actor, guides }) => actor === this.#leader && this.#asking.has(actor) && !guides))
    const fresh = others.filter(({ actor }) => asking.has(actor) && !this.#asking.has(actor))
    this.#asking = asking
    for (const person of fresh) this.#say(person)
  }

  /** Stops following somebody who no longer asks for that. Who has begun to follow unasked goes on. */
  #letGo(leader: Person | undefined) {
    if (!leader) return
    this.#follow.stop()
    this.#notices.say(`You no longer follow ${within(leader.name)}.`, { group: groupOf(leader.actor) })
  }

  #showPill(others: Person[]) {
    this.#pill.hidden = !this.#presence.isGuiding
    if (this.#pill.hidden) return
    const following = others.filter(({ follows }) => follows === this.#shown.live.actor)
    const words = following.length === 0 ? 'You’ve asked others to follow you'
      : following.length === 1 ? `${within(following[0].name)} follows you`
        : `${counted(following.length, 'person follows', 'people follow')} you`
    if (this.#words.textContent !== words) this.#words.textContent = words
  }

  #say({ actor, name }: Person) {
    const now = performance.now()
    if (this.#follow.actor === actor || now - (this.#askedAt.get(actor) ?? -Infinity) < pauseMilliseconds) return
    this.#askedAt.set(actor, now)
    this.#notices.say(`${within(name)} asks you to follow.`, {
      group: groupOf(actor), milliseconds: askedMilliseconds, isWhole: true, action: { words: 'Follow', run: () => {
        this.#leader = actor
        this.#follow.start(actor)
      } },
    })
  }
}

const groupOf = (actor: number) => `guide ${actor}`
