import { addDrawing, copyDistance } from '../arrange/duplicating.js'
import type { Momentum } from '../arrange/momentum.js'
import type { Reach } from '../arrange/reach.js'
import { boundsOfAll, middle } from '../canvas/frames.js'
import { fitBeside, openArea } from '../canvas/surroundings.js'
import type { Frame, Point } from '../core/types.js'
import { drawingOf } from './pasted-text.js'

const nothingWords = 'Nothing here to paste. Copy some shapes or a text first.'

/** Pastes drawings and texts. */
export class Pasting {
  #documents
  #editing
  #fitting
  #notices
  #paint
  #selection
  #shown
  #view
  #momentum
  /** The number of times that the same text was pasted at the same place. */
  #pasted = { text: '', place: '', count: 0 }

  constructor(
    { documents, editing, fitting, notices, paint, selection, shown, view, momentum }: Pick<Reach,
      'documents' | 'editing' | 'fitting' | 'notices' | 'paint' | 'selection' | 'shown' | 'view'> & { momentum: Momentum },
  ) {
    this.#documents = documents
    this.#editing = editing
    this.#fitting = fitting
    this.#notices = notices
    this.#paint = paint
    this.#selection = selection
    this.#shown = shown
    this.#view = view
    this.#momentum = momentum
  }

  /**
   * Pastes a drawing, or any other text as notes or as a text.
   *
   * @param wanted where its middle shall be, in canvas coordinates; null for the usual place
   * @param isPlain whether the text is no drawing, though it may begin like one
   */
  async insert(text: string, wanted: Point | null, isPlain = false) {
    if (this.#editing.refuses()) return
    const isDrawing = !isPlain && /^\s*\{[^]*["'](shapes|squares)["']\s*:/.test(text)
    const made = isDrawing ? { drawing: text, isCut: false } : drawingOf(text, this.#paint, this.#fitting)
    if (made === null) return this.#notices.say(nothingWords, { kind: 'refused' })
    const { drawing, isCut } = made
    if (!await this.#documents.load()) return
    this.#momentum.settleAll()
    const at = wanted ?? (isDrawing ? null : middle(openArea(this.#view)))
    const box = at && boxOf(drawing)
    const place = at && box ? `${at.x} ${at.y}` : ''
    const count = this.#pasted.text === text && this.#pasted.place === place ? this.#pasted.count + 1 : 1
    this.#pasted = { text, place, count }
    const further = copyDistance * (count - 1)
    const distance = at && box
      ? { x: Math.round(at.x - middle(box).x) + further, y: Math.round(at.y - middle(box).y) + further }
      : { x: further + copyDistance, y: further + copyDistance }
    const added = addDrawing({ editing: this.#editing, selection: this.#selection }, drawing, distance)
    if (isDrawing && added.length === 0) {
      this.#notices.say('This looks like a drawing, but it has no shapes that we can read.', {
        kind: 'refused', action: { words: 'Paste as text', run: () => this.insert(text, wanted, true) },
      })
    }
    if (isCut && added.length > 0) this.#notices.say('That is more text than fits into a shape. Its end is left out.')
    if (!isDrawing || place === '') this.#bringIntoView(added, !isDrawing)
  }

  /**
   * Moves the view if needed, because shapes from another room can be outside the view.
   *
   * @param isWhole whether the view must be large enough for all of them
   */
  #bringIntoView(ids: number[], isWhole = false) {
    const box = boundsOfAll(this.#shown.replica.shapesOf(ids))
    const seen = this.#view.visibleBox()
    const isSeen = !box || (box.x < seen.x + seen.width && box.x + box.width > seen.x
      && box.y < seen.y + seen.height && box.y + box.height > seen.y
      && !(isWhole && (box.width > seen.width || box.height > seen.height)))
    if (!isSeen) fitBeside(this.#view, box, 96, { now: performance.now(), nearest: this.#view.scale })
  }
}

/**
 * The bounding box of the shapes in a drawing.
 *
 * @returns null if the text is not a drawing, for example a layout
 */
function boxOf(text: string): Frame | null {
  try {
    const { shapes }: { shapes: { position: number[], size: number[], rotation?: number }[] } = JSON.parse(text)
    return boundsOfAll(shapes.map(({ position: [x, y], size: [width, height], rotation = 0 }) => ({ x, y, width, height, rotation })))
  } catch {
    return null
  }
}
