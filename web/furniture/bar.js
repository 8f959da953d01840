import { element, icon, iconButton } from '../elements/element.js'
import { roomLink } from '../network/address.js'
import { later } from '../state/later.js'
import { menuOf, popover } from '../elements/popover.js'
import { setTheme, theme } from '../storage/appearance.js'

/** What floats top left: the menu, the room's name, whether all has arrived. */
export function roomBar(app, status, entries) {
  const button = iconButton('menu', 'Menu')
  const { content, refresh } = menuOf([
    ...entries,
    null,
    ...['system', 'light', 'dark'].map((choice) => ({
      words: { system: 'Colours as the system', light: 'Light', dark: 'Dark' }[choice],
      icon: icon('check'), run: () => setTheme(choice), isChecked: () => theme() === choice,
    })),
  ], () => menu.close())
  const menu = popover(button, content, { role: 'menu', label: 'Menu', onOpen: refresh })
  return element('header', { class: 'bar bar-left floating row' }, button,
    element('div', { class: 'bar-words' }, element('h1', { class: 'clip', title: app.room }, app.room), status.element))
}

/** What floats top right: people, the link, how near one is, the panel. */
export function peopleBar(app, people, panel, actions) {
  const zoom = element('button', {
    type: 'button', class: 'button plain zoom', title: 'Zoom to fit', onclick: () => actions.zoomToFit.run(),
  })
  const showZoom = () => {
    const percent = app.view.scale * 100
    zoom.textContent = `${percent >= 10 ? Math.round(percent) : percent.toPrecision(2)}%`
    zoom.setAttribute('aria-label', `Zoom ${zoom.textContent}: show everything`)
  }
  app.view.addEventListener('change', showZoom)
  showZoom()
  const link = iconButton('link', 'Copy a link to this room')
  const { content, refresh } = menuOf([
    { words: 'Copy link', icon: icon('link'), run: () => copyLink(app, false) },
    { words: 'Copy view-only link', icon: icon('eye'), run: () => copyLink(app, true) },
  ], () => menu.close())
  const menu = popover(link, content, { role: 'menu', label: 'Links', onOpen: refresh })
  return element('section', { class: 'bar bar-right floating row', 'aria-label': 'People, link, zoom' }, people.element, link, zoom, panel.button)
}

/** @param {import('../state/app.js').App} app @param {boolean} viewOnly */
export async function copyLink(app, viewOnly) {
  const link = roomLink(app.room, viewOnly)
  try {
    await navigator.clipboard.writeText(link)
    app.say(viewOnly ? 'View-only link copied.' : 'Link copied.', { group: 'link' })
  } catch {
    // A page that isn't served securely may not write to the clipboard: then one copies it oneself.
    const field = element('input', { class: 'field', value: link, readonly: true, 'aria-label': 'Link to this room' })
    const dialogs = await later(app, () => import('../elements/dialog.js'))()
    dialogs?.openDialog('A link to this room', field)
    field.select()
  }
}
