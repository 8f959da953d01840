import { element } from '../elements/element.js'
import { ask } from '../network/address.js'
import { thumbnailOf } from './thumbnail.js'

/** A longer picture isn't shown, because it would cost everybody who looks at the list much memory and time. */
const lettersMax = 2_000_000

/**
 * The picture on a room's card. To draw it, the server has to open the room. So it is loaded only when the card is in
 * view or near it, and while it is loading it isn't asked for again.
 */
export class RoomPicture {
  #room
  #wanted: string | null = null
  #shown: string | null = null
  #isNear = false
  #isLoading = false
  #observer = new IntersectionObserver(([{ isIntersecting }]) => {
    this.#isNear = isIntersecting
    this.#load()
  }, { rootMargin: '50%' })
  readonly image = element('img', { alt: '', hidden: true })
  readonly element = element('span', { class: 'room-picture' }, this.image)

  constructor(room: string) {
    this.#room = room
    this.#observer.observe(this.element)
  }

  /** @param cursor tells the room's present drawing from the one that is shown */
  show(cursor: string) {
    this.#wanted = cursor
    this.#load()
  }

  /** To be called when the card is removed. */
  forget() {
    this.#observer.disconnect()
    URL.revokeObjectURL(this.image.src)
  }

  /** The picture is loaded with `ask`, because the request needs the token. */
  async #load() {
    if (!this.#isNear || this.#isLoading || this.#wanted === this.#shown) return
    this.#isLoading = true
    this.#shown = this.#wanted
    const answer = await ask(`/v1/rooms/${this.#room}/picture.svg`).catch(() => null)
    const picture = answer?.ok ? await answer.text() : ''
    const drawing = picture && picture.length <= lettersMax ? thumbnailOf(picture) : null
    URL.revokeObjectURL(this.image.src)
    if (drawing !== null) this.image.src = URL.createObjectURL(new Blob([drawing], { type: 'image/svg+xml' }))
    this.image.hidden = drawing === null
    this.#isLoading = false
    // The room may have changed meanwhile. After a failure, the next look at the list tries again.
    if (answer?.ok) this.#load()
    else this.#shown = null
  }
}
