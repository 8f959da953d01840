import { contextOf } from '../drawing/context.js'
import { fitBeside } from '../drawing/surroundings.js'
import { element } from '../elements/element.js'
import { addedBy } from '../tools/clipboard.js'

/** How large a file may be: larger than any drawing, and small enough not to stall the page. */
const bytesMax = 64 << 20
/** As fine as a picture needs to be, and as large as browsers can make one. */
const pictureScale = 2
const pictureSideMax = 8_192

const tooLargeWords = 'This drawing is too large for a PNG. Export it as SVG instead.'
const unreadableWords = 'We can’t read this file. Use a CanvasSync drawing or a squares layout.'
const unreadableTextWords = 'We can’t read this text. Use a CanvasSync drawing or a squares layout.'

/** Drawings in and out: files that are chosen or were dropped, and JSON, SVG and PNG to be saved, or copied for other programs. */
export class Files {
  #room
  #core
  #documents
  #editing
  #notices
  #selection
  #shown
  #view

  /**
   * @param {{room: string, core: import('../core/core.js').Core, documents: import('../state/documents.js').Documents,
   *   editing: import('../state/editing.js').Editing, notices: import('../state/notices.js').Notices,
   *   selection: import('../state/selection.js').Selection, shown: import('../state/shown.js').Shown,
   *   view: import('../drawing/view.js').View}} parts
   */
  constructor({ room, core, documents, editing, notices, selection, shown, view }) {
    this.#room = room
    this.#core = core
    this.#documents = documents
    this.#editing = editing
    this.#notices = notices
    this.#selection = selection
    this.#shown = shown
    this.#view = view
  }

  // MARK: In

  /** Asks for files. */
  choose() {
    const input = element('input', { type: 'file', accept: '.json,application/json,text/plain', multiple: true })
    input.addEventListener('change', () => this.take([...input.files ?? []]))
    input.click()
  }

  /** @param {File[]} files */
  async take(files) {
    for (const file of files) {
      if (file.size > bytesMax) this.#notices.say(`${file.name} is too large. Files can be up to 64 MB.`, { kind: 'refused' })
      else await this.#readFile(file)
    }
  }

  /** @param {File} file a folder that is dropped looks like one, and can't be read */
  async #readFile(file) {
    let text
    try {
      text = await file.text()
    } catch {
      this.#notices.say(`We can’t read ${file.name}. Drop files, not folders.`, { kind: 'refused' })
      return
    }
    await this.read(text, unreadableWords)
  }

  /**
   * A layout of squares or a drawing. Its shapes come to lie where it says.
   *
   * @param {string} text @param {string} [unreadable] what to say where it is neither
   */
  async read(text, unreadable = unreadableTextWords) {
    if (!/^\s*[{[]/.test(text)) {
      this.#notices.say(unreadable, { kind: 'refused' })
      return
    }
    if (!await this.#documents.load()) return
    const added = addedBy(this.#editing.edit((replica) => replica.importDocument(text)))
    if (added.length === 0) return
    const cleaned = this.#core.cleanedNames
    if (cleaned > 0) {
      const names = cleaned === 1 ? 'One name' : `${cleaned} names`
      this.#notices.say(`${names} in this file had characters that nobody sees. We left them out.`)
    }
    this.#selection.set(added)
    const box = this.#shown.replica.bounds(added)
    if (box && !isWithin(box, this.#view.visibleBox())) fitBeside(this.#view, box, 96, { now: performance.now() })
  }

  // MARK: Out

  /** @param {number[]} [shapes] of the drawing; all of it unless given */
  async saveJSON(shapes) {
    if (!await this.#documents.load()) return
    const { replica } = this.#shown
    this.#save(shapes ? replica.exportShapes(shapes) : replica.exportDrawing(), 'application/json', 'json', shapes)
  }

  /** @param {number[]} [shapes] as for `saveJSON` */
  async saveSVG(shapes) {
    if (await this.#documents.load()) this.#save(this.#picture(shapes), 'image/svg+xml', 'svg', shapes)
  }

  /** @param {number[]} [shapes] as for `saveJSON` */
  async savePNG(shapes) {
    if (!await this.#documents.load()) return
    try {
      this.#save(await pixels(this.#picture(shapes)), 'image/png', 'png', shapes)
    } catch {
      this.#notices.say(tooLargeWords, { kind: 'refused' })
    }
  }

  /** @param {number[]} shapes */
  async copySVG(shapes) {
    if (await this.#documents.load()) this.#copy(() => navigator.clipboard.writeText(this.#picture(shapes)), 'SVG')
  }

  /** @param {number[]} shapes */
  async copyPNG(shapes) {
    if (!await this.#documents.load()) return
    // Some browsers take the promise only: by the time that the picture is made, the click would be forgotten.
    this.#copy(() => navigator.clipboard.write([new ClipboardItem({ 'image/png': pixels(this.#picture(shapes)) })]), 'PNG')
  }

  /** @param {() => Promise<void>} write @param {string} what */
  async #copy(write, what) {
    try {
      await write()
      this.#notices.say(`Copied as ${what}.`, { group: 'copied' })
    } catch {
      this.#notices.say(`This browser doesn’t let us copy a picture. Export the selection as ${what} instead.`, {
        kind: 'refused', group: 'copied',
      })
    }
  }

  /** @param {number[]} [shapes] @returns {string} SVG */
  #picture(shapes) {
    const { replica } = this.#shown
    if (!shapes) return replica.exportPicture()
    const part = this.#core.createReplica()
    try {
      part.importDocument(replica.exportShapes(shapes))
      return part.exportPicture()
    } finally {
      part.destroy()
    }
  }

  /** @param {string | Blob} content @param {string} type @param {string} suffix @param {number[]} [shapes] */
  #save(content, type, suffix, shapes) {
    const address = URL.createObjectURL(new Blob([content], { type }))
    element('a', { href: address, download: `${this.#room}${shapes ? '-selection' : ''}.${suffix}` }).click()
    // By then the browser has begun to save it.
    setTimeout(() => URL.revokeObjectURL(address), 10_000)
  }
}

/**
 * A picture as PNG.
 *
 * @param {string} svg @returns {Promise<Blob>}
 */
async function pixels(svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const picture = new Image()
    picture.src = address
    await picture.decode()
    const scale = Math.min(pictureScale, pictureSideMax / picture.width, pictureSideMax / picture.height)
    const canvas = element('canvas', {
      width: Math.max(1, Math.round(picture.width * scale)), height: Math.max(1, Math.round(picture.height * scale)),
    })
    contextOf(canvas).drawImage(picture, 0, 0, canvas.width, canvas.height)
    /** @type {Blob | null} */
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (!blob) throw new Error('no picture')
    return blob
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** @param {import('../core/types.js').Box} box @param {import('../core/types.js').Box} view */
const isWithin = (box, view) =>
  box.x >= view.x && box.y >= view.y && box.x + box.width <= view.x + view.width
  && box.y + box.height <= view.y + view.height
