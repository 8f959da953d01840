import type { Effect, Frame, Point } from '../core/types.js'
import { fitBeside } from '../drawing/surroundings.js'
import type { Momentum } from './momentum.js'
import type { Reach } from './reach.js'
import { boundsOfAll, middle } from './transform.js'

/** How far a copy lies from its original, in units of the canvas. */
const step = 20
/** In CSS pixels: a mouse that has moved by less than this counts as not moved. */
const stirMin = 8

const nothingWords = 'Nothing here to paste. Copy some shapes first.'
const pictureWords = 'Pictures can’t go on the canvas yet. Only shapes and drawings can be pasted.'

/**
 * Copies, cuts and pastes with the system's clipboard. The clipboard gets a drawing as text, which other rooms, files
 * and the terminal can read too.
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
  /**
   * The text that was last copied on this page. It is pasted if the browser doesn't let the page read the clipboard.
   */
  #kept = ''
  /** Whether the browser refused to put that text into the system's clipboard. */
  #isKeptHereOnly = false
  /** The copying that waits until documents can be made. */
  #copying: Promise<boolean> | null = null
  /** How often the same text has been pasted at the same place. */
  #pasted = { text: '', place: '', count: 0 }
  /** The mouse's last position on the paper, in CSS pixels, and whether the mouse is still over the paper. */
  #mouse: Point & { isOver: boolean } | null = null
  /** The mouse's position when shapes were last copied on this page. */
  #copiedAt: Point | null = null

  constructor(
    { documents, editing, notices, selection, shown, view, momentum, locks }: Pick<Reach,
      'documents' | 'editing' | 'notices' | 'selection' | 'shown' | 'view' | 'locks'> & { momentum: Momentum },
  ) {
    this.#locks = locks
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
      const text = event.clipboardData?.getData('text/plain') ?? ''
      const files = [...event.clipboardData?.files ?? []]
      event.preventDefault()
      if (text !== '' || files.length === 0) this.#insert(text, this.#mouse?.isOver)
      else if (files.some(({ type }) => type.startsWith('image/'))) this.#notices.say(pictureWords, { kind: 'refused' })
      else this.#notices.say('Files can’t be pasted. Drop them here, or use Import… in the menu.', { kind: 'refused' })
    })
  }

  // These functions are for menus. Keys cause clipboard events instead, which need no permission.

  /** @returns whether something was copied */
  async copy(ids = this.#selection.ids()): Promise<boolean> {
    if (ids.length === 0 || !await this.#documents.load()) return false
    this.#keep(this.#shown.replica.exportShapes(ids))
    try {
      await navigator.clipboard.writeText(this.#kept)
    } catch {
      // The text can still be pasted on this page.
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

  /** Pastes at the place where the mouse opened the menu. */
  async paste() {
    const found = await readClipboard()
    const isHere = found === null || (found.text === '' && this.#isKeptHereOnly)
    if (!isHere && found.text === '' && found.hasPicture) this.#notices.say(pictureWords, { kind: 'refused' })
    else this.#insert(isHere ? this.#kept : found.text, true)
  }

  /**
   * Copies the selected shapes without the clipboard. Each copy lies `distance` away from its original.
   *
   * @returns the copies
   */
  async duplicate(distance = step): Promise<number[]> {
    const ids = this.#selection.ids()
    if (ids.length === 0 || !await this.#documents.load()) return []
    this.#momentum.settle()
    return this.duplicateNow(distance, ids)
  }

  /** Copies the selected shapes in the same way, but at once. The module for documents must be loaded. */
  duplicateNow(distance: number, ids: number[]): number[] {
    return this.#add(this.#shown.replica.exportShapes(ids), distance, distance)
  }

  #take(event: ClipboardEvent, removes: boolean) {
    if (isText(event.target) || !(getSelection()?.isCollapsed ?? true)) return
    const ids = this.#selection.ids()
    if (ids.length === 0) return
    event.preventDefault()
    if (!this.#documents.isReady) {
      // A clipboard event can't wait until documents can be made, so this copies without the event, as a menu does.
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

  /** @param atMouse where the mouse is on the paper, unless it hasn't moved since copying */
  async #insert(text: string, atMouse = false) {
    if (!/^\s*[{[]/.test(text)) return this.#notices.say(nothingWords, { kind: 'refused' })
    if (!await this.#documents.load()) return
    this.#momentum.settle()
    const mouse = atMouse ? this.#mouse : null
    const hasStayed = text === this.#kept && mouse && this.#copiedAt
      && Math.hypot(mouse.x - this.#copiedAt.x, mouse.y - this.#copiedAt.y) < stirMin
    const box = mouse && !hasStayed ? boxOf(text) : null
    const place = box && mouse ? `${mouse.x} ${mouse.y}` : ''
    const count = this.#pasted.text === text && this.#pasted.place === place ? this.#pasted.count + 1 : 1
    this.#pasted = { text, place, count }
    if (box && mouse) {
      const { x, y } = this.#view.toCanvas(mouse)
      const further = step * (count - 1)
      this.#add(text, Math.round(x - middle(box).x) + further, Math.round(y - middle(box).y) + further)
      return
    }
    const added = this.#add(text, step * count, step * count)
    if (added.length > 0) this.#bringIntoView(added)
  }

  /** @returns the new shapes */
  #add(text: string, x: number, y: number): number[] {
    const added = addedBy(this.#editing.edit((replica) => replica.importDocument(text, { x, y })))
    if (added.length > 0) this.#selection.set(added)
    return added
  }

  /** Moves the view if needed, because shapes from another room may lie outside the visible part of this room. */
  #bringIntoView(ids: number[]) {
    const box = boundsOfAll(this.#shown.replica.shapesOf(ids))
    const seen = this.#view.visibleBox()
    const isSeen = !box || (box.x < seen.x + seen.width && box.x + box.width > seen.x
      && box.y < seen.y + seen.height && box.y + box.height > seen.y)
    if (!isSeen) fitBeside(this.#view, box, 96, { now: performance.now(), nearest: this.#view.scale })
  }
}

/**
 * The content of the system's clipboard.
 *
 * @returns null if the browser doesn't tell it
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
 * The box around the shapes of a drawing.
 *
 * @returns null if it is something else, such as a layout
 */
function boxOf(text: string): Frame | null {
  try {
    const { shapes }: { shapes: { position: number[], size: number[], rotation?: number }[] } = JSON.parse(text)
    return boundsOfAll(shapes.map(({ position: [x, y], size: [width, height], rotation = 0 }) => ({ x, y, width, height, rotation })))
  } catch {
    return null
  }
}

/** The shapes that an edit has added. */
export function addedBy(effects: Effect[] | undefined = []): number[] {
  return effects.flatMap((effect) => (effect.type === 'added' ? effect.shapes : []))
}

/** Whether an element takes typed text. The field that waits for typing doesn't count until the person types in it. */
const isText = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea:not(.waiting-field), select, [contenteditable]') !== null
