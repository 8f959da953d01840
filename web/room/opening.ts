import { type Core, loadCore } from '../core/core.js'
import { element, elementById } from '../elements/element.js'

/** After this long the page says that its code is still on its way. On a thin line it may be, so the page goes on waiting. */
const patienceMilliseconds = 20_000

/**
 * Loads the core. If that fails or takes long, the page says so, and offers to be loaded again: it has no other parts
 * yet.
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
