import { listIn } from '../basics/lists.js'
import { counted } from '../basics/words.js'
import type { Notices } from './notices.js'
import type { Rejected } from './refusals.js'

/** The reasons for which the server rejects a change, in words for people. */
const reasons: Record<string, string> = {
  room_full: 'the room is full',
  read_only: 'you can only look on now',
  too_old: 'too much time has passed since',
  clock_ahead: 'the clock of this device is ahead',
  bad_value: 'a value was out of range',
  quota_exceeded: 'more was drawn from here today than the server allows',
}

/**
 * Shows a notice for each reason.
 *
 * @param isKept whether the browser keeps what this person may not send
 */
export function say(notices: Notices, refused: Rejected[], isKept = false) {
  /** By code and by whether they were an undo or a redo. */
  const refusals = new Map<string, Rejected[]>()
  for (const each of refused) listIn(refusals, `refused ${each.code} ${each.origin ?? ''}`).push(each)
  for (const [group, list] of refusals) {
    const [{ code, message, origin }] = list
    const reason = reasons[code] ?? message
    if (origin) {
      notices.say(`The ${origin} was not taken: ${reason}. You can try it again.`, { kind: 'refused', group })
      continue
    }
    if (isKept && code === 'read_only') {
      notices.say('This browser keeps your changes until somebody who may edit opens the room here.', { group })
      continue
    }
    const texts = list.flatMap(({ set: { text } }) => (typeof text === 'string' && text.trim() !== '' ? [text] : []))
    const words = `${counted(list.length, 'change was', 'changes were')} taken back: ${reason}.`
    const lost = texts.join('\n')
    notices.say(lost === '' ? words : `${words} You wrote: “${lost}”`, {
      kind: 'refused',
      ...lost === '' ? { group } : { group: `${group} ${lost}`, isWhole: true, holds: lost, action: notices.copying(lost) },
    })
  }
}
