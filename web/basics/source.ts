/**
 * An event emitter. Listeners are called in the order in which they were added. If a listener throws, the others are
 * still called.
 *
 * @template Events the type of each event's detail, by the event's name
 */
export class Source<Events extends object> {
  #target = new EventTarget()

  /** @returns a function that removes the listener */
  on<Name extends keyof Events & string>(name: Name, listener: (detail: Events[Name]) => void): () => void {
    const heard = (event: Event) => listener((event as CustomEvent<Events[Name]>).detail)
    this.#target.addEventListener(name, heard)
    return () => this.#target.removeEventListener(name, heard)
  }

  protected tell<Name extends keyof Events & string>(name: Name, detail: Events[Name]) {
    this.#target.dispatchEvent(new CustomEvent(name, { detail }))
  }
}
