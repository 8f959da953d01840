import { actionsOf as drawingActions } from '../tools/actions.js'
import { copyLink } from './bar.js'
import { icon } from '../elements/element.js'
import { later } from '../state/later.js'

/**
 * What the menu, the toolbar and the panels can do, by name: what hands can do, and what concerns the room as a whole.
 *
 * @param {import('../state/app.js').App} app
 * @param {{exchange: () => Promise<import('./files.js').Files | null>,
 *   history: () => Promise<import('./history.js').History | null>}} parts
 * @returns {Record<string, {words: string, key?: string, run: () => void, isEnabled?: () => boolean}>}
 */
export function actionsOf(app, { exchange, history }) {
  const hasShapes = () => app.session.shapeCount > 0
  const mayEdit = () => !app.viewOnly && !app.isPast
  const list = later(app, () => import('./shortcut-list.js'))
  const actions = {
    ...drawingActions(app),
    import: { words: 'Bring a drawing in…', run: async () => (await exchange())?.choose(), isEnabled: mayEdit },
    saveJSON: { words: 'Save as JSON', run: async () => (await exchange())?.saveJSON(), isEnabled: hasShapes },
    saveSVG: { words: 'Save as SVG', run: async () => (await exchange())?.saveSVG(), isEnabled: hasShapes },
    savePNG: { words: 'Save as PNG', run: async () => (await exchange())?.savePNG(), isEnabled: hasShapes },
    history: { words: 'History', run: async () => (await history())?.open(), isEnabled: () => !app.isPast },
    copyLink: { words: 'Copy link', run: () => copyLink(app, false) },
    copyViewOnlyLink: { words: 'Copy view-only link', run: () => copyLink(app, true) },
    shortcuts: { words: 'Shortcuts', key: '?', group: 'View', run: async () => (await list())?.openShortcutList(actions) },
    rooms: { words: 'All rooms', run: () => location.assign('/') },
  }
  return actions
}

const icons = {
  import: 'import', saveJSON: 'export', saveSVG: 'export', savePNG: 'export', history: 'history', zoomToFit: 'fit',
  copy: 'duplicate', paste: 'file', shortcuts: 'keyboard', rooms: 'rooms', clear: 'trash', shakeToClear: 'tap', selectAll: 'select',
}
const menu = [
  'import', 'saveJSON', 'saveSVG', 'savePNG', null, 'history', 'zoomToFit', 'shortcuts', null, 'rooms', 'clear',
]

/** What the menu at the top left has. @param {import('../state/app.js').App} app @param {ReturnType<typeof actionsOf>} actions */
export function menuEntries(app, actions) {
  const dialogs = later(app, () => import('../elements/dialog.js'))
  // Where the sensor is free to all, or there is none, nobody has to ask for it.
  const canAsk = navigator.maxTouchPoints > 0 && typeof globalThis.DeviceMotionEvent?.requestPermission === 'function'
  const ends = canAsk ? ['shakeToClear'] : []
  // Who has keys, or a right button, has these there.
  const edits = matchMedia('(pointer: coarse)').matches ? ['copy', 'paste', 'selectAll', null] : []
  const names = [...edits, ...menu, ...ends]
  return names.map((name) => name && {
    ...actions[name], icon: icon(icons[name]), danger: name === 'clear',
    run: () => (name === 'clear' ? clearAfterAsking(dialogs, actions) : actions[name].run()),
  })
}

async function clearAfterAsking(dialogs, actions) {
  const words = 'Everything goes, for everyone who is here. You can undo it.'
  const parts = await dialogs()
  if (await parts?.confirmed('Clear the sheet?', words, 'Clear everything')) actions.clear.run()
}
