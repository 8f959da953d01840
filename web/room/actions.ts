import { Link } from '../bars/link.js'
import { roomActions } from '../bars/menu.js'
import { Drop } from '../keep/drop.js'
import { ask } from '../network/address.js'
import type { Guiding } from '../others/guiding.js'
import type { LaterPart } from '../state/parts.js'
import { Setting } from '../state/setting.js'
import { bundle } from './bundle.js'
import type { Hands } from './hands.js'

/**
 * Makes the actions of menus, buttons and keys. What an action shows is made when it is first needed. Its code is in a
 * bundle of its own only if that saves some kilobytes of the first visit, because a bundle repeats what it imports.
 */
export function makeActions(hands: Hands, guiding: LaterPart<Guiding | null>) {
  const { room, documents, notices, permission, selection, parts, aligning, connecting } = hands
  const files = parts.later(
    () => bundle('/keep/files.js') as Promise<typeof import('../keep/files.js')>, ({ Files }) => new Files(hands))
  // The history gets `ask`, because only this script's copy of it has the token.
  const history = parts.later(
    () => bundle('/keep/history.js') as Promise<typeof import('../keep/history.js')>, ({ History }) => {
      const made = new History({ ...hands, ask })
      document.body.append(made.element)
      return made
    })
  const shortcutList = parts.later(
    () => bundle('/bars/shortcut-list.js') as Promise<typeof import('../bars/shortcut-list.js')>,
    (loaded) => loaded)
  const search = parts.later(
    () => bundle('/find/search.js') as Promise<typeof import('../find/search.js')>, ({ Search }) => new Search(hands))
  const othersRead = new Setting('canvas.others-read')
  const hearing = parts.later(
    () => bundle('/hear/hear.js') as Promise<typeof import('../hear/hear.js')>,
    ({ makeHearing }) => makeHearing({ ...hands, othersRead }))
  const minimap = new Setting('canvas.minimap', false)
  const map = parts.later(
    () => bundle('/find/minimap.js') as Promise<typeof import('../find/minimap.js')>,
    ({ Minimap }) => new Minimap({ ...hands, minimap }))
  minimap.on('change', () => map.get())
  if (minimap.isOn) map.prepare()
  const link = new Link(room, notices)
  new Drop(permission, files)

  // The modules for copying, adding and saving are loaded after a person's first action, so that they don't delay the
  // start.
  const prepare = () => { for (const part of [hearing, documents, aligning, connecting, files, search, shortcutList]) part.prepare() }
  const stopWaiting = selection.on('change', () => {
    stopWaiting()
    prepare()
  })
  for (const type of ['pointerdown', 'keydown', 'focusin', 'dragenter']) {
    addEventListener(type, prepare, { once: true, capture: true })
  }
  return roomActions(hands, { files, hearing, history, othersRead, search, shortcutList, link, minimap, guiding })
}
