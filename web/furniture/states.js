import { counted, element, icon } from '../elements/element.js'

/** An empty sheet waits a moment before it invites, so that it doesn't flash while a drawing comes. */
const patienceMilliseconds = 150

/**
 * What lies in the middle of the sheet when there is nothing to see on it: being loaded, empty, deleted, not let in. And
 * the banners at the top: the room is full, the server is newer.
 */
export class States {
  #app
  #actions
  #middle = element('section', { class: 'middle', 'aria-live': 'polite', 'aria-label': 'State of the room' })
  #banners = element('section', { class: 'banners', 'aria-label': 'From the server' })
  #state = 'offline'
  #code = 0
  #kind = ''
  #timer = 0

  /** @param {import('../state/app.js').App} app @param {Record<string, {run: () => void}>} actions */
  constructor(app, actions) {
    this.#app = app
    this.#actions = actions
    this.elements = [this.#middle, this.#banners]
    app.addEventListener('effect', ({ detail }) => this.#take(detail))
    app.addEventListener('changes', () => this.#look())
    app.addEventListener('mode', () => this.#look())
    app.addEventListener('past', () => this.#look())
    this.#look()
  }

  #take(effect) {
    if (effect.type === 'rejected' && effect.code === 'room_full') {
      const most = this.#app.live.status().limits.shapes
      this.banner('full', {
        words: `This room is full: it holds ${counted(most, 'shape')}. Delete some, and there is room again.`,
      })
    }
    if (effect.type !== 'state') return
    this.#state = effect.state
    this.#code = effect.code ?? 0
    // What was said of a room that is gone is no longer so.
    if (effect.state === 'closed') this.#banners.replaceChildren()
    document.body.classList.toggle('is-closed', effect.state === 'closed')
    this.#look()
  }

  #look() {
    const kind = this.#wanted()
    if (kind === this.#kind) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#show(this.#wanted()), kind === 'empty' ? patienceMilliseconds : 0)
  }

  #wanted() {
    if (this.#app.isPast) return ''
    if (this.#state === 'closed') {
      if (this.#code === 4404) return 'deleted'
      if (this.#code === 4401) return 'token'
      return 'refused'
    }
    if (this.#app.session.shapeCount > 0) return ''
    if (this.#state === 'live') return this.#app.viewOnly ? 'nothing' : 'empty'
    return this.#app.live.status().cursor === undefined && navigator.onLine ? 'loading' : 'empty'
  }

  #show(kind) {
    if (kind === this.#kind) return
    this.#kind = kind
    this.#middle.dataset.kind = kind
    this.#middle.replaceChildren(...this.#content(kind))
  }

  #content(kind) {
    switch (kind) {
      case 'loading': return skeleton()
      case 'empty': return [this.#invitation()]
      case 'nothing': return [card('eye', 'Nothing here yet', 'You will see it as it is drawn.')]
      case 'deleted': return [this.#deleted()]
      case 'token': return [this.#askForToken()]
      case 'refused': return [card('warning', 'You can’t come in', this.#code === 4403
        ? 'This room is not open to you. Ask whoever gave you the link.'
        : 'The server and this page don’t understand each other. Loading the page again may help.',
      element('a', { class: 'button', href: '/' }, 'All rooms'))]
      default: return []
    }
  }

  #invitation() {
    const way = (picture, words, more) => element('li', { class: 'row' }, icon(picture),
      element('span', {}, element('strong', {}, words), ' ', element('span', { class: 'quiet' }, more)))
    const made = card('', 'An empty sheet', null,
      element('ul', { class: 'ways' },
        way('rectangle', 'Drag', 'to draw a rectangle'),
        way('tap', 'Double tap', 'for a circle'),
        // Nobody drops anything with fingers, and who has only those wonders how to come nearer.
        matchMedia('(pointer: coarse)').matches ? way('fit', 'Two fingers', 'to move and zoom')
          : way('file', 'Drop a file', 'to bring a drawing in')),
      element('button', {
        type: 'button', class: 'button primary', onclick: () => this.#actions.threeSquares.run(),
      }, icon('three-squares'), 'Start with three squares'))
    made.classList.add('invitation')
    return made
  }

  #deleted() {
    const { session } = this.#app
    const count = session.shapeCount
    return card('trash', 'This room was deleted', count > 0
      ? `What you last saw of it (${counted(count, 'shape')}) is still on this page.` : 'There is nothing left of it.',
    element('div', { class: 'row card-buttons' },
      count > 0 && element('button', {
        type: 'button', class: 'button', onclick: () => this.#actions.saveJSON.run(),
      }, 'Save it'),
      element('button', {
        type: 'button', class: 'button', onclick: () => this.#app.start(),
      }, 'Start anew'),
      element('a', { class: 'button', href: '/' }, 'All rooms')))
  }

  #askForToken() {
    const field = element('input', {
      class: 'field large', type: 'password', placeholder: 'Token', 'aria-label': 'Token', autocomplete: 'off', required: true,
    })
    return card('link', 'This room needs a token', 'It was given to you with the link, or by whoever runs the server.',
      element('form', { class: 'row', onsubmit: (event) => {
        event.preventDefault()
        sessionStorage.setItem('token', field.value)
        location.reload()
      } }, field, element('button', { type: 'submit', class: 'button primary' }, 'Come in')))
  }

  // MARK: Banners

  /** @param {string} name @param {{words: string, action?: {words: string, run: () => void}}} options */
  banner(name, { words, action }) {
    if (this.#banners.querySelector(`[data-name="${name}"]`)) return
    const made = element('div', { class: 'banner floating row', role: 'status', 'data-name': name },
      element('span', { class: 'grow' }, words),
      action && element('button', { type: 'button', class: 'button small primary', onclick: action.run }, action.words),
      element('button', {
        type: 'button', class: 'button plain small icon-only', 'aria-label': 'Dismiss', onclick: () => made.remove(),
      }, icon('close')))
    this.#banners.append(made)
  }
}

function card(picture, title, words, ...more) {
  return element('div', { class: 'card floating' }, picture && icon(picture), element('h2', {}, title),
    words && element('p', { class: 'quiet' }, words), ...more)
}

/** Where shapes will be: so that the sheet is seen to be working. */
function skeleton() {
  return [element('div', { class: 'skeleton', role: 'status', 'aria-label': 'Loading the drawing' },
    ...['one', 'two', 'three'].map((name) => element('span', { class: `skeleton-shape ${name}` })))]
}
