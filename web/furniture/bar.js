import { element, icon, iconButton } from '../elements/element.js'
import { menuOf, popover } from '../elements/popover.js'
import { appearance, setAppearance } from '../storage/appearance.js'

/** @typedef {import('../tools/actions.js').Doables} Doables */

const appearances = /** @type {const} */ ([['system', 'Match system'], ['light', 'Light'], ['dark', 'Dark']])

/**
 * The bar at the top left: the menu, the room's name, and the words that say whether everything is saved.
 *
 * @param {string} room @param {import('./status.js').Status} status
 * @param {(import('../elements/popover.js').MenuEntry | null)[]} entries
 */
export function roomBar(room, status, entries) {
  const button = iconButton('menu', 'Menu')
  const { content, refresh } = menuOf([
    ...entries,
    null,
    ...appearances.map(([choice, words]) => ({
      words, icon: icon('check'), run: () => setAppearance(choice), isChecked: () => appearance() === choice,
    })),
  ], () => menu.close())
  const menu = popover(button, content, { role: 'menu', label: 'Menu', onOpen: refresh })
  return element('header', { class: 'bar bar-left floating row' }, button,
    element('div', { class: 'bar-words' }, element('h1', { class: 'clip', title: room }, room), status.element))
}

/**
 * The bar at the top right: the people, the link, the zoom level, and the button for the panel.
 *
 * @param {{view: import('../drawing/view.js').View, people: import('./people.js').People,
 *   panel: import('../panels/panel.js').Panel, actions: Doables}} parts
 */
export function peopleBar({ view, people, panel, actions }) {
  const zoom = element('button', { type: 'button', class: 'button plain zoom', title: 'Zoom' })
  const showZoom = () => {
    const percent = view.scale * 100
    const words = `${percent >= 10 ? Math.round(percent) : percent.toPrecision(2)}%`
    zoom.textContent = words
    zoom.setAttribute('aria-label', `Zoom: ${words}`)
  }
  view.on('change', showZoom)
  showZoom()
  const zooming = menuOf(['zoomIn', 'zoomOut', null, 'actualSize', 'zoomToFit', 'zoomToSelection']
    .map((name) => (name === null ? null : actions[name])), () => zoomMenu.close())
  const zoomMenu = popover(zoom, zooming.content, { role: 'menu', label: 'Zoom', onOpen: zooming.refresh })
  const link = iconButton('link', 'Copy a link to this room')
  const { content, refresh } = menuOf([
    { ...actions.copyLink, icon: icon('link') },
    { ...actions.copyViewOnlyLink, icon: icon('eye') },
  ], () => menu.close())
  const menu = popover(link, content, { role: 'menu', label: 'Links', onOpen: refresh })
  return element('section', { class: 'bar bar-right floating row', 'aria-label': 'People, link, zoom' },
    people.element, link, zoom, panel.button)
}
