import { element, hasFingers, icon, isWithin } from '../elements/element.js'
import type { MenuEntry } from '../elements/popover.js'
import type { Search } from '../find/search.js'
import type { Shaking } from '../gestures/shake.js'
import type { Reading } from '../hear/reading.js'
import type { Files } from '../keep/files.js'
import type { History } from '../keep/history.js'
import type { Guiding } from '../others/guiding.js'
import type { LaterPart } from '../state/parts.js'
import type { Setting } from '../state/setting.js'
import { actionsOf as drawingActions, type Doable, type Doables, keyWords } from '../tools/actions.js'
import type { ActionReach } from '../tools/catalogue.js'
import type { Link } from './link.js'

/** The actions by name, for the menu, the toolbar and the panels: those of the tools, and those for the whole room. */
export function roomActions(
  reach: ActionReach,
  { files, hearing, history, othersRead, search, shortcutList, link, minimap, guiding }: {
    files: LaterPart<Files>, history: LaterPart<History>, shortcutList: LaterPart<typeof import('./shortcut-list.js')>,
    link: Link, search: LaterPart<Search>, minimap: Setting, guiding: LaterPart<Guiding | null>,
    hearing: LaterPart<Reading>, othersRead: Setting,
  },
): Doables {
  const { permission, presence, selection, shown } = reach
  const hasShapes = () => shown.replica.shapeCount > 0
  const hasSelection = () => selection.size > 0
  const mayEdit = () => permission.mayEdit
  const ofSelection = (words: string, run: (to: Files, shapes: number[]) => unknown): Doable => ({
    words, isEnabled: hasSelection, run: async () => {
      const to = await files.get()
      if (to && hasSelection()) run(to, selection.ids())
    },
  })
  const actions: Doables = {
    ...drawingActions(reach),
    import: { words: 'Import…', run: async () => (await files.get())?.choose(), isEnabled: mayEdit },
    saveJSON: { words: 'Export as JSON', run: async () => (await files.get())?.saveJSON(), isEnabled: hasShapes },
    saveSVG: { words: 'Export as SVG', run: async () => (await files.get())?.saveSVG(), isEnabled: hasShapes },
    savePNG: { words: 'Export as PNG…', run: async () => (await files.get())?.savePNG(), isEnabled: hasShapes },
    copyPNG: ofSelection('Copy as PNG', (to, shapes) => to.copyPNG(shapes)),
    copySVG: ofSelection('Copy as SVG', (to, shapes) => to.copySVG(shapes)),
    saveSelectionPNG: ofSelection('Export selection as PNG…', (to, shapes) => to.savePNG(shapes)),
    saveSelectionSVG: ofSelection('Export selection as SVG', (to, shapes) => to.saveSVG(shapes)),
    saveSelectionJSON: ofSelection('Export selection as JSON', (to, shapes) => to.saveJSON(shapes)),
    history: { words: 'History', run: async () => (await history.get())?.open(), isEnabled: () => !shown.isPast },
    find: { words: 'Find…', key: keyWords('mod+f'), group: 'View', run: () => openSearch(search) },
    read: {
      words: 'Read as a list', key: keyWords('alt+r'), group: 'View', run: async () => (await hearing.get())?.open(),
    },
    readOthers: {
      words: 'Read out others’ changes', run: () => othersRead.toggle(), isChecked: () => othersRead.isOn,
    },
    minimap: { words: 'Minimap', run: () => minimap.toggle(), isChecked: () => minimap.isOn },
    guide: {
      words: 'Ask others to follow you', run: async () => (await guiding.get())?.toggle(), isChecked: () => presence.isGuiding,
      isEnabled: () => presence.isGuiding || presence.people().length > 0,
    },
    copyLink: { words: 'Copy link', run: () => link.copy(false) },
    copyViewOnlyLink: { words: 'Copy view-only link', run: () => link.copy(true) },
    shortcuts: {
      words: 'Shortcuts', key: '?', group: 'View',
      run: async () => (await shortcutList.get())?.openShortcutList(actions),
    },
    rooms: { words: 'All rooms', run: () => location.assign('/') },
  }
  return actions
}

const icons: Record<string, string> = {
  import: 'import', saveJSON: 'export', saveSVG: 'export', savePNG: 'export', history: 'history', find: 'find', read: 'layers', readOthers: 'check', zoomToFit: 'fit',
  copy: 'duplicate', paste: 'file', copyLink: 'link', copyViewOnlyLink: 'eye', shortcuts: 'keyboard', rooms: 'rooms', clear: 'trash', shakeToClear: 'tap',
  selectAll: 'select', markOverlaps: 'check', play: 'check', minimap: 'check', guide: 'check', copyPNG: 'duplicate', copySVG: 'duplicate', saveSelectionPNG: 'export',
  saveSelectionSVG: 'export', saveSelectionJSON: 'export',
}
/** The context menu's actions for the selection. They are in the main menu on devices without a context menu. */
const ofSelection = ['copyPNG', 'copySVG', 'saveSelectionPNG', 'saveSelectionSVG', 'saveSelectionJSON']
/** Where their button at the top right would leave no space to the room's name, they are in the main menu. */
const links = ['copyLink', 'copyViewOnlyLink']
const menu = [
  'import', 'saveJSON', 'saveSVG', 'savePNG', null, ...links, 'history', 'find', 'read', 'zoomToFit', 'minimap', 'guide', 'markOverlaps', 'play', 'readOthers', 'shortcuts', null, 'rooms', 'clear',
]

/** The entries of the menu at the top left. */
export function menuEntries(actions: Doables, shaking: Shaking): (MenuEntry | null)[] {
  // Pages need the person's permission for the motion sensor only on some phones.
  const ends = shaking.isToBeAsked ? ['shakeToClear'] : []
  // Only people with a touch screen need these actions in the menu.
  const edits = hasFingers() ? ['copy', 'paste', 'selectAll', ...ofSelection, null] : []
  return [...edits, ...menu, ...ends].map((name) => (name === null ? null : {
    ...actions[name], isToggle: true, icon: icon(icons[name]), danger: name === 'clear',
    ...ofSelection.includes(name) && { isShown: actions[name].isEnabled },
    ...links.includes(name) && { isShown: () => matchMedia('(max-width: 360px)').matches },
  }))
}

/**
 * Until the search is loaded, a field that can't be seen takes what is typed, if no other one does. Otherwise letters would
 * act as shortcuts. The search doesn't open if the focus has gone elsewhere by then.
 */
async function openSearch(search: LaterPart<Search>) {
  const before = document.activeElement
  const giveBack = () => {
    field.remove()
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  }
  const field = element('input', {
    class: 'visually-hidden', 'aria-label': 'Find', onkeydown: ({ key }) => { if (key === 'Escape') giveBack() },
  })
  if (!isWithin(before, 'input, .writing-field')) {
    document.body.append(field)
    field.focus({ preventScroll: true })
  }
  const at = document.activeElement
  const made = await search.get()
  const isLeft = document.activeElement !== at
  field.remove()
  if (isLeft) return
  if (made) made.open(before, field.value)
  else giveBack()
}
