import * as dialog from '../elements/dialog.js'
import { elementById } from '../elements/element.js'
import { Consent } from '../furniture/consent.js'
import { Removals } from '../furniture/removals.js'
import { TextLosses } from '../furniture/text-losses.js'
import { Writing } from '../furniture/writing.js'
import { Shaking } from '../gestures/shake.js'
import { Hand } from '../state/hand.js'
import { Clipboard } from '../tools/clipboard.js'
import { Duplicating } from '../tools/duplicating.js'
import { Hole } from '../tools/hole.js'
import { Lifting } from '../tools/lifting.js'
import { Momentum } from '../tools/momentum.js'
import { Shortcuts } from '../tools/shortcuts.js'
import { Tools } from '../tools/tools.js'
import { bundle } from './bundle.js'
import type { Drawing } from './drawing.js'
import type { State } from './state.js'

export type Hands = ReturnType<typeof makeHands>

/** Makes the parts that handle gestures and keys. */
export function makeHands(stage: HTMLElement, board: State & Drawing) {
  const { shown, presence, ownTabs, names, parts, tool } = board
  const hand = new Hand(shown)
  const momentum = new Momentum(board)
  new Removals({ ...board, momentum, hand })
  const dialogs = parts.later(async () => dialog, (loaded) => loaded)
  const writing = new Writing(stage, board, names)
  new TextLosses({ ...board, writing })
  const reach = {
    ...board, momentum, hand, writing, dialogs,
    hole: new Hole(elementById('hole'), stage, board),
    lifting: new Lifting(board),
    consent: new Consent(presence, ownTabs, dialogs),
    clipboard: new Clipboard({ ...board, momentum }),
    duplicating: new Duplicating({ ...board, momentum }),
    shaking: new Shaking(),
    aligning: parts.later(
      () => bundle('/tools/align.js') as Promise<typeof import('../tools/align.js')>, (loaded) => loaded),
  }
  const hands = { ...reach, tools: new Tools(stage, reach) }
  new Shortcuts(hands)
  // A person who may draw starts with a drawing tool.
  tool.choose('rectangle')
  return hands
}
