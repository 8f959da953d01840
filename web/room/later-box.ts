import type { Parts } from '../state/parts.js'
import type { popover } from '../elements/popover.js'

/**
 * A box whose code is loaded before its button is first clicked, or else by that click.
 *
 * @param make makes the popover of the button
 */
export function laterBox<Loaded>(
  parts: Parts, button: HTMLElement, load: () => Promise<Loaded>, make: (loaded: Loaded) => ReturnType<typeof popover>,
) {
  let isMade = false
  const part = parts.later(load, (loaded) => {
    isMade = true
    return make(loaded)
  })
  const open = async () => {
    const box = await part.get()
    if (box?.isOpen() === false) box.open()
  }
  button.addEventListener('click', () => { if (!isMade) void open() })
  return { prepare: () => part.prepare(), open }
}
