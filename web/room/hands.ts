import { Duplicating } from '../arrange/duplicating.js'
import { Hole } from '../arrange/hole.js'
import { Lifting } from '../arrange/lifting.js'
import { Momentum } from '../arrange/momentum.js'
import { fittedTo } from '../canvas/fitted.js'
import { keepBeside } from '../draw/making.js'
import { elementById } from '../elements/element.js'
import { Shaking } from '../gestures/shake.js'
import { Clipboard } from '../keep/clipboard.js'
import { ask } from '../network/address.js'
import { Removals } from '../others/removals.js'
import { Hand } from '../state/hand.js'
import { Shortcuts } from '../tools/shortcuts.js'
import { Tools } from '../tools/tools.js'
import type { Loss, TextLosses } from '../write/text-losses.js'
import { Writing } from '../write/writing.js'
import { bundle } from './bundle.js'
import type { Drawing } from './drawing.js'
import type { State } from './state.js'

export type Hands = ReturnType<typeof makeHands>

/** Makes the parts that handle gestures and keys. */
export function makeHands(stage: HTMLElement, board: State & Drawing) {
  const { connection, documents, notices, shown, presence, ownTabs, names, parts, refusals, tool } = board
  const hand = new Hand(shown)
  const momentum = new Momentum(board)
  // It gets `ask`, because only this script's copy of it has the token.
  new Removals({ ...board, hand }, parts.later(
    () => bundle('/others/bringing-back.js') as Promise<typeof import('../others/bringing-back.js')>,
    ({ BringingBack }) => new BringingBack({ ...board, ask, momentum })))
  const writing = new Writing(stage, { ...board, momentum }, names, parts.later(
    () => bundle('/write/mark-keys.js') as Promise<typeof import('../write/mark-keys.js')>, (loaded) => loaded))
  // What the core tells waits until the code is there.
  const lost: Loss[] = []
  let teller: TextLosses | undefined
  const losses = parts.later(
    () => bundle('/write/text-losses.js') as Promise<typeof import('../write/text-losses.js')>,
    ({ TextLosses }) => teller ??= new TextLosses({ ...board, fittedTo, keepBeside }, lost))
  const tellLosses = async () => {
    const told = await losses.needed()
    if (told) told.tell()
    else for (const { text } of lost.splice(0)) {
      notices.say(`A text of yours was replaced: “${text}”`, {
        kind: 'refused', isWhole: true, holds: text, action: notices.copying(text),
      })
    }
  }
  documents.on('ready', () => {
    void tellLosses()
    refusals.prepare()
  })
  connection.on('effect', (effect) => {
    if (effect.type !== 'textLost') return
    lost.push(effect)
    void tellLosses()
  })
  const pasting = parts.later(
    () => bundle('/keep/pasting.js') as Promise<typeof import('../keep/pasting.js')>,
    ({ Pasting }) => new Pasting({ ...board, momentum }))
  const consent = parts.later(
    () => bundle('/keep/consent.js') as Promise<typeof import('../keep/consent.js')>,
    ({ Consent }) => new Consent(presence, ownTabs))
  const shaking = new Shaking()
  const motions = parts.later(
    () => bundle('/gestures/shake-detector.js') as Promise<typeof import('../gestures/shake-detector.js')>,
    ({ MotionReader }) => shaking.read(new MotionReader()))
  shaking.on('moved', () => motions.prepare())
  documents.on('ready', () => { for (const part of [pasting, consent, motions]) part.prepare() })
  const reach = {
    ...board, momentum, hand, writing, consent,
    hole: new Hole(elementById('hole'), stage, board),
    lifting: new Lifting(board),
    clipboard: new Clipboard({ ...board, momentum }, pasting),
    duplicating: new Duplicating({ ...board, momentum }),
    shaking,
    aligning: parts.later(
      () => bundle('/arrange/align.js') as Promise<typeof import('../arrange/align.js')>, (loaded) => loaded),
    connecting: parts.later(
      () => bundle('/connect/connect-to.js') as Promise<typeof import('../connect/connect-to.js')>, (loaded) => loaded),
  }
  const hands = { ...reach, tools: new Tools(stage, reach) }
  new Shortcuts(hands)
  // A person who may draw starts with a drawing tool.
  tool.choose('rectangle')
  return hands
}
