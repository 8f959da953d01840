import { fitBeside } from '../drawing/surroundings.js'
import { shapesOf } from './grasp.js'
import { boundsOfAll } from './transform.js'

/** How far a copy lies from what it was copied from. */
const step = 20

/**
 * Copying, cutting and pasting over the system's clipboard, where a drawing lies as the text that other rooms, files
 * and the terminal take too.
 */
export class Clipboard {
  #app
  #tools
  /** What was copied last here, for browsers that don't let a page read. */
  #kept = ''
  /** What is being copied while the app has no exchange yet. @type {Promise<boolean> | null} */
  #copying = null
  /** How often the same has been pasted. */
  #pasted = { text: '', count: 0 }

  /** @param {import('./tools.js').Tools} tools */
  constructor(tools) {
    this.#tools = tools
    this.#app = tools.app
    document.addEventListener('copy', (event) => this.#take(event, false))
    document.addEventListener('cut', (event) => this.#take(event, true))
    document.addEventListener('paste', (event) => {
      if (isText(event.target)) return
      if (this.#copying) {
        event.preventDefault()
        this.#copying.then((isCopied) => { if (isCopied) this.#insert(this.#kept) })
        return
      }
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (text === '') return
      event.preventDefault()
      this.#insert(text)
    })
  }

  // From a menu. The keys' own events need no permission and are preferred.

  /** @returns {Promise<boolean>} whether there was something to copy, and it is copied */
  async copy(ids = this.#app.selection.ids()) {
    if (ids.length === 0 || !await this.#app.exchange()) return false
    this.#kept = this.#app.session.exportShapes(ids)
    try {
      await navigator.clipboard.writeText(this.#kept)
    } catch {
      // It can still be pasted on this page.
    }
    return true
  }

  async cut() {
    const ids = this.#app.selection.ids()
    const isCopied = await this.copy(ids)
    if (isCopied) this.#remove(ids)
    return isCopied
  }

  async paste() {
    let text = this.#kept
    try {
      text = await navigator.clipboard.readText() || text
    } catch {
      // Not allowed, or not there: what was copied here.
    }
    if (text !== '') this.#insert(text)
  }

  /** Copies of what is selected, beside it or so far from it, without the clipboard. @returns {Promise<number[]>} them */
  async duplicate(distance = step) {
    const ids = this.#app.selection.ids()
    return ids.length > 0 && await this.#app.exchange() ? this.duplicateNow(distance, ids) : []
  }

  /** The same where the app has its exchange. @returns {number[]} */
  duplicateNow(distance, ids) {
    return this.#add(this.#app.session.exportShapes(ids), distance, distance)
  }

  #take(event, removes) {
    if (isText(event.target) || !getSelection().isCollapsed) return
    const ids = this.#app.selection.ids()
    if (ids.length === 0) return
    event.preventDefault()
    if (!this.#app.hasExchange) {
      // Too late for this event: as from a menu.
      const copying = (removes ? this.cut() : this.copy()).finally(() => {
        if (this.#copying === copying) this.#copying = null
      })
      this.#copying = copying
      return
    }
    const text = this.#app.session.exportShapes(ids)
    event.clipboardData.setData('text/plain', text)
    this.#kept = text
    if (removes) this.#remove(ids)
  }

  #remove(ids) {
    this.#tools.settle()
    if (ids.length > 0) this.#app.edit((session) => session.delete(ids))
  }

  async #insert(text) {
    if (!/^\s*[{[]/.test(text)) return this.#app.say('What you pasted is no drawing.', { kind: 'refused' })
    if (!await this.#app.exchange()) return
    this.#tools.settle()
    const count = this.#pasted.text === text ? this.#pasted.count + 1 : 1
    this.#pasted = { text, count }
    const added = this.#add(text, step * count, step * count)
    if (added.length > 0) this.#bringIntoView(added)
  }

  /** @returns {number[]} what came */
  #add(text, x, y) {
    const effects = this.#app.edit((session) => session.importDocument(text, { x, y }))
    const added = effects?.find(({ type }) => type === 'added')?.shapes ?? []
    if (added.length > 0) this.#app.selection.set(added)
    return added
  }

  /** What lay elsewhere in another room is to be seen in this one. */
  #bringIntoView(ids) {
    const box = boundsOfAll(shapesOf(this.#app.session, ids))
    const seen = this.#app.view.visibleBox()
    const isSeen = box.x < seen.x + seen.width && box.x + box.width > seen.x
      && box.y < seen.y + seen.height && box.y + box.height > seen.y
    if (!isSeen) fitBeside(this.#app.view, box, 96, { now: performance.now(), nearest: this.#app.view.scale })
  }
}

const isText = (target) =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
