import { addedBy } from '../arrange/duplicating.js'
import type { Momentum } from '../arrange/momentum.js'
import { capitalised, within } from '../basics/words.js'
import { contextOf } from '../canvas/context.js'
import { fitBeside } from '../canvas/surroundings.js'
import type { View } from '../canvas/view.js'
import type { Core } from '../core/core.js'
import { properties } from '../core/table.js'
import type { Box } from '../core/types.js'
import { openDialog } from '../elements/dialog.js'
import { element } from '../elements/element.js'
import { shownName } from '../network/room-names.js'
import type { Documents } from '../state/documents.js'
import type { Editing } from '../state/editing.js'
import type { Notices } from '../state/notices.js'
import type { Selection } from '../state/selection.js'
import type { Shown } from '../state/shown.js'

/**
 * The upper bound on the size of a file, because reading a file blocks the page. Only drawings with millions of points of
 * ink are larger: a room that is full of ink can have 112 MB as a document.
 */
const bytesMax = 64 << 20
/** The scales between which a person can choose for a saved picture, in pixels for a unit of the canvas. */
const pictureScales = [1, 2, 4]
/** The scale of a copied picture. */
const pictureScale = 2
/**
 * The longest side of a picture that all browsers can make. A browser may also limit the number of pixels. If a picture
 * exceeds that limit, the page tries half the scale.
 */
const pictureSideMax = 16_384
/**
 * The upper bound on a picture's pixels. A pixel takes four bytes, so without a bound a picture of two distant shapes
 * could take a gigabyte.
 */
const picturePixelsMax = 1 << 26
const pictureScaleMin = 1 / 64

const tooLargeWords = 'This drawing is too large for a PNG. Export it as SVG instead.'

/** @param what a file name, or words such as “This text” */
const foreignWords = (what: string) => `${within(what)} isn’t a CanvasSync drawing.`

/**
 * Reads and writes drawings. It reads files that the person chooses or drops. It saves and copies JSON, SVG and PNG.
 */
export class Files {
  /** The room’s name as people read it. */
  #name
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
    this.#name = shownName(room)
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

  /** @param file can be a folder, because a dropped folder looks like a file; it can't be read */
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
   * @param what the document's name for messages
   */
  async read(text: string, what = 'This text') {
    if (!/^\s*[{[]/.test(text)) {
      this.#notices.say(foreignWords(what), { kind: 'refused' })
      return
    }
    if (!await this.#documents.load()) return
    this.#momentum.settleAll()
    const effects = this.#editing.edit((replica) => {
      try {
        return replica.importDocument(text)
      } catch (error) {
        throw new Error(readable(messageOf(error), what))
      }
    })
    if (!effects) return
    const added = addedBy(effects)
    if (added.length === 0) {
      this.#notices.say(`${within(what)} has no shapes.`, { kind: 'refused' })
      return
    }
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

  /** @param shapes to save; all shapes if it is left out */
  async saveJSON(shapes?: number[]) {
    if (!await this.#documents.load()) return
    const { replica } = this.#shown
    this.#save(shapes ? replica.exportShapes(shapes) : replica.exportDrawing(), 'application/json', 'json', shapes)
  }

  /** @param shapes to save; all shapes if it is left out */
  async saveSVG(shapes?: number[]) {
    const picture = await this.#picture(shapes)
    if (picture !== null) this.#save(picture, 'image/svg+xml', 'svg', shapes)
  }

  /** @param shapes as for `saveJSON` */
  async savePNG(shapes?: number[]) {
    const picture = await this.#picture(shapes)
    if (picture === null) return
    const scale = await this.#askForScale(picture)
    if (scale === null) return
    try {
      this.#save(await pixels(picture, scale), 'image/png', 'png', shapes)
    } catch {
      this.#notices.say(tooLargeWords, { kind: 'refused' })
    }
  }

  /**
   * Lets the person choose the scale.
   *
   * @param picture SVG
   * @returns pixels for a unit of the canvas, or null if the person has cancelled
   */
  #askForScale(picture: string): Promise<number | null> {
    const bounds = sizeOf(picture)
    // Scales that would be larger than a picture may be are the largest one.
    const scales = new Set(pictureScales.map((scale) => scaleFor(bounds, scale)))
    return new Promise((resolve) => {
      let chosen: number | null = null
      const dialog = openDialog('Picture size', element('div', { class: 'row' }, [...scales].map((scale) => {
        const [width, height] = [bounds.width, bounds.height].map((side) => Math.ceil(side * scale).toLocaleString('en'))
        const isUsual = scale === scaleFor(bounds, pictureScale)
        return element('button', {
          type: 'button', class: `button grow${isUsual ? ' primary' : ''}`, autofocus: isUsual,
          onclick: () => { chosen = scale; dialog.close() },
        }, element('span', { class: 'picture-size' }, element('strong', {}, `${Number(scale.toPrecision(2))}×`),
          element('span', { class: 'small-text' }, `${width} × ${height}`)))
      })))
      dialog.addEventListener('close', () => resolve(chosen))
    })
  }

  async copySVG(shapes: number[]) {
    const picture = await this.#picture(shapes)
    if (picture !== null) this.#copy(() => navigator.clipboard.writeText(picture), 'SVG')
  }

  async copyPNG(shapes: number[]) {
    const picture = await this.#picture(shapes)
    if (picture === null) return
    // The picture is passed as a promise, because the copy must begin while the browser handles the person's click.
    this.#copy(() => navigator.clipboard.write([new ClipboardItem({ 'image/png': pixels(picture, pictureScale) })]), 'PNG')
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

  /** @returns SVG; null if there can't be a picture of these shapes, and the person was told why */
  async #picture(shapes?: number[]): Promise<string | null> {
    if (!await this.#documents.load()) return null
    const { replica } = this.#shown
    if (!shapes) return replica.exportPicture(this.#name)
    const part = this.#core.createReplica()
    try {
      part.importDocument(replica.exportShapes(shapes))
      return part.exportPicture()
    } catch (error) {
      this.#notices.say(`We can’t make a picture of the selection: ${messageOf(error)}.`, { kind: 'refused' })
      return null
    } finally {
      part.destroy()
    }
  }

  #save(content: string | Blob, type: string, suffix: string, shapes?: number[]) {
    const address = URL.createObjectURL(new Blob([content], { type }))
    element('a', { href: address, download: `${this.#name}${shapes ? '-selection' : ''}.${suffix}` }).click()
    // The address is revoked after a delay, because the browser needs it until it has begun to save the file.
    setTimeout(() => URL.revokeObjectURL(address), 10_000)
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * The reason why a document can't be read, in words for people. The core's messages are for programmers.
 *
 * @param what the document's name
 */
function readable(message: string, what: string) {
  if (message.startsWith('neither ')) return foreignWords(what)
  if (message.startsWith('more than ')) return `${within(what)} has ${message}.`
  const [, mistake, byte] = /^(.+) at byte (\d+)$/.exec(message) ?? []
  if (mistake) return `${within(what)} has a mistake at byte ${byte}: ${mistake}.`
  const [, list, place, member] = /^(square|shape)s(?:\[(\d+)\](?:\.(\w+))?)?:/.exec(message) ?? []
  if (!list) return message
  if (!place) return foreignWords(what)
  const shape = `${list} ${Number(place) + 1}`
  return member ? `${capitalised(shape)} has ${partWords(member)} that we can’t read.` : `We can’t read ${shape}.`
}

/** What a person calls a member of a document's shape, with its article: a field has the inspector's name. */
function partWords(member: string) {
  if (['color', 'colour', 'fill'].includes(member)) return 'a colour'
  const label = properties.find(({ name, parts }) => name === member || parts.some((part) => part === member))?.inspector?.label
  return label ? `a value for “${label}”` : 'a value'
}

/** The size of a picture in units of the canvas, from its `viewBox`. */
function sizeOf(svg: string) {
  const [width = 1, height = 1] = /viewBox="[^" ]+ [^" ]+ ([^" ]+) ([^" ]+)"/.exec(svg)?.slice(1).map(Number) ?? []
  return { width, height }
}

/** The largest scale that is allowed for a picture of this size, and at most `wanted`. */
const scaleFor = ({ width, height }: { width: number, height: number }, wanted: number): number =>
  Math.min(wanted, pictureSideMax / width, pictureSideMax / height, Math.sqrt(picturePixelsMax / (width * height)))

/** Makes a PNG with `wanted` pixels for a unit of the canvas, or with fewer if the browser has a lower limit. */
async function pixels(svg: string, wanted: number): Promise<Blob> {
  const size = sizeOf(svg)
  // Without `width` and `height`, browsers would draw the picture 300 pixels wide.
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
