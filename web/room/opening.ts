import { type Core, loadCore } from '../core/core.js'
import { element, elementById } from '../elements/element.js'

/** After this time, the page says that loading takes long. It still goes on loading. */
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
