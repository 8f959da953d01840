import { element } from '../elements/element.js'

/**
 * The heights at which the sheet stops, as fractions of the window's height. If it is released below `closedBelow`, it
 * closes.
 */
const rests = [0.3, 0.6, 0.9]
const closedBelow = 0.18
/** In CSS pixels: a drag of the grip that is shorter than this counts as a click. */
const pressMax = 6
/** In CSS pixels a millisecond: a swipe that is at least this fast moves the sheet to the next height. */
const swipeMin = 0.5

/**
 * The grip of a sheet at the bottom of the window. Dragging the grip sets the sheet's height. Dragging it to the lower
 * edge closes the sheet. A click switches between a small and a large height.
 *
 * @param sheet takes its height from `--sheet`
 */
export function sheetGrip(sheet: HTMLElement, close: () => void) {
  let held: { y: number, height: number, lastY: number, lastAt: number, speed: number } | null = null
  const part = () => sheet.offsetHeight / innerHeight
  const rest = (to: number) => sheet.style.setProperty('--sheet', `${Math.round(to * 100)}dvh`)
  const turn = () => rest(part() > 0.75 ? rests[1] : rests[2])
  const grip = element('button', { type: 'button', class: 'sheet-grip', 'aria-label': 'Make the panel larger or smaller' })
  const down = (event: PointerEvent) => {
    grip.setPointerCapture(event.pointerId)
    held = { y: event.clientY, height: sheet.offsetHeight, lastY: event.clientY, lastAt: event.timeStamp, speed: 0 }
    sheet.classList.add('held')
  }
  const move = (event: PointerEvent) => {
    if (!held) return
    const { clientY: y, timeStamp: at } = event
    if (at > held.lastAt) held = { ...held, speed: (y - held.lastY) / (at - held.lastAt), lastY: y, lastAt: at }
    sheet.style.setProperty('--sheet', `${Math.max(0, Math.min(innerHeight * rests[2], held.height + held.y - y))}px`)
  }
  const up = (event: PointerEvent) => {
    if (!held) return
    const { y, speed } = held
    held = null
    sheet.classList.remove('held')
    if (event.type === 'pointerup' && Math.abs(event.clientY - y) < pressMax) return turn()
    const ahead = part() - (Math.abs(speed) >= swipeMin ? Math.sign(speed) * 0.2 : 0)
    if (ahead < closedBelow) {
      rest(rests[1])
      return close()
    }
    rest(rests.reduce((best, each) => (Math.abs(each - ahead) < Math.abs(best - ahead) ? each : best)))
  }
  grip.addEventListener('pointerdown', down)
  grip.addEventListener('pointermove', move)
  grip.addEventListener('pointerup', up)
  grip.addEventListener('lostpointercapture', up)
  // Only a click by keyboard is handled here. A click by pointer was already handled as a short drag.
  grip.addEventListener('click', ({ detail }) => { if (detail === 0) turn() })
  return grip
}
