import { isWithin } from '../elements/element.js'
import type { Parts } from '../state/parts.js'

/**
 * A box whose code is loaded before its button is first clicked, or else by that click. Until it is there, each click
 * means that it should open, unless the person types somewhere by then: the box would take the focus.
 *
 * @param make makes the box, which from then on listens to its button
 */
export function laterBox<Loaded>(
  parts: Parts, button: HTMLElement, load: () => Promise<Loaded>, make: (loaded: Loaded) => { open: () => void, isOpen: () => boolean },
) {
  let isMade = false
  const part = parts.later(load, (loaded) => {
    isMade = true
    return make(loaded)
  })
  const open = async () => {
    const box = await part.get()
    if (box?.isOpen() === false && !isWithin(document.activeElement, 'input, .writing-field')) box.open()
  }
  button.addEventListener('click', () => { if (!isMade) void open() })
  return { prepare: () => part.prepare(), open }
}
