// What stands around what is selected: a box, turned as the one shape is, and the handles on it. Gestures ask here where
// a handle is; the overlay draws it there.

/** CSS pixels from the middle of the top edge to the handle that turns. */
const stem = 26
/** A box smaller than this on the screen has its handles beside it rather than on it. */
const smallest = 36

/**
 * The box around what is selected, as it is drawn now: the one shape's own, or an upright one around several.
 *
 * @param {import('../state/app.js').App} app
 * @returns {{x: number, y: number, width: number, height: number, rotation: number} | null} canvas coordinates, degrees
 */
export function selectionFrame({ selection, scene, tools }) {
  // Several that are being turned together have a frame that turns with them.
  if (tools?.frame) return tools.frame
  const shapes = selection.ids().map((id) => scene.drawn(id)).filter((drawn) => drawn !== null)
  if (shapes.length === 0) return null
  if (shapes.length === 1) {
    const [{ x, y, width, height, rotation }] = shapes
    return { x, y, width, height, rotation }
  }
  const boxes = shapes.map(turnedBox)
  const left = Math.min(...boxes.map((box) => box.left))
  const top = Math.min(...boxes.map((box) => box.top))
  const right = Math.max(...boxes.map((box) => box.right))
  const bottom = Math.max(...boxes.map((box) => box.bottom))
  return { x: left, y: top, width: right - left, height: bottom - top, rotation: 0 }
}

function turnedBox({ centerX, centerY, width, height, rotation }) {
  const turn = rotation * Math.PI / 180
  const reachX = (width * Math.abs(Math.cos(turn)) + height * Math.abs(Math.sin(turn))) / 2
  const reachY = (width * Math.abs(Math.sin(turn)) + height * Math.abs(Math.cos(turn))) / 2
  return { left: centerX - reachX, right: centerX + reachX, top: centerY - reachY, bottom: centerY + reachY }
}

/**
 * Where a point of a turned box is: `across` and `down` are −1…1 from its centre to its edges, `out` goes beyond the edge.
 *
 * @param {import('./view.js').View} view
 * @param {{x: number, y: number, width: number, height: number, rotation: number}} frame
 * @param {{outX?: number, outY?: number}} [out] CSS pixels @returns {{x: number, y: number}} CSS pixels
 */
export function pointOnFrame(view, frame, across, down, { outX = 0, outY = 0 } = {}) {
  const turn = frame.rotation * Math.PI / 180
  const cosine = Math.cos(turn)
  const sine = Math.sin(turn)
  const center = view.toScreen({ x: frame.x + frame.width / 2, y: frame.y + frame.height / 2 })
  const x = across * frame.width / 2 * view.scale + outX
  const y = down * frame.height / 2 * view.scale + outY
  return { x: center.x + x * cosine - y * sine, y: center.y + x * sine + y * cosine }
}

/**
 * The handles of what is selected, in CSS pixels on the stage: 'move' in the middle, 'rotate' above the top edge,
 * 'scale' at the bottom right. None for who only looks on.
 *
 * @param {import('../state/app.js').App} app @returns {{kind: 'move' | 'rotate' | 'scale', x: number, y: number}[]}
 */
export function handles(app) {
  const frame = app.viewOnly ? null : selectionFrame(app)
  if (!frame) return []
  const { view } = app
  const away = (length) => Math.max(0, (smallest - length * view.scale) / 2)
  const outX = away(frame.width)
  const outY = away(frame.height)
  return [
    { kind: 'move', ...pointOnFrame(view, frame, 0, 0) },
    { kind: 'rotate', ...pointOnFrame(view, frame, 0, -1, { outY: -stem - outY }) },
    { kind: 'scale', ...pointOnFrame(view, frame, 1, 1, { outX, outY }) },
  ]
}
