import type { View } from '../canvas/view.js'
import { element, icon, iconButton } from '../elements/element.js'
import { type MenuEntry, menuOf, popover } from '../elements/popover.js'
import type { People } from '../others/people.js'
import { appearance, setAppearance } from '../storage/appearance.js'
import type { Doables } from '../tools/actions.js'
import { viewOnlyHint } from './link.js'
import type { Status } from './status.js'

const appearances = [['system', 'Match system'], ['light', 'Light'], ['dark', 'Dark']] as const

/** The bar at the top left: the menu, the room's name, and the status, which says whether everything is saved. */
export function roomBar(room: string, status: Status, entries: (MenuEntry | null)[]) {
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
    element('div', { class: 'bar-words' }, element('h1', { class: 'clip', id: 'room-name', dir: 'auto', title: room }, room), status.element))
}

/** The bar at the top right: the people, the link, the zoom level, and the button for the panel. */
export function peopleBar({ view, people, panel, actions }: {
  view: View, people: People, panel: { button: HTMLElement }, actions: Doables,
}) {
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
  const link = iconButton('link', 'Copy a link to this room', { class: 'plain links' })
  const { content, refresh } = menuOf([
    { ...actions.copyLink, icon: icon('link') },
    { ...actions.copyViewOnlyLink, icon: icon('eye'), hint: viewOnlyHint() },
  ], () => menu.close())
  const menu = popover(link, content, { role: 'menu', label: 'Links', onOpen: refresh })
  return element('section', { class: 'bar bar-right floating row', 'aria-label': 'People, link, zoom' },
    people.element, link, zoom, panel.button)
}
