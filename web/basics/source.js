/**
 * An object with events. Listeners are called in the order in which they were added, so a part hears of an event after
 * the parts from which it was made. If a listener throws, the other listeners are called all the same.
 *
 * @template {object} Events what each event carries, by the event's name
 */
export class Source {
  #target = new EventTarget()

  /**
   * @template {keyof Events & string} Name
   * @param {Name} name
   * @param {(detail: Events[Name]) => void} listener
   * @returns {() => void} stops listening
   */
  on(name, listener) {
    /** @param {Event} event */
    const heard = (event) => listener(/** @type {CustomEvent<Events[Name]>} */ (event).detail)
    this.#target.addEventListener(name, heard)
    return () => this.#target.removeEventListener(name, heard)
  }

  /**
   * @template {keyof Events & string} Name
   * @protected
   * @param {Name} name
   * @param {Events[Name]} detail
   */
  tell(name, detail) { this.#target.dispatchEvent(new CustomEvent(name, { detail })) }
}
