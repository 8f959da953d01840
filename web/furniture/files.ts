import { capitalised, within } from '../basics/words.js'
import type { Core } from '../core/core.js'
import type { Box } from '../core/types.js'
import { contextOf } from '../drawing/context.js'
import { fitBeside } from '../drawing/surroundings.js'
import type { View } from '../drawing/view.js'
import { openDialog } from '../elements/dialog.js'
import { element } from '../elements/element.js'
import type { Documents } from '../state/documents.js'
import type { Editing } from '../state/editing.js'
import type { Notices } from '../state/notices.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'
import { addedBy } from '../tools/clipboard.js'
import type { Momentum } from '../tools/momentum.js'

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

/** @param what a file's name, or what it is */
const foreignWords = (what: string) => `${within(what)} isn’t a CanvasSync drawing.`

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

  constructor({ room, core, documents, editing, momentum, notices, selection, shown, view }: {
    room: string, core: Core, documents: Documents, editing: Editing, momentum: Momentum, notices: Notices,
    selection: Selection, shown: Shown, view: View,
  }) {
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

  async take(files: File[]) {
    for (const file of files) {
      if (file.size > bytesMax) this.#notices.say(`${file.name} is too large. Files can be up to 64 MB.`, { kind: 'refused' })
      else await this.#readFile(file)
    }
  }

  /** @param file a folder that is dropped looks like one, and can't be read */
  async #readFile(file: File) {
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
   * @param what what it is called
   */
  async read(text: string, what = 'This text') {
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

  /** @param shapes of the drawing; all of it unless given */
  async saveJSON(shapes?: number[]) {
    if (!await this.#documents.load()) return
    const { replica } = this.#shown
    this.#save(shapes ? replica.exportShapes(shapes) : replica.exportDrawing(), 'application/json', 'json', shapes)
  }

  /** @param shapes as for `saveJSON` */
  async saveSVG(shapes?: number[]) {
    if (await this.#documents.load()) this.#save(this.#picture(shapes), 'image/svg+xml', 'svg', shapes)
  }

  /** @param shapes as for `saveJSON` */
  async savePNG(shapes?: number[]) {
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
   * @param picture SVG
   * @returns pixels for a unit of the canvas, or null if no picture is wanted after all
   */
  #askForScale(picture: string): Promise<number | null> {
    const { width, height } = sizeOf(picture)
    return new Promise((resolve) => {
      let chosen: number | null = null
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

  async copySVG(shapes: number[]) {
    if (await this.#documents.load()) this.#copy(() => navigator.clipboard.writeText(this.#picture(shapes)), 'SVG')
  }

  async copyPNG(shapes: number[]) {
    if (!await this.#documents.load()) return
    // The picture is passed as a promise. If the page made the picture first, some browsers would no longer accept that
    // the person's click permits the copy.
    this.#copy(() => navigator.clipboard.write([new ClipboardItem({ 'image/png': pixels(this.#picture(shapes), pictureScale) })]), 'PNG')
  }

  async #copy(write: () => Promise<void>, what: string) {
    try {
      await write()
      this.#notices.say(`Copied as ${what}.`, { group: 'copied' })
    } catch {
      this.#notices.say(`This browser doesn’t let us copy a picture. Export the selection as ${what} instead.`, {
        kind: 'refused', group: 'copied',
      })
    }
  }

  /** @returns SVG */
  #picture(shapes?: number[]): string {
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

  #save(content: string | Blob, type: string, suffix: string, shapes?: number[]) {
    const address = URL.createObjectURL(new Blob([content], { type }))
    element('a', { href: address, download: `${this.#room}${shapes ? '-selection' : ''}.${suffix}` }).click()
    // The address is freed later, when the browser has begun to save the file.
    setTimeout(() => URL.revokeObjectURL(address), 10_000)
  }
}

/**
 * Says why a document can't be read, in words for people, because the core's words are for programmers.
 *
 * @param what the document is called
 */
function readable(message: string, what: string) {
  if (message.startsWith('neither ')) return foreignWords(what)
  const [, list, place, member] = /^(square|shape)s\[(\d+)\]\.(\w+):/.exec(message) ?? []
  if (!list) return message
  const part = ['color', 'fill'].includes(member) ? 'colour' : member
  return `${capitalised(list)} ${Number(place) + 1} has ${/^[aeiou]/.test(part) ? 'an' : 'a'} ${part} that we can’t read.`
}

/** The size of a picture in units of the canvas, taken from the picture's view box. */
function sizeOf(svg: string) {
  const [width = 1, height = 1] = /viewBox="[^" ]+ [^" ]+ ([^" ]+) ([^" ]+)"/.exec(svg)?.slice(1).map(Number) ?? []
  return { width, height }
}

/** @returns what a picture of that size can have */
const scaleFor = ({ width, height }: { width: number, height: number }, wanted: number): number =>
  Math.min(wanted, pictureSideMax / width, pictureSideMax / height, Math.sqrt(picturePixelsMax / (width * height)))

/** A picture as PNG, with `wanted` pixels for a unit of the canvas, or with fewer if the browser has a lower limit. */
async function pixels(svg: string, wanted: number): Promise<Blob> {
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
      const blob: Blob | null = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
      if (blob) return blob
    }
    throw new Error('no picture')
  } finally {
    URL.revokeObjectURL(address)
  }
}

const isWithin = (box: Box, view: Box) =>
  box.x >= view.x && box.y >= view.y && box.x + box.width <= view.x + view.width
  && box.y + box.height <= view.y + view.height
