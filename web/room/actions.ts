import { Drop } from '../furniture/drop.js'
import { Files } from '../furniture/files.js'
import { History } from '../furniture/history.js'
import { Link } from '../furniture/link.js'
import { roomActions } from '../furniture/menu.js'
import { bundle } from './bundle.js'
import type { Hands } from './hands.js'

/**
 * What menus, buttons and keys do. What is not visible at first is made later. Its code comes with the page's one
 * script all the same: importing it on demand would cost a kilobyte of wrappers, and save nothing.
 */
export function makeActions(hands: Hands) {
  const { room, documents, notices, permission, selection, parts, dialogs, aligning } = hands
  const files = parts.later(async () => Files, (Files) => new Files(hands))
  const history = parts.later(async () => History, (History) => {
    const made = new History(hands)
    document.body.append(made.element)
    return made
  })
  const shortcutList = parts.later(
    () => bundle('/furniture/shortcut-list.js') as Promise<typeof import('../furniture/shortcut-list.js')>,
    (loaded) => loaded)
  const link = new Link(room, notices, dialogs)
  new Drop(permission, files)

  // After a first action the person may soon copy, add or save. The modules for that are loaded then, and not earlier,
  // so that they don't delay the start.
  const prepare = () => { for (const part of [documents, aligning, shortcutList]) part.prepare() }
  const stopWaiting = selection.on('change', () => {
    stopWaiting()
    prepare()
  })
  for (const type of ['pointerdown', 'keydown', 'dragenter']) {
    addEventListener(type, prepare, { once: true, capture: true })
  }
  return roomActions(hands, { files, history, shortcutList, link })
}
