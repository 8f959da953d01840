import { Source } from '../basics/source.js'
import { ask } from '../network/address.js'

/**
 * The core's second module, which reads and makes documents and finds free places. `ready`: the module is loaded.
 *
 * @extends {Source<{ready: null}>}
 */
export class Documents extends Source {
  #core
  #part

  /** @param {import('../core/core.js').Core} core @param {import('./parts.js').Parts} parts */
  constructor(core, parts) {
    super()
    this.#core = core
    this.#part = parts.later(() => bytesAt('/exchange.wasm'), async (bytes) => {
      await core.loadExchange(bytes)
      this.tell('ready', null)
      return true
    })
  }

  /** Whether documents can be read and made without waiting. */
  get isReady() { return this.#core.hasExchange }

  /**
   * Loads the module, and returns whether that succeeded.
   *
   * @returns {Promise<boolean>} whether it is there now
   */
  async prepare() { return await this.#part.prepare() ?? false }

  /**
   * Loads the module, and shows a notice if that fails.
   *
   * @returns {Promise<boolean>} whether it is there now
   */
  async load() { return await this.#part.get() ?? false }
}

/** @param {string} path */
async function bytesAt(path) {
  const answer = await ask(path)
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return answer.arrayBuffer()
}
