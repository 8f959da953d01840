// A hand at a drawing in the real core: pointer events and keys, as a browser tells them, go through everything between
// the stage and the core. Time stands still but for `pass`. A browser's own part of it is tested in Tests/Page.

import { Drawing } from './drawing.mjs'
import * as aligning from '../../build/modules/arrange/align.js'
import { Duplicating } from '../../build/modules/arrange/duplicating.js'
import { abandonNew } from '../../build/modules/arrange/held.js'
import { Hole } from '../../build/modules/arrange/hole.js'
import { Lifting } from '../../build/modules/arrange/lifting.js'
import { Momentum } from '../../build/modules/arrange/momentum.js'
import { Source } from '../../build/modules/basics/source.js'
import { Handles } from '../../build/modules/canvas/handles.js'
import { Scene } from '../../build/modules/canvas/scene.js'
import { View } from '../../build/modules/canvas/view.js'
import { Editing } from '../../build/modules/state/editing.js'
import { Groups } from '../../build/modules/state/groups.js'
import { Hand } from '../../build/modules/state/hand.js'
import { Locks } from '../../build/modules/state/locks.js'
import { Selection } from '../../build/modules/state/selection.js'
import { Tool } from '../../build/modules/state/tool.js'
import { Shortcuts } from '../../build/modules/tools/shortcuts.js'
import { Tools } from '../../build/modules/tools/tools.js'

/** What hears events. What fails there fails for the test. */
class Target {
  #heard = []
  addEventListener(type, run) { this.#heard.push({ type, run }) }
  tell(type, event) { for (const each of this.#heard) if (each.type === type) each.run({ preventDefault() {}, ...event }) }
}

class Page extends Target {
  body = { closest: () => null, matches: () => false }
  hidden = false
  querySelector() { return null }
}

/** A part whose methods only note in `told` that they were called, but for its `own`. */
const noting = (told, own = {}) => new Proxy(own, { get: (_own, name) => own[name] ?? ((...values) => { told.push([name, ...values]) }) })

/** The circle that deletes what is dropped on it: its middle is 40 pixels from the left and 760 from the top. */
const circle = () => ({
  offsetWidth: 60, style: { setProperty() {} }, toggleAttribute() {}, removeAttribute() {},
  getBoundingClientRect: () => ({ left: 10, top: 730, width: 60, height: 60 }),
})
export const mouth = [40, 760]

/**
 * Somebody with a drawing, at scale 1 and the canvas's origin unless they look elsewhere.
 *
 * @param t of the test, whose clock stops
 * @param pointer with which they draw: `mouse`, `touch` or `pen`
 */
export function handAt(t, { tool: name = 'select', pointer = 'mouse' } = {}) {
  t.mock.reset()
  t.mock.timers.reset()
  let now = 10_000
  const due = new Map()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(performance, 'now', () => now)
  Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true })
  Object.assign(globalThis, {
    document: new Page(), HTMLElement: class {}, Element: class {}, Node: class {}, getSelection: () => null, addEventListener() {}, removeEventListener() {},
    getComputedStyle: () => ({ visibility: 'visible' }),
    requestAnimationFrame: (run) => { due.set(run, run); return run }, cancelAnimationFrame: (run) => due.delete(run),
  })
  const drawing = new Drawing()
  const { replica } = drawing
  /** What others are told, what is shown above the drawing, said, and opened to write in. */
  const [told, over, said, opened] = [[], [], [], []]
  const frames = { get now() { return now }, request() {} }
  const permission = Object.assign(new Source(), { mayEdit: true, isViewOnly: false })
  const presence = noting(told, { people: () => [], on() {} })
  const notices = { say: (words, { action } = {}) => said.push([words, action]), withdraw() {} }
  const connection = Object.assign(new Source(), { replica, perform() {} })
  const view = new View()
  view.resize(1_280, 800, 1)
  const play = { isOn: true }
  const paint = { fill: null, stroke: null, strokeWidth: 4, dash: 'solid', route: 'straight', textSize: 20, person: { color: '#B42318' } }
  const documents = { isReady: true, load: async () => true, prepare: async () => true }
  const shown = drawing
  const editing = new Editing({ connection, shown, permission, notices, frames })
  const selection = new Selection(shown)
  const locks = new Locks({ shown, editing, notices })
  const groups = new Groups({ shown, selection, locks })
  const scene = new Scene(shown, presence, frames)
  const marks = { pointedAt: null, pointAt(id) { this.pointedAt = id } }
  const tool = new Tool(permission)
  const handles = new Handles({ selection, scene, view, permission, locks })
  const momentum = new Momentum({ shown, editing, view })
  const stage = Object.assign(new Target(), { style: {}, getBoundingClientRect: () => ({ left: 0, top: 0 }), setPointerCapture() {} })
  const writing = {
    isOpen: false, open: (shape, how) => opened.push([shape, how]), close() {}, wait: () => false, takeBack: (shapes, step) => abandonNew({ editing, shown }, step, shapes),
  }
  const reach = {
    shown, editing, permission, selection, groups, locks, tool, paint, play, presence, notices, documents, frames, hand: new Hand(shown), marks,
    marking: { marks: null }, view, scene, overlay: noting(over), handles, momentum, writing, lifting: new Lifting({ scene, presence }),
    hole: new Hole(circle(), stage, { editing, play, view }), duplicating: new Duplicating({ documents, editing, selection, shown, momentum }),
    consent: { get: async () => ({ mayEmpty: async () => true }) }, shaking: new Source(), aligning: { get: async () => aligning },
  }
  const tools = new Tools(stage, reach)
  new Shortcuts({ ...reach, tools })
  tool.choose(name)

  const frame = () => drawing.frame()
  const press = (type, place, { shift = false, ctrl = false, alt = false, finger = 1, button = 0 } = {}) => {
    const [clientX, clientY] = place
    stage.tell(type, {
      pointerId: finger, pointerType: pointer, isPrimary: finger === 1, clientX, clientY, button, buttons: 1, width: 1, height: 1, pressure: 0.5, timeStamp: now,
      shiftKey: shift, ctrlKey: ctrl, altKey: alt, metaKey: false,
    })
    frame()
  }
  const hand = {
    ...reach, tools, drawing, replica, told, over, said, opened, stage, frame,
    down: (place, how) => press('pointerdown', place, how),
    move: (place, how) => press('pointermove', place, how),
    up: (place, how) => press('pointerup', place, how),
    /** The browser takes the pointer away. */
    lose: (place) => press('pointercancel', place),
    leave: () => press('pointerleave', [0, 0]),
    add(set) {
      const id = drawing.add(set)
      frame()
      return id
    },
    /** Frames and timers of this time. */
    pass(milliseconds) {
      for (const end = now + milliseconds; now < end;) {
        const step = Math.min(end - now, 16)
        now += step
        t.mock.timers.tick(step)
        for (const run of [...due.keys()]) if (due.delete(run)) run(now)
        frame()
      }
    },
    /** Presses, leads and, so late that nothing is thrown, lets go. `hold`: doesn't let go. */
    lead(start, end, { hold = false, ...how } = {}) {
      hand.down(start, how)
      for (const part of [0.25, 0.5, 0.75, 1]) hand.move(start.map((at, axis) => at + (end[axis] - at) * part), how)
      hand.pass(160)
      if (!hold) hand.up(end, how)
    },
    /** Lets go while the hand moves by `step` pixels a frame. `wait`: how long it holds first. */
    throw(start, step, { wait = 0, ...how } = {}) {
      hand.down(start, how)
      hand.pass(wait)
      const place = [...start]
      for (let count = 0; count < 8; count += 1) {
        for (const axis of [0, 1]) place[axis] += step[axis]
        hand.pass(16)
        hand.move(place, how)
      }
      hand.pass(8)
      hand.up(place, how)
    },
    tap(place, times = 1, how = {}) {
      for (let count = 0; count < times; count += 1) {
        hand.down(place, how)
        hand.up(place, how)
        hand.pass(60)
      }
      hand.pass(400)
    },
    /** Two fingers around a middle, whose distance from it changes while they turn. */
    pinch([x, y], from, to, degrees = 0) {
      for (let step = 0; step <= 24; step += 1) {
        const [reach, turn] = [from + (to - from) * step / 24, degrees * Math.PI / 180 * step / 24]
        const [dx, dy] = [reach * Math.cos(turn), reach * Math.sin(turn)]
        for (const [finger, place] of [[1, [x - dx, y - dy]], [2, [x + dx, y + dy]]]) press(step === 0 ? 'pointerdown' : 'pointermove', place, { finger })
        hand.pass(16)
      }
      for (const finger of [1, 2]) press('pointerup', [x, y], { finger })
    },
    /** Presses a key, such as `ctrl+shift+z`. */
    key(words, { repeat = false } = {}) {
      const [key, ...modifiers] = words.split('+').reverse()
      document.tell('keydown', {
        key, code: '', repeat, isComposing: false, timeStamp: now, getModifierState: () => false, metaKey: false,
        ...Object.fromEntries(['shift', 'ctrl', 'alt'].map((each) => [`${each}Key`, modifiers.includes(each)])),
      })
      frame()
    },
    /** The place of a handle: of the lower right corner, or [-1, 0] for the left side. */
    handle(kind, side) {
      const { x, y } = handles.all().find((each) => each.kind === kind && (!side || (each.across === side[0] && each.down === side[1])))
      return [x, y]
    },
    /** A shape's box. */
    box(id) {
      const { x, y, width, height } = replica.shape(id)
      return [x, y, width, height].map((each) => Math.round(each * 10) / 10)
    },
    undo() {
      editing.undo()
      frame()
    },
  }
  return hand
}
