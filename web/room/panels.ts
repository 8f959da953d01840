import { element, iconButton } from '../elements/element.js'
import { FreshOverlaps } from '../panels/fresh-overlaps.js'
import { opensAtStart } from '../panels/last-tab.js'
import type { Doables } from '../tools/actions.js'
import { bundle } from './bundle.js'
import type { Drawing } from './drawing.js'
import { laterBox } from './later-box.js'
import type { State } from './state.js'

const label = 'Layers, inspector, overlaps'

/**
 * The panel at the side, with its tabs. Its code is loaded when somebody opens it, and when shapes begin to overlap,
 * because it has the words for that.
 */
export function makePanel(board: State & Drawing, actions: Doables) {
  const { documents, frames, parts } = board
  const layersPlace = element('section', { class: 'layers' })
  const layers = parts.later(
    () => bundle('/panels/layers.js') as Promise<typeof import('../panels/layers.js')>, ({ Layers }) => new Layers(board, layersPlace))
  const inspectorPlace = element('section', { class: 'inspector' })
  const inspector = parts.later(
    () => bundle('/panels/inspector.js') as Promise<typeof import('../panels/inspector.js')>,
    ({ Inspector }) => new Inspector({ ...board, actions }, inspectorPlace))
  const place = element('aside', { class: 'panel floating', 'aria-label': label, hidden: true })
  const button = iconButton('panel', label, { class: 'plain panel-button', 'aria-expanded': 'false' })
  const fresh = new FreshOverlaps(board)
  const opens = opensAtStart()
  const panel = laterBox(parts, button, () => bundle('/panels/panel.js') as Promise<typeof import('../panels/panel.js')>, ({ Overlaps, Panel }) => {
    const overlaps = new Overlaps({ ...board, fresh })
    const made = new Panel(place, button, opens, frames, [
      { name: 'layers', words: 'Layers', icon: 'layers', element: layersPlace, onShow: async () => (await layers.get())?.onShow() },
      {
        name: 'inspector', words: 'Inspector', icon: 'inspector', element: inspectorPlace,
        onShow: async () => (await inspector.get())?.onShow(),
      },
      {
        name: 'overlaps', words: 'Overlaps', icon: 'overlaps', element: overlaps.element,
        onShow: () => overlaps.onShow(),
      },
    ])
    made.setCount('overlaps', overlaps.count)
    overlaps.on('count', (count) => made.setCount('overlaps', count))
    overlaps.on('opened', () => made.show('overlaps'))
    return made
  })
  // They are loaded together with what else isn't needed at first, so that they are there without the server too.
  documents.on('ready', () => { for (const part of [panel, layers, inspector]) part.prepare() })
  fresh.on('begun', () => panel.prepare())
  if (opens) panel.prepare()
  return { button, element: place }
}
