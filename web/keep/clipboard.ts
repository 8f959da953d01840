import { addDrawing, copyDistance } from '../arrange/duplicating.js'
import type { Momentum } from '../arrange/momentum.js'
import type { Reach } from '../arrange/reach.js'
import { boundsOfAll, middle } from '../canvas/frames.js'
import { fitBeside, openArea } from '../canvas/surroundings.js'
import type { Frame, Point } from '../core/types.js'
import { drawingOf } from './plain-text.js'

/** In CSS pixels: if the mouse has moved by less than this, it counts as not moved. */
const stirMin = 8

const nothingWords = 'Nothing here to paste. Copy some shapes or a text first.'
const pictureWords = 'Pictures can’t go on the canvas yet. Only shapes, drawings and text can be pasted.'

/**
 * Copies, cuts and pastes with the system's clipboard. A copied drawing is text, so that it can be pasted in other
 * rooms, into files and in the terminal.
 */
export class Clipboard {
  #documents
  #editing
  #notices
  #selection
  #shown
  #view
  #momentum
  #locks
  #paint
  /** The last text that was copied on this page. It is pasted if the browser doesn't allow reading the clipboard. */
  #kept = ''
  /** Whether the browser refused to write the text in `#kept` to the clipboard. */
  #isKeptHereOnly = false
  /** The copying in progress, if the module for documents is not loaded yet. */
  #copying: Promise<boolean> | null = null
  /** The number of times that the same text was pasted at the same place. */
  #pasted = { text: '', place: '', count: 0 }
  /** The last position of the mouse in CSS pixels, and whether the mouse is over the canvas. */
  #mouse: Point & { isOver: boolean } | null = null
  /** The mouse's position when shapes were last copied on this page. */
  #copiedAt: Point | null = null

  constructor(
    { documents, editing, notices, paint, selection, shown, view, momentum, locks }: Pick<Reach,
      'documents' | 'editing' | 'notices' | 'paint' | 'selection' | 'shown' | 'view' | 'locks'> & { momentum: Momentum },
  ) {
    this.#locks = locks
    this.#paint = paint
    this.#documents = documents
    this.#editing = editing
    this.#notices = notices
    this.#selection = selection
    this.#shown = shown
    this.#view = view
    this.#momentum = momentum
    document.addEventListener('pointermove', ({ target, pointerType, clientX: x, clientY: y }) => {
      if (pointerType === 'touch') return
      if (target instanceof Element && target.closest('#stage')) this.#mouse = { x, y, isOver: true }
      else if (this.#mouse) this.#mouse.isOver = false
    }, { passive: true })
    document.addEventListener('copy', (event) => this.#take(event, false))
    document.addEventListener('cut', (event) => this.#take(event, true))
    document.addEventListener('paste', (event) => {
      if (isText(event.target)) return
      if (this.#copying) {
        event.preventDefault()
        this.#copying.then((isCopied) => { if (isCopied) this.#insert(this.#kept, this.#mouse?.isOver) })
        return
      }
      const found = event.clipboardData?.getData('text/plain') ?? ''
      const files = [...event.clipboardData?.files ?? []]
      const text = found === '' && files.length === 0 && this.#isKeptHereOnly ? this.#kept : found
      event.preventDefault()
      if (text !== '' || files.length === 0) this.#insert(text, this.#mouse?.isOver)
      else if (files.some(({ type }) => type.startsWith('image/'))) this.#notices.say(pictureWords, { kind: 'refused' })
      else this.#notices.say('Files can’t be pasted. Drop them here, or use Import… in the menu.', { kind: 'refused' })
    })
  }

  // Functions for menus. Keys cause clipboard events instead, which need no permission.

  /** @returns whether something was copied */
  async copy(ids = this.#selection.ids()): Promise<boolean> {
    if (ids.length === 0 || !await this.#documents.load()) return false
    this.#keep(this.#shown.replica.exportShapes(ids))
    try {
      await navigator.clipboard.writeText(this.#kept)
    } catch {
      // The system's clipboard can't be written, so only this page can paste the shapes.
      this.#isKeptHereOnly = true
    }
    return true
  }

  async cut() {
    const ids = this.#selection.ids()
    const isCopied = await this.copy(ids)
    if (isCopied) this.#remove(ids)
    return isCopied
  }

  /** Pastes at the position where the menu was opened by mouse. */
  async paste() {
    const found = await readClipboard()
    const isHere = found === null || (found.text === '' && !found.hasPicture && this.#isKeptHereOnly)
    if (!isHere && found.text === '' && found.hasPicture) this.#notices.say(pictureWords, { kind: 'refused' })
    else this.#insert(isHere ? this.#kept : found.text, true)
  }

  #take(event: ClipboardEvent, removes: boolean) {
    if (isText(event.target) || !(getSelection()?.isCollapsed ?? true)) return
    const ids = this.#selection.ids()
    if (ids.length === 0) return
    event.preventDefault()
    if (!this.#documents.isReady) {
      // A clipboard event can't wait for the module to load. So this copies as the menu does.
      const copying = (removes ? this.cut() : this.copy()).finally(() => {
        if (this.#copying === copying) this.#copying = null
      })
      this.#copying = copying
      return
    }
    const text = this.#shown.replica.exportShapes(ids)
    event.clipboardData?.setData('text/plain', text)
    this.#keep(text)
    if (removes) this.#remove(ids)
  }

  #keep(text: string) {
    this.#kept = text
    this.#isKeptHereOnly = false
    this.#copiedAt = this.#mouse && { ...this.#mouse }
  }

  #remove(ids: number[]) {
    this.#momentum.settle()
    if (ids.length > 0 && !this.#locks.refuse(ids)) this.#editing.edit((replica) => replica.delete(ids))
  }

  /**
   * Pastes a drawing, or any other text as notes or as a text.
   *
   * @param atMouse whether to paste at the mouse, if it has moved since the copying
   */
  async #insert(text: string, atMouse = false) {
    const isDrawing = /^\s*\{[^]*["'](shapes|squares)["']\s*:/.test(text)
    const made = isDrawing ? { drawing: text, isCut: false } : drawingOf(text, this.#paint)
    if (made === null) return this.#notices.say(nothingWords, { kind: 'refused' })
    const { drawing, isCut } = made
    if (!await this.#documents.load()) return
    this.#momentum.settle()
    const mouse = atMouse ? this.#mouse : null
    const hasStayed = text === this.#kept && mouse && this.#copiedAt
      && Math.hypot(mouse.x - this.#copiedAt.x, mouse.y - this.#copiedAt.y) < stirMin
    const at = mouse && !hasStayed ? this.#view.toCanvas(mouse) : isDrawing ? null : middle(openArea(this.#view))
    const box = at && boxOf(drawing)
    const place = at && box ? `${at.x} ${at.y}` : ''
    const count = this.#pasted.text === text && this.#pasted.place === place ? this.#pasted.count + 1 : 1
    this.#pasted = { text, place, count }
    if (at && box) {
      const further = copyDistance * (count - 1)
      const added = this.#add(drawing, Math.round(at.x - middle(box).x) + further, Math.round(at.y - middle(box).y) + further)
      if (isCut && added.length > 0) this.#notices.say('That is more text than fits into a shape. Its end is left out.')
      if (!isDrawing) this.#bringIntoView(added, true)
      return
    }
    const added = this.#add(drawing, copyDistance * count, copyDistance * count)
    if (added.length > 0) this.#bringIntoView(added)
  }

  #add(drawing: string, x: number, y: number) {
    return addDrawing({ editing: this.#editing, selection: this.#selection }, drawing, { x, y })
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
 * Reads the system's clipboard.
 *
 * @returns null if the browser doesn't allow that
 */
async function readClipboard(): Promise<{ text: string, hasPicture: boolean } | null> {
  const { clipboard } = navigator
  try {
    if (!('read' in clipboard)) return { text: await clipboard.readText(), hasPicture: false }
    const items = await clipboard.read()
    const texts = items.filter(({ types }) => types.includes('text/plain'))
    const parts = await Promise.all(texts.map(async (item) => (await item.getType('text/plain')).text()))
    return { text: parts.join('\n'), hasPicture: items.some(({ types }) => types.some((type) => type.startsWith('image/'))) }
  } catch {
    return null
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

/**
 * Whether an element takes typed text. The invisible field that waits for typing doesn't count until the person types.
 */
const isText = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea:not(.waiting-field), select, [contenteditable]') !== null
