/**
 * Something that tells what happens to it. Listeners are told in the order in which they began to listen, so a part hears
 * after the parts it was made from. A listener that throws doesn't keep the others from being told.
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
