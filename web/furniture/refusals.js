import { counted } from '../elements/element.js'

const gatherMilliseconds = 300

/** Why, in words that are about the drawing. */
const reasons = {
  room_full: 'the room is full',
  read_only: 'you may only look on here',
  too_old: 'they were made too long ago',
  clock_ahead: 'this computer’s clock is ahead',
  bad_value: 'a value is out of bounds',
}

/** Says which of one's changes the server did not take, and why: they are off the canvas again. */
export function tellRefusals(app) {
  let refused = []
  let timer = 0
  const tell = () => {
    timer = 0
    const codes = new Map()
    for (const { code, message } of refused) {
      const known = codes.get(code) ?? { count: 0, message }
      known.count += 1
      codes.set(code, known)
    }
    refused = []
    for (const [code, { count, message }] of codes) {
      app.say(`${counted(count, 'change was', 'changes were')} taken back: ${reasons[code] ?? message}.`, {
        kind: 'refused', group: `refused ${code}`,
      })
    }
  }
  app.addEventListener('effect', ({ detail }) => {
    if (detail.type === 'presenceTooLong') app.say('More is selected than others can be shown.', { group: 'presence' })
    if (detail.type !== 'rejected') return
    refused.push(detail)
    if (timer === 0) timer = setTimeout(tell, gatherMilliseconds)
  })
}
