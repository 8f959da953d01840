import { element, iconButton } from '../elements/element.js'
import type { Notice, Notices } from '../state/notices.js'

/** The upper bound on visible notices. It is lower on small screens, where more would cover the drawing. */
const shownMax = () => (matchMedia('(max-width: 640px), (max-height: 480px)').matches ? 1 : 3)
/** How long a notice is shown. A notice with a button is shown longer. */
const shownMilliseconds = { quiet: 5000, action: 9000 }

type Entry = { group: string, kind: string, isKept: boolean, timer: number, element: HTMLElement }

/**
 * Shows notices at the bottom left, and has them read out to people with screen readers. A notice disappears by itself,
 * and replaces one of the same `group`. If there are too many, notices about overlaps are removed first, then the
 * oldest ones. A notice that may hold the only copy of a text waits until there is space for it, and stays until the
 * person dismisses it.
 */
export class NoticeList {
  #list = element('div', { class: 'notices', role: 'log', 'aria-live': 'polite', 'aria-label': 'Notices' })
  #shown: Entry[] = []
  #waiting: Notice[] = []
  readonly element = this.#list

  constructor(notices: Notices) {
    notices.on('notice', (notice) => this.#show(notice))
    notices.on('withdrawn', (group) => {
      this.#waiting = this.#waiting.filter((waiting) => waiting.group !== group)
      for (const entry of this.#shown) if (entry.group === group) this.#remove(entry)
    })
  }

  get #keptCount() { return this.#shown.filter(({ isKept }) => isKept).length }

  #show(notice: Notice) {
    const { text, kind = 'quiet', group = text, action, isWhole = false, isKept = false,
      milliseconds = shownMilliseconds[action ? 'action' : 'quiet'] } = notice
    const same = this.#shown.find((shown) => shown.group === group)
    if (same) this.#takeAway(same)
    const place = this.#waiting.findIndex((waiting) => waiting.group === group)
    if (isKept && (place >= 0 || this.#keptCount >= shownMax())) {
      this.#waiting[place >= 0 ? place : this.#waiting.length] = { ...notice, group }
      return
    }
    if (place >= 0) this.#waiting.splice(place, 1)
    const words = action && !action.words
      ? element('button', { type: 'button', class: 'notice-words link', dir: 'auto', onclick: () => action.run() }, text)
      : element('span', { class: `notice-words${isWhole ? ' is-whole' : ''}`, dir: 'auto', ...isWhole && { tabindex: '0' } }, text)
    const entry: Entry = { group, kind, isKept, timer: 0, element: element('div', { class: `notice floating is-${kind}` },
      element('span', { class: 'notice-dot' }), words, element('span', { class: 'row' },
        action?.words && element('button', {
          type: 'button', class: 'button plain small', onclick: () => { if (action.run() !== false) this.#remove(entry) },
        }, action.words),
        iconButton('close', 'Dismiss', { class: 'plain small', onclick: () => this.#remove(entry) }))) }
    const wait = () => {
      clearTimeout(entry.timer)
      if (!isKept) entry.timer = setTimeout(() => this.#remove(entry), milliseconds)
    }
    // While somebody points at a notice, or has the focus in it, it stays.
    for (const type of ['pointerenter', 'focusin']) entry.element.addEventListener(type, () => clearTimeout(entry.timer))
    for (const type of ['pointerleave', 'focusout']) entry.element.addEventListener(type, wait)
    wait()
    this.#list.append(entry.element)
    this.#shown.push(entry)
    const most = isKept ? shownMax() : Math.max(shownMax(), this.#keptCount + 1)
    while (this.#shown.length > most) {
      const dropped = this.#shown.find((shown) => shown.kind === 'overlap') ?? this.#shown.find((shown) => !shown.isKept)
      if (!dropped) return
      this.#remove(dropped)
    }
  }

  /** Removes a notice, and shows the one that waits for its space. */
  #remove(entry: Entry) {
    const hadFocus = entry.element.contains(document.activeElement)
    this.#takeAway(entry)
    const next = this.#keptCount < shownMax() ? this.#waiting.shift() : undefined
    if (next) this.#show(next)
    if (hadFocus) this.#shown.at(-1)?.element.querySelector<HTMLElement>('button:last-child')?.focus()
  }

  #takeAway(entry: Entry) {
    this.#shown = this.#shown.filter((shown) => shown !== entry)
    entry.element.remove()
    // Losing the focus has started the timer again.
    clearTimeout(entry.timer)
  }
}
