import { type Core, loadCore } from '../core/core.js'
import { element, elementById } from '../elements/element.js'

/** After this long the page says that it is taking long. It goes on loading, because the connection may be slow. */
const patienceMilliseconds = 20_000

/**
 * Loads the core. If that fails or takes long, shows a message and offers to reload the page. The message is made here,
 * because the page's other parts don't exist yet.
 */
export async function openCore(): Promise<Core> {
  const timer = setTimeout(() => say('This page is taking long to open.'), patienceMilliseconds)
  try {
    return await loadCore(fetch('/core.wasm'))
  } catch (error) {
    say('This page can’t be opened right now.')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function say(words: string) {
  elementById('opening').replaceChildren(element('header', { class: 'bar bar-left floating row', role: 'status' },
    element('p', { class: 'bar-words small-text' }, words),
    element('button', { type: 'button', class: 'button small', onclick: () => location.reload() }, 'Reload')))
}
