import { element, iconButton } from '../elements/element.js'
import type { Notice, Notices } from '../state/notices.js'

/** The upper bound on visible notices. It is lower on small screens, where more would cover the drawing. */
const shownMax = () => (matchMedia('(max-width: 640px), (max-height: 480px)').matches ? 1 : 3)
/** How long a notice is shown. A notice with a button is shown longer. */
const shownMilliseconds = { quiet: 5000, action: 9000 }

type Entry = { notice: Notice & { group: string }, timer: number, element: HTMLElement }

/** Where the tab stores the notices of a room that hold texts. */
const storedAs = `notices ${location.pathname}`

/**
 * Shows notices at the bottom left, and has them read out to people with screen readers. A notice disappears by itself,
 * and replaces one of the same `group`. If there are too many, notices about overlaps are removed first, then the
 * oldest ones, and last those that offer what can't be had otherwise. A notice that may hold the only copy of a text
 * waits until there is space for it, and stays until the person dismisses it, also after a reload.
 */
export class NoticeList {
  #list = element('div', { class: 'notices', role: 'log', 'aria-live': 'polite', 'aria-label': 'Notices' })
  #shown: Entry[] = []
  #waiting: Entry['notice'][] = []
  #isStoring = false
  readonly element = this.#list

  constructor(notices: Notices) {
    notices.on('notice', (notice) => this.#show(notice))
    notices.on('withdrawn', (group) => {
      this.#waiting = this.#waiting.filter((waiting) => waiting.group !== group)
      for (const entry of this.#shown) if (entry.notice.group === group) this.#remove(entry)
      this.#store()
    })
    const held = stored()
    // The list has to be in the page first. Otherwise it isn't read out.
    setTimeout(() => {
      for (const notice of held) this.#show({ ...notice, action: notices.copying(notice.holds) })
    })
  }

  get #heldCount() { return this.#shown.filter(({ notice }) => notice.holds).length }

  #show(notice: Notice) {
    this.#place(notice)
    this.#store()
  }

  #place(notice: Notice) {
    const { text, kind = 'quiet', group = text, action, isWhole = false, holds,
      milliseconds = shownMilliseconds[action ? 'action' : 'quiet'] } = notice
    const same = this.#shown.find((shown) => shown.notice.group === group)
    // A press on its button can cause the same notice again. Without the element there would be no click.
    if (same?.notice.text === text && same.element.matches(':active')) return
    if (same) this.#takeAway(same)
    const place = this.#waiting.findIndex((waiting) => waiting.group === group)
    if (holds && (place >= 0 || this.#heldCount >= shownMax())) {
      this.#waiting[place >= 0 ? place : this.#waiting.length] = { ...notice, group }
      return
    }
    if (place >= 0) this.#waiting.splice(place, 1)
    const words = action && !action.words
      ? element('button', { type: 'button', class: 'notice-words link', dir: 'auto', onclick: () => action.run() }, text)
      : element('span', { class: `notice-words${isWhole ? ' is-whole' : ''}`, dir: 'auto', ...isWhole && { tabindex: '0' } }, text)
    const entry: Entry = { notice: { ...notice, group }, timer: 0, element: element('div', { class: `notice floating is-${kind}` },
      element('span', { class: 'notice-dot' }), words, element('span', { class: 'row' },
        action?.words && element('button', {
          type: 'button', class: 'button plain small', onclick: () => { if (action.run() !== false) this.#remove(entry) },
        }, action.words),
        iconButton('close', 'Dismiss', { class: 'plain small', onclick: () => this.#remove(entry) }))) }
    // While a pointer is over a notice, or the focus is in it, it stays. Each finger is a pointer.
    const reasons = new Set<number | 'focus'>()
    const reason = (event: Event) => (event instanceof PointerEvent ? event.pointerId : 'focus')
    const wait = () => {
      clearTimeout(entry.timer)
      if (!holds && reasons.size === 0) entry.timer = setTimeout(() => this.#remove(entry), milliseconds)
    }
    for (const [begin, end] of [['pointerenter', 'pointerleave'], ['focusin', 'focusout']]) {
      entry.element.addEventListener(begin, (event) => {
        reasons.add(reason(event))
        clearTimeout(entry.timer)
      })
      entry.element.addEventListener(end, (event) => {
        reasons.delete(reason(event))
        wait()
      })
    }
    wait()
    this.#list.append(entry.element)
    this.#shown.push(entry)
    const isAnyKept = this.#shown.some(({ notice }) => notice.isKept)
    const most = Math.max(shownMax(), this.#heldCount + Number(isAnyKept) + Number(!holds))
    while (this.#shown.length > most) {
      const dropped = this.#shown.find(({ notice }) => notice.kind === 'overlap')
        ?? this.#shown.find(({ notice }) => !notice.holds && !notice.isKept) ?? this.#shown.find(({ notice }) => !notice.holds)
      if (!dropped) return
      this.#remove(dropped)
    }
  }

  /** Removes a notice, and shows the one that waits for its space. */
  #remove(entry: Entry) {
    const hadFocus = entry.element.contains(document.activeElement)
    this.#takeAway(entry)
    const next = this.#heldCount < shownMax() ? this.#waiting.shift() : undefined
    if (next) this.#place(next)
    this.#store()
    if (hadFocus) this.#shown.at(-1)?.element.querySelector<HTMLElement>('button:last-child')?.focus()
  }

  #takeAway(entry: Entry) {
    this.#shown = this.#shown.filter((shown) => shown !== entry)
    entry.element.remove()
    // Losing the focus has started the timer again.
    clearTimeout(entry.timer)
  }

  /** Stores the notices that hold texts, once for all that happens in a turn. */
  #store() {
    if (this.#isStoring) return
    this.#isStoring = true
    queueMicrotask(() => {
      this.#isStoring = false
      const holding = [...this.#shown.map(({ notice }) => notice), ...this.#waiting].filter(({ holds }) => holds)
      try {
        sessionStorage.setItem(storedAs, JSON.stringify(holding))
      } catch {
        // The browser can't store them, so they are there until a reload.
      }
    })
  }
}

function stored(): (Notice & { holds: string })[] {
  try {
    const stored: Notice[] = JSON.parse(sessionStorage.getItem(storedAs) ?? '[]')
    return stored.filter((notice): notice is Notice & { holds: string } => typeof notice.holds === 'string')
  } catch {
    // The browser stores nothing, or has what another version of the page stored.
    return []
  }
}
