import { element } from '../elements/element.js'
import { Overlaps } from '../panels/overlaps.js'
import { Panel } from '../panels/panel.js'
import type { Doables } from '../tools/actions.js'
import { bundle } from './bundle.js'
import type { Drawing } from './drawing.js'
import type { State } from './state.js'

/** The panel at the side, with its tabs. */
export function makePanel(board: State & Drawing, actions: Doables) {
  const layersPlace = element('section', { class: 'layers' })
  const layers = board.parts.later(
    () => bundle('/panels/layers.js') as Promise<typeof import('../panels/layers.js')>, ({ Layers }) => new Layers(board, layersPlace))
  const inspectorPlace = element('section', { class: 'inspector' })
  const inspector = board.parts.later(
    () => bundle('/panels/inspector.js') as Promise<typeof import('../panels/inspector.js')>,
    ({ Inspector }) => new Inspector({ ...board, actions }, inspectorPlace))
  // They are loaded together with what else isn't needed at first, so that they are there without the server too.
  board.documents.on('ready', () => { for (const part of [layers, inspector]) part.prepare() })
  const overlaps = new Overlaps(board)
  const panel = new Panel([
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
  overlaps.on('count', (count) => panel.setCount('overlaps', count))
  overlaps.on('opened', () => panel.show('overlaps'))
  return panel
}
