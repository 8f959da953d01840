import { capitalised, within } from '../basics/words.js'
import { contextOf } from '../drawing/context.js'
import { fitBeside } from '../drawing/surroundings.js'
import { openDialog } from '../elements/dialog.js'
import { element } from '../elements/element.js'
import { addedBy } from '../tools/clipboard.js'

/** The upper bound on a file that is read. It is larger than any drawing, and small enough not to stall the page. */
const bytesMax = 64 << 20
/**
 * How many pixels a unit of the canvas gets: the choices for a picture that is saved, and the scale of one that is
 * copied.
 */
const pictureScales = [1, 2, 4]
const pictureScale = 2
/**
 * The longest side of a picture that every browser can make. Each browser also has its own limit on the number of
 * pixels. If a picture exceeds that limit, half the scale is tried.
 */
const pictureSideMax = 16_384
/**
 * The upper bound on a picture's pixels, each of which takes four bytes. Without it, a picture of two small shapes far
 * apart would take a gigabyte.
 */
const picturePixelsMax = 1 << 26
const pictureScaleMin = 1 / 64

const tooLargeWords = 'This drawing is too large for a PNG. Export it as SVG instead.'

/** @param {string} what a file's name, or what it is */
const foreignWords = (what) => `${within(what)} isn’t a CanvasSync drawing.`

/**
 * Reads and writes drawings. It reads files that are chosen or dropped, and writes JSON, SVG and PNG, to be saved or to
 * be copied into other programs.
 */
export class Files {
  #room
  #core
  #documents
  #editing
  #momentum
  #notices
  #selection
  #shown
  #view

  /**
   * @param {{room: string, core: import('../core/core.js').Core, documents: import('../state/documents.js').Documents,
   *   editing: import('../state/editing.js').Editing, momentum: import('../tools/momentum.js').Momentum,
   *   notices: import('../state/notices.js').Notices, selection: import('../state/selection.js').Selection,
   *   shown: import('../state/shown.js').Shown, view: import('../drawing/view.js').View}} parts
   */
  constructor({ room, core, documents, editing, momentum, notices, selection, shown, view }) {
    this.#room = room
    this.#core = core
    this.#documents = documents
    this.#editing = editing
    this.#momentum = momentum
    this.#notices = notices
    this.#selection = selection
    this.#shown = shown
    this.#view = view
  }

  // MARK: Reading

  /** Lets the person choose files to read. */
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
    await this.read(text, file.name)
  }

  /**
   * Adds the shapes of a document, which is a layout of squares or a drawing. The shapes keep their places.
   *
   * @param {string} text @param {string} [what] what it is called
   */
  async read(text, what = 'This text') {
    if (!/^\s*[{[]/.test(text)) {
      this.#notices.say(foreignWords(what), { kind: 'refused' })
      return
    }
    if (!await this.#documents.load()) return
    this.#momentum.settle()
    const added = addedBy(this.#editing.edit((replica) => {
      try {
        return replica.importDocument(text)
      } catch (error) {
        throw new Error(readable(error instanceof Error ? error.message : String(error), what))
      }
    }))
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

  // MARK: Writing

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
    const picture = this.#picture(shapes)
    const scale = await this.#askForScale(picture)
    if (scale === null) return
    try {
      this.#save(await pixels(picture, scale), 'image/png', 'png', shapes)
    } catch {
      this.#notices.say(tooLargeWords, { kind: 'refused' })
    }
  }

  /**
   * @param {string} picture SVG
   * @returns {Promise<number | null>} pixels for a unit of the canvas, or null if no picture is wanted after all
   */
  #askForScale(picture) {
    const { width, height } = sizeOf(picture)
    return new Promise((resolve) => {
      let chosen = /** @type {number | null} */ (null)
      const dialog = openDialog('Picture size', element('div', { class: 'row' }, pictureScales.map((scale) => {
        const used = scaleFor({ width, height }, scale)
        const size = `${Math.ceil(width * used).toLocaleString('en')} × ${Math.ceil(height * used).toLocaleString('en')}`
        return element('button', {
          type: 'button', class: `button grow${scale === pictureScale ? ' primary' : ''}`, autofocus: scale === pictureScale,
          onclick: () => { chosen = scale; dialog.close() },
        }, element('span', { class: 'picture-size' }, element('strong', {}, `${scale}×`), element('span', { class: 'small-text' }, size)))
      })))
      dialog.addEventListener('close', () => resolve(chosen))
    })
  }

  /** @param {number[]} shapes */
  async copySVG(shapes) {
    if (await this.#documents.load()) this.#copy(() => navigator.clipboard.writeText(this.#picture(shapes)), 'SVG')
  }

  /** @param {number[]} shapes */
  async copyPNG(shapes) {
    if (!await this.#documents.load()) return
    // The picture is passed as a promise. If the page made the picture first, some browsers would no longer accept that
    // the person's click permits the copy.
    this.#copy(() => navigator.clipboard.write([new ClipboardItem({ 'image/png': pixels(this.#picture(shapes), pictureScale) })]), 'PNG')
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
    // The address is freed later, when the browser has begun to save the file.
    setTimeout(() => URL.revokeObjectURL(address), 10_000)
  }
}

/**
 * Says why a document can't be read, in words for people, because the core's words are for programmers.
 *
 * @param {string} message @param {string} what the document is called
 */
function readable(message, what) {
  if (message.startsWith('neither ')) return foreignWords(what)
  const [, list, place, member] = /^(square|shape)s\[(\d+)\]\.(\w+):/.exec(message) ?? []
  if (!list) return message
  const part = ['color', 'fill'].includes(member) ? 'colour' : member
  return `${capitalised(list)} ${Number(place) + 1} has ${/^[aeiou]/.test(part) ? 'an' : 'a'} ${part} that we can’t read.`
}

/**
 * The size of a picture in units of the canvas, taken from the picture's view box.
 *
 * @param {string} svg
 */
function sizeOf(svg) {
  const [width = 1, height = 1] = /viewBox="[^" ]+ [^" ]+ ([^" ]+) ([^" ]+)"/.exec(svg)?.slice(1).map(Number) ?? []
  return { width, height }
}

/** @param {{width: number, height: number}} size @param {number} wanted @returns {number} what a picture of that size can have */
const scaleFor = ({ width, height }, wanted) =>
  Math.min(wanted, pictureSideMax / width, pictureSideMax / height, Math.sqrt(picturePixelsMax / (width * height)))

/**
 * A picture as PNG, with `wanted` pixels for a unit of the canvas, or with fewer if the browser has a lower limit.
 *
 * @param {string} svg @param {number} wanted @returns {Promise<Blob>}
 */
async function pixels(svg, wanted) {
  const size = sizeOf(svg)
  // The picture gets a size of its own, because otherwise it would be drawn in the default size, 300 pixels wide.
  const sized = svg.replace('<svg ', `<svg width="${size.width}" height="${size.height}" `)
  const address = URL.createObjectURL(new Blob([sized], { type: 'image/svg+xml' }))
  try {
    const picture = new Image()
    picture.src = address
    await picture.decode()
    for (let scale = scaleFor(size, wanted); scale >= pictureScaleMin; scale /= 2) {
      const canvas = element('canvas', { width: Math.ceil(size.width * scale), height: Math.ceil(size.height * scale) })
      contextOf(canvas).drawImage(picture, 0, 0, canvas.width, canvas.height)
      /** @type {Blob | null} */
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
      if (blob) return blob
    }
    throw new Error('no picture')
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** @param {import('../core/types.js').Box} box @param {import('../core/types.js').Box} view */
const isWithin = (box, view) =>
  box.x >= view.x && box.y >= view.y && box.x + box.width <= view.x + view.width
  && box.y + box.height <= view.y + view.height
