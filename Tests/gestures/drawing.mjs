// A drawing in the real core, and stand-ins for what a browser and the page's other parts give to what is tested. A test
// imports this first: modules of the page look for some of it while they are loaded.

import { readFileSync } from 'node:fs'
import { Source } from '../../build/modules/basics/source.js'
import { loadCore } from '../../build/modules/core/core.js'

/** How many letters were measured. */
export const letters = { measured: 0 }
/** Whether somebody asks for less motion. */
export const motion = { matches: false, addEventListener() {} }
globalThis.matchMedia = (query) => (query.includes('reduced-motion') ? motion : { matches: false, addEventListener() {} })

/** A path that notes how it is made. */
globalThis.Path2D = class {
  steps = []
  moveTo(...to) { this.steps.push(['move', ...to]) }
  lineTo(...to) { this.steps.push(['line', ...to]) }
  quadraticCurveTo(...to) { this.steps.push(['curve', ...to]) }
  arc(...values) { this.steps.push(['arc', ...values]) }
  closePath() { this.steps.push(['close']) }
  addPath({ steps }) { this.steps.push(...steps) }
  rect(x, y, width, height) {
    this.moveTo(x, y)
    for (const corner of [[x + width, y], [x + width, y + height], [x, y + height], [x, y]]) this.lineTo(...corner)
  }
}

/** A canvas in which each letter is half as wide as it is high, and that knows which point is on a path of straight lines. */
globalThis.OffscreenCanvas = class {
  getContext() {
    return {
      measureText(text) {
        letters.measured += text.length
        return { width: 50 * [...text].length }
      },
      isPointInStroke({ steps }, x, y) {
        return steps.some(([kind, ...to], at) => {
          if (kind === 'move') return false
          const [from, end] = [steps[at - 1].slice(-2), to.slice(-2)]
          const [dx, dy] = [end[0] - from[0], end[1] - from[1]]
          const part = Math.max(0, Math.min(1, ((x - from[0]) * dx + (y - from[1]) * dy) / (dx * dx + dy * dy || 1)))
          return Math.hypot(x - from[0] - dx * part, y - from[1] - dy * part) <= this.lineWidth / 2
        })
      },
      isPointInPath: () => false,
    }
  }
}

/** A view at scale 2, with the canvas's origin at the upper left. */
export const view = { scale: 2, toCanvas: ({ x, y }) => ({ x: x / 2, y: y / 2 }), toScreen: ({ x, y }) => ({ x: 2 * x, y: 2 * y }) }

/** A step of undo that notes how it ends. */
export const stepOf = (heard) => ({ end: () => heard.push('end'), abandon: () => heard.push('abandon') })

const bytesOf = (name) => readFileSync(new URL(`../../build/page/${name}.wasm`, import.meta.url))
export const core = await loadCore(bytesOf('core'), { seed: 1n })
await core.loadExchange(bytesOf('exchange'))

/** What the page shows, as `Shown`. */
export class Drawing extends Source {
  isPast = false

  /** @param options of the replica */
  constructor(options = {}) {
    super()
    this.replica = core.createReplica({ name: 'Ann', color: '#B42318', ...options })
  }

  get live() { return this.replica }

  /** @returns the new shape's identifier */
  add(set = {}) { return this.replica.add({ kind: 'rectangle', position: [0, 0], size: [100, 100], ...set }).shape }
  write(shape, set) { return this.replica.edit([{ shape, set }]) }

  /** Tells what has changed since the last frame. */
  frame() {
    const changes = this.replica.changes()
    this.tell('changes', changes)
    return changes
  }
}

/** `Editing` without a connection: edits are only made. */
export const editingOf = ({ replica }) => ({
  edit: (change) => change(replica), write: (change) => !change(replica).some(({ type }) => type === 'rejected'), group: (edits) => edits(),
})
