import { element } from '../elements/element.js'
import { fitBeside } from '../drawing/surroundings.js'

/** What a file may have: more than any drawing, and less than stalls the page. */
const bytesMax = 64 << 20
/** As fine as a picture is wanted, and as large as browsers make one. */
const pictureScale = 2
const pictureSideMax = 8_192

/** Drawings in and out: files that are chosen or were dropped, and JSON, SVG and PNG to be saved. */
export class Files {
  #app

  /** @param {import('../state/app.js').App} app */
  constructor(app) { this.#app = app }

  // MARK: In

  /** Asks for files. */
  choose() {
    const input = element('input', { type: 'file', accept: '.json,application/json,text/plain', multiple: true })
    input.addEventListener('change', () => this.take([...input.files]))
    input.click()
  }

  /** @param {File[]} files */
  async take(files) {
    for (const file of files) {
      if (file.size > bytesMax) this.#app.say(`${file.name} is too large to be a drawing.`, { kind: 'refused' })
      else await this.read(await file.text(), file.name)
    }
  }

  /** A layout of squares or a drawing, where it says that it lies. */
  async read(text, name) {
    if (!/^\s*[{[]/.test(text)) {
      this.#app.say(`${name} is no drawing: neither a layout of squares nor what was saved here.`, { kind: 'refused' })
      return
    }
    if (!await this.#app.exchange()) return
    const effects = this.#app.edit((session) => session.importDocument(text))
    const added = effects?.find(({ type }) => type === 'added')?.shapes ?? []
    if (added.length === 0) return
    this.#app.selection.set(added)
    const box = this.#app.session.bounds(added)
    if (box && !isWithin(box, this.#app.view.visibleBox())) fitBeside(this.#app.view, box, 96, { now: performance.now() })
  }

  // MARK: Out

  async saveJSON() {
    if (await this.#app.exchange()) this.#save(this.#app.session.exportDrawing(), 'application/json', 'json')
  }

  async saveSVG() {
    if (await this.#app.exchange()) this.#save(this.#app.session.exportPicture(), 'image/svg+xml', 'svg')
  }

  async savePNG() {
    if (!await this.#app.exchange()) return
    const address = URL.createObjectURL(new Blob([this.#app.session.exportPicture()], { type: 'image/svg+xml' }))
    try {
      const picture = new Image()
      picture.src = address
      await picture.decode()
      const scale = Math.min(pictureScale, pictureSideMax / picture.width, pictureSideMax / picture.height)
      const canvas = element('canvas', {
        width: Math.max(1, Math.round(picture.width * scale)), height: Math.max(1, Math.round(picture.height * scale)),
      })
      canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height)
      const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
      if (!blob) throw new Error('no picture')
      this.#save(blob, 'image/png', 'png')
    } catch {
      this.#app.say('This browser can’t make a picture of that size. SVG has no bounds.', { kind: 'refused' })
    } finally {
      URL.revokeObjectURL(address)
    }
  }

  #save(content, type, suffix) {
    const address = URL.createObjectURL(new Blob([content], { type }))
    element('a', { href: address, download: `${this.#app.room}.${suffix}` }).click()
    // The browser has taken it up by then.
    setTimeout(() => URL.revokeObjectURL(address), 10_000)
  }
}

const isWithin = (box, view) =>
  box.x >= view.x && box.y >= view.y && box.x + box.width <= view.x + view.width
  && box.y + box.height <= view.y + view.height
