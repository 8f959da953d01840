import type { Momentum } from '../arrange/momentum.js'
import type { Reach } from '../arrange/reach.js'
import type { Point } from '../core/types.js'
import { isWithin } from '../elements/element.js'
import type { LaterPart } from '../state/parts.js'
import type { Pasting } from './pasting.js'

/** In CSS pixels: if the mouse has moved by less than this, it counts as not moved. */
const stirMin = 8

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
  #pasting
  /** The last text that was copied on this page. It is pasted if the browser doesn't allow reading the clipboard. */
  #kept = ''
  /** Whether the browser refused to write the text in `#kept` to the clipboard. */
  #isKeptHereOnly = false
  /** The copying in progress, if the module for documents is not loaded yet. */
  #copying: Promise<boolean> | null = null
  /** The last position of the mouse in CSS pixels, and whether the mouse is over the canvas. */
  #mouse: Point & { isOver: boolean } | null = null
  /** The mouse's position when shapes were last copied on this page. */
  #copiedAt: Point | null = null

  constructor(
    { documents, editing, notices, selection, shown, view, momentum, locks }: Pick<Reach,
      'documents' | 'editing' | 'notices' | 'selection' | 'shown' | 'view' | 'locks'> & { momentum: Momentum },
    pasting: LaterPart<Pasting>,
  ) {
    this.#locks = locks
    this.#pasting = pasting
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
    // A key that is held down pastes once.
    let isRepeated = false
    document.addEventListener('keydown', ({ repeat }) => { isRepeated = repeat }, { capture: true })
    for (const type of ['keyup', 'blur']) addEventListener(type, () => { isRepeated = false }, { capture: true })
    document.addEventListener('paste', (event) => {
      if (isElsewhere(event.target)) return
      if (isRepeated) return event.preventDefault()
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
      // Pages without HTTPS have no `navigator.clipboard`. If the older command doesn't work either, only this page can
      // paste the shapes.
      this.#isKeptHereOnly = !copiedByCommand(this.#kept)
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
    if (isElsewhere(event.target) || !(getSelection()?.isCollapsed ?? true)) return
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
    this.#momentum.settleAll()
    if (ids.length > 0 && !this.#locks.refuse(ids)) this.#editing.edit((replica) => replica.delete(ids))
  }

  /** @param atMouse whether to paste at the mouse, if it has moved since the copying */
  async #insert(text: string, atMouse = false) {
    const mouse = atMouse ? this.#mouse : null
    const hasStayed = text === this.#kept && mouse && this.#copiedAt
      && Math.hypot(mouse.x - this.#copiedAt.x, mouse.y - this.#copiedAt.y) < stirMin
    const at = mouse && !hasStayed ? this.#view.toCanvas(mouse) : null
    const pasting = await this.#pasting.get()
    pasting?.insert(text, at)
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
 * Whether an event is not for the canvas: an element takes typed text, or a dialog is open. The invisible field that
 * waits for typing doesn't count until the person types.
 */
const isElsewhere = (target: EventTarget | null) => document.querySelector('dialog[open]') !== null
  || isWithin(target, 'input, textarea:not(.waiting-field), select, [contenteditable]')

/** @returns whether the text is in the system's clipboard */
function copiedByCommand(text: string): boolean {
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', put, { capture: true })
  try {
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', put, { capture: true })
  }
}
