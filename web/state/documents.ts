import { Source } from '../basics/source.js'
import type { Core } from '../core/core.js'
import { ask } from '../network/address.js'
import type { Parts } from './parts.js'

/**
 * Loads the core's second module, which reads and makes documents and finds free places. `ready`: the module is loaded.
 */
export class Documents extends Source<{ ready: null }> {
  #core
  #part

  constructor(core: Core, parts: Parts) {
    super()
    this.#core = core
    this.#part = parts.later(() => bytesAt('/exchange.wasm'), async (bytes) => {
      await core.loadExchange(bytes)
      this.tell('ready', null)
      return true
    })
  }

  /** Whether the module is loaded, so that documents can be read and made without waiting. */
  get isReady() { return this.#core.hasExchange }

  /**
   * Loads the module without a notice if that fails.
   *
   * @returns whether it is loaded
   */
  async prepare(): Promise<boolean> { return await this.#part.prepare() ?? false }

  /**
   * Loads the module, and shows a notice if that fails.
   *
   * @returns whether it is loaded
   */
  async load(): Promise<boolean> { return await this.#part.get() ?? false }
}

async function bytesAt(path: string) {
  const answer = await ask(path)
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return answer.arrayBuffer()
}
