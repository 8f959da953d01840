import { counted } from '../basics/words.js'
import type { Effect } from '../core/types.js'
import { element, hasFingers, icon } from '../elements/element.js'
import type { Connection } from '../network/connection.js'
import type { LaterPart } from '../state/parts.js'
import type { Permission } from '../state/permission.js'
import type { Play } from '../state/play.js'
import type { Refusals } from '../state/refusals.js'
import type { Shown } from '../state/shown.js'
import type { Doables } from '../tools/actions.js'
import { card } from './card.js'

/**
 * How long the canvas must be empty before the invitation to draw appears. Without this delay it would flash while a
 * drawing is loaded.
 */
const patienceMilliseconds = 150
/** The states of somebody who isn't in the room. Their cards are loaded when the first is needed. */
const outside = new Set(['deleted', 'token', 'crowded', 'elsewhere', 'refused'])

/**
 * The message in the middle of the canvas (loading, empty, deleted, no access), and the banners at the top (room full,
 * page outdated).
 */
export class States {
  #cards
  #connection
  #shown
  #permission
  #play
  #actions
  #middle = element('section', { class: 'middle', 'aria-live': 'polite', 'aria-label': 'State of the room' })
  #banners = element('section', { class: 'banners', 'aria-label': 'From the server' })
  #state = 'offline'
  #code = ''
  #kind = ''
  #timer = 0
  /** The number of shapes when the server last refused a change because the room was full. */
  #countWhenFull = 0
  readonly elements = [this.#middle, this.#banners]

  constructor({ connection, shown, permission, play, refusals, actions, cards }: {
    connection: Connection, shown: Shown, permission: Permission, play: Play, refusals: Refusals, actions: Doables,
    cards: LaterPart<(kind: string, code?: string) => HTMLElement>,
  }) {
    this.#cards = cards
    this.#connection = connection
    this.#shown = shown
    this.#permission = permission
    this.#play = play
    this.#actions = actions
    connection.on('effect', (effect) => this.#take(effect))
    connection.on('stopped', () => this.banner('stopped', {
      words: 'This page has stopped, and we’re sorry. What it has kept of your drawing is there again after a reload.',
      action: { words: 'Reload', run: reload },
    }))
    refusals.on('full', () => this.#sayFull())
    shown.on('changes', () => {
      this.#look()
      if (shown.live.shapeCount < this.#countWhenFull) this.#find('full')?.remove()
    })
    permission.on('change', () => this.#look())
    play.on('change', () => { if (this.#kind === 'empty') this.#middle.replaceChildren(...this.#content('empty')) })
    this.#look()
  }

  #sayFull() {
    const most = this.#connection.replica.status().limits.shapes
    this.#countWhenFull = this.#connection.replica.shapeCount
    this.banner('full', {
      words: `This room is full: it holds ${counted(most, 'shape')}. Delete some to make room.`,
    })
  }

  #take(effect: Effect) {
    if (effect.type === 'error') this.#takeWord(effect.code)
    if (effect.type === 'tokenTaken') this.#find('token')?.remove()
    if (effect.type !== 'state') return
    this.#state = effect.state
    this.#code = effect.code ?? ''
    // The room is closed for good, for example because it was deleted, so the banners don't apply any more.
    if (effect.state === 'closed') this.#banners.replaceChildren()
    document.body.classList.toggle('is-closed', effect.state === 'closed')
    this.#look()
  }

  /** If a visitor's token is about to expire, offers to enter another one, so that they can stay. */
  #takeWord(code: string) {
    if (code === 'token_expires') this.#askForNextToken('Your access ends within a minute.')
    if (code === 'token_refused') {
      this.#find('token')?.remove()
      this.#askForNextToken('The server doesn’t take this token. Your access ends soon.')
    }
  }

  #look() {
    const kind = this.#wanted()
    if (kind === this.#kind) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#show(this.#wanted()), kind === 'empty' ? patienceMilliseconds : 0)
  }

  #wanted() {
    if (this.#shown.isPast) return ''
    if (this.#state === 'closed') {
      if (this.#code === 'no_such_room') return 'deleted'
      if (this.#code === 'no_token') return 'token'
      if (this.#connection.isElsewhere) return 'elsewhere'
      return 'refused'
    }
    if (this.#shown.replica.shapeCount > 0) return ''
    if (this.#connection.isTurnedAway) return 'crowded'
    if (this.#state === 'live') return this.#permission.isViewOnly ? 'nothing' : 'empty'
    return this.#connection.replica.status().cursor === undefined && navigator.onLine ? 'loading' : 'empty'
  }

  #show(kind: string) {
    if (kind === this.#kind) return
    this.#kind = kind
    this.#middle.dataset.kind = kind
    this.#middle.replaceChildren(...this.#content(kind))
    if (outside.has(kind)) this.#showOutside(kind)
  }

  async #showOutside(kind: string) {
    const cardFor = await this.#cards.needed()
    if (kind === this.#kind) this.#middle.replaceChildren(cardFor?.(kind, this.#code) ?? outdated())
  }

  #content(kind: string): HTMLElement[] {
    switch (kind) {
      case 'loading': return skeleton()
      case 'empty': return [this.#invitation()]
      case 'nothing': return [card('eye', 'Nothing here yet', 'You’ll see shapes as others draw them.')]
      default: return []
    }
  }

  #invitation() {
    const way = (picture: string, words: string, more: string) => element('li', { class: 'row' }, icon(picture),
      element('span', {}, element('strong', {}, words), ' ', element('span', { class: 'quiet' }, more)))
    const isPhone = hasFingers()
    const isPlay = this.#play.isOn
    const made = card('', 'Start drawing', '',
      element('ul', { class: 'ways' },
        way('rectangle', 'Drag', 'to draw a rectangle'),
        isPlay && way('tap', isPhone ? 'Double-tap' : 'Double-click', 'to draw a circle'),
        // People with phones don't drop files, so they get a hint about zooming instead.
        isPhone ? way('fit', 'Use two fingers', 'to move and zoom') : way('file', 'Drop a file', 'to import a drawing')),
      isPlay && element('button', {
        type: 'button', class: 'button primary', onclick: () => this.#actions.threeSquares.run(),
      }, icon('three-squares'), 'Start with three squares'))
    made.classList.add('invitation')
    return made
  }

  async #askForNextToken(words: string) {
    const cardFor = await this.#cards.needed()
    if (this.#state !== 'closed') this.banner('token', { words, form: cardFor?.('next token') })
  }

  // MARK: Banners

  #find(name: string) { return this.#banners.querySelector(`[data-name="${name}"]`) }

  banner(
    name: string,
    { words, action, form }: { words: string | Node, action?: { words: string, run: () => void }, form?: HTMLElement },
  ) {
    if (this.#find(name)) return
    const made: HTMLElement = element('div', { class: 'banner floating row', role: 'status', 'data-name': name },
      element('span', { class: 'grow' }, words),
      form,
      action && element('button', { type: 'button', class: 'button small primary', onclick: action.run }, action.words),
      element('button', {
        type: 'button', class: 'button plain small icon-only', 'aria-label': 'Dismiss', onclick: () => made.remove(),
      }, icon('close')))
    this.#banners.append(made)
  }
}

const reload = () => location.reload()

/** For somebody who isn't in the room, if the server has no card for this version of the page. */
const outdated = () => card('warning', 'There’s a newer version of this page',
  'Reload it to go on.', element('button', { type: 'button', class: 'button primary', onclick: reload }, 'Reload'))

/** Grey placeholder shapes that are shown while the drawing is loaded. */
function skeleton() {
  return [element('div', { class: 'skeleton', role: 'status', 'aria-label': 'Loading the drawing' },
    ...['one', 'two', 'three'].map((name) => element('span', { class: `skeleton-shape ${name}` })))]
}
