// Tests what the stage makes of the browser's pointer events: whose path is told as the trail.

import assert from 'node:assert/strict'
import { test } from 'node:test'

globalThis.addEventListener = () => {}
globalThis.document = { addEventListener() {} }
const { Surface } = await import('../../build/modules/gestures/surface.js')

/**
 * The points of the trails that some pointer events cause while a tool draws freehand. A line such as `pen down 100 50`
 * is an event. The words before the event name its pointer, and the first one is the pointer's type.
 */
function trailOf(lines) {
  const hear = {}
  const element = {
    addEventListener: (type, run) => { hear[type] = run }, setPointerCapture() {}, getBoundingClientRect: () => ({ left: 0, top: 0 }),
  }
  const surface = new Surface(element, { at: () => ({ kind: 'sheet', key: 'sheet' }) })
  surface.tellsTrails = true
  const trail = []
  surface.on('gesture', ({ type, points }) => { if (type === 'trail') trail.push(...points.map(({ pointer, x, y }) => `${pointer} ${x} ${y}`)) })
  const pointers = []
  for (const [at, line] of lines.entries()) {
    const [, pointer, phase, x, y] = /^(.*) (down|move|up) (\d+) (\d+)$/.exec(line)
    if (!pointers.includes(pointer)) pointers.push(pointer)
    const [pointerType] = pointer.split(' ')
    hear[`pointer${phase}`]({
      pointerId: pointers.indexOf(pointer), pointerType, clientX: Number(x), clientY: Number(y), timeStamp: 16 * at,
      button: phase === 'move' ? -1 : 0, buttons: phase === 'up' ? 0 : 1, isPrimary: !pointer.endsWith('second'), width: 20, height: 20, pressure: 0.5,
    })
  }
  surface.cancel()
  return trail
}

test('the trail is that of the pointer that draws, whatever rested on the screen before', () => {
  const alone = ['touch down 10 10', 'touch move 30 10', 'touch up 40 10']
  assert.deepEqual(trailOf(alone), ['touch 10 10', 'touch 30 10', 'touch 40 10'])
  const stroke = ['pen down 100 50', 'pen move 120 50', 'touch move 401 402', 'pen move 150 50', 'pen up 160 50', 'touch up 401 402']
  const drawn = ['pen 100 50', 'pen 120 50', 'pen 150 50', 'pen 160 50']
  assert.deepEqual(trailOf(['touch down 400 400', ...stroke]), ['touch 400 400', ...drawn], 'a hand rests')
  assert.deepEqual(trailOf(['touch down 400 400', 'touch move 430 400', ...stroke]), ['touch 400 400', 'touch 430 400', ...drawn], 'a hand has moved')
  assert.deepEqual(
    trailOf(['touch lost down 400 400', 'touch lost move 430 400', ...alone]), ['touch 400 400', 'touch 430 400', 'touch 10 10', 'touch 30 10', 'touch 40 10'],
    'a finger was lifted without an event',
  )
  assert.deepEqual(
    trailOf(['touch down 10 10', 'touch second down 200 10', 'touch second move 220 10', 'touch second up 220 10', 'touch up 10 10']),
    ['touch 10 10', 'touch 10 10'], 'a second finger draws nothing',
  )
})
