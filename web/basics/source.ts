/**
 * An object with events. Listeners are called in the order in which they were added, so a part hears of an event after
 * the parts from which it was made. If a listener throws, the other listeners are called all the same.
 *
 * @template Events what each event carries, by the event's name
 */
export class Source<Events extends object> {
  #target = new EventTarget()

  /** @returns stops listening */
  on<Name extends keyof Events & string>(name: Name, listener: (detail: Events[Name]) => void): () => void {
    const heard = (event: Event) => listener((event as CustomEvent<Events[Name]>).detail)
    this.#target.addEventListener(name, heard)
    return () => this.#target.removeEventListener(name, heard)
  }

  protected tell<Name extends keyof Events & string>(name: Name, detail: Events[Name]) {
    this.#target.dispatchEvent(new CustomEvent(name, { detail }))
  }
}
