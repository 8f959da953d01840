// core.wasm for JavaScript: the same code for merging, undo and geometry that the server runs. A page tells a replica
// what has happened, and carries out the effects that the replica returns.
//
//     const core = await loadCore(fetch('core.wasm'))
//     const replica = core.createReplica({ name: 'Ann', color: '#E4572E' })
//     run(replica.start())                       // [{ type: 'connect' }, …]
//     run(replica.received(bytes))               // [{ type: 'send', bytes }, …]
//     const { shapes, pairs } = replica.changes()  // once for every frame that is drawn
//
// A second module reads and makes documents, finds free places and translates JSON. It is loaded only when needed.
//
//     await core.loadExchange(fetch('exchange.wasm'))
//     const text = replica.exportDrawing()

import { encodingNumber, Replica } from './replica.js'
import type { Effect, ReplicaOptions } from './types.js'
import { helloBytes, readEffects } from './values.js'

const decoder = new TextDecoder()
const encoder = new TextEncoder()

function randomBits() {
  return crypto.getRandomValues(new BigUint64Array(1))[0]
}

/** Loads core.wasm from a response, a promise of a response, or bytes. */
export async function loadCore(
  source: Response | Promise<Response> | BufferSource, { seed = randomBits() }: { seed?: bigint } = {},
): Promise<Core> {
  return new Core(await instantiate(source), seed)
}

/** The functions that a module exports. Their arguments and results are numbers, or bigints for 64-bit integers. */
type Functions = Record<string, (...values: (number | bigint)[]) => number>

async function instantiate(source: Response | Promise<Response> | BufferSource): Promise<WebAssembly.Exports> {
  const given = await source
  const { instance } = await (given instanceof Response
    ? WebAssembly.instantiateStreaming(given, {}) : WebAssembly.instantiate(given, {}))
  return instance.exports
}

/**
 * Calls into one of the two WebAssembly modules. If a call traps, that is a bug, and the instance can't be used any
 * more: see `trapped`.
 *
 * Views of the module's memory are made for each call, because they become empty when the memory grows.
 */
class Module {
  #memory
  #trap = new AbortController()
  readonly exports

  constructor(exports: WebAssembly.Exports, seed: bigint) {
    const { memory } = exports
    if (!(memory instanceof WebAssembly.Memory)) throw new Error('this is not a module of the page')
    this.#memory = memory
    // The module exports its memory, and otherwise only functions.
    this.exports = guarded(exports as unknown as Functions, this.#trap)
    this.exports.seed(seed)
  }

  /** The size of the module's memory, in bytes. */
  get memoryBytes() { return this.#memory.buffer.byteLength }

  /**
   * A signal that is aborted when a call into the module has trapped. After that the module is not called any more,
   * because its memory might be corrupt.
   */
  get trapped() { return this.#trap.signal }

  /** @returns the number of bytes */
  write(bytes: Uint8Array): number {
    const start = this.exports.input(bytes.length)
    new Uint8Array(this.#memory.buffer, start, bytes.length).set(bytes)
    return bytes.length
  }

  /** @returns the number of bytes */
  writeText(text: string): number {
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    const start = this.exports.input(text.length * 3)
    const room = new Uint8Array(this.#memory.buffer, start, text.length * 3)
    return encoder.encodeInto(text, room).written ?? 0
  }

  /** @returns how many numbers were written */
  writeNumbers(numbers: ArrayLike<number>): number {
    const start = this.exports.input(numbers.length * 8)
    new Float64Array(this.#memory.buffer, start, numbers.length).set(numbers)
    return numbers.length
  }

  /** The bytes that the last call returned. They are valid until the next call. */
  bytes(length: number): Uint8Array {
    if (length < 0) throw new Error(decoder.decode(this.bytes(-1 - length)))
    return new Uint8Array(this.#memory.buffer, this.exports.output(), length)
  }

  /**
   * The numbers that the last call returned. They are valid until the next call.
   *
   * @param length in bytes
   */
  numbers(length: number): Float64Array {
    if (length < 0) this.bytes(length)
    return new Float64Array(this.#memory.buffer, this.exports.output(), length / 8)
  }

  text(length: number): string {
    return decoder.decode(this.bytes(length))
  }
}

/** Wraps a module's functions so that all of them throw after one has trapped. */
function guarded(functions: Functions, trap: AbortController): Functions {
  return Object.fromEntries(Object.entries(functions).filter(([, each]) => typeof each === 'function').map(([name, call]) => [
    name,
    (...values) => {
      trap.signal.throwIfAborted()
      try {
        return call(...values)
      } catch (error) {
        trap.abort(new Error('this page has stopped', { cause: error }))
        throw trap.signal.reason
      }
    },
  ]))
}

/** exchange.wasm. It keeps a copy of one drawing, the last one that it was given. */
class Exchange extends Module {
  /** The replica whose drawing was copied, and the drawing's revision when it was copied. */
  #taken: { owner: object, revision: number } | null = null

  /**
   * Copies the drawing that a replica shows into exchange.wasm, unless that drawing is there already.
   *
   * @param owner the replica
   */
  take(core: Core, handle: number, owner: object) {
    const revision = core.exports.revision(handle)
    if (owner === this.#taken?.owner && revision === this.#taken.revision) return
    this.bytes(this.exports.take(this.write(core.bytes(core.exports.state(handle)))))
    this.#taken = { owner, revision }
  }
}

/** core.wasm, and exchange.wasm once it is loaded. */
export class Core extends Module {
  #exchange: Exchange | null = null
  #seed

  constructor(exports: WebAssembly.Exports, seed: bigint) {
    super(exports, seed)
    this.#seed = seed
  }

  /** Loads exchange.wasm, which is needed for documents, for free places and for replicas that use JSON. */
  async loadExchange(source: Response | Promise<Response> | BufferSource): Promise<void> {
    this.#exchange = new Exchange(await instantiate(source), this.#seed)
  }

  get hasExchange() { return this.#exchange !== null }

  /** How many names in the last document contained invisible characters, which were removed. */
  get cleanedNames() { return this.exchange.exports.cleanedNames() }

  get exchange(): Exchange {
    if (!this.#exchange) throw new Error('exchange.wasm is not loaded yet')
    return this.#exchange
  }

  createReplica(options: ReplicaOptions = {}): Replica {
    const count = this.write(helloBytes(options))
    const length = this.exports.createSession(count, encodingNumber(options), options.seed ?? randomBits())
    return new Replica(this, this.numbers(length)[0], options)
  }

  /**
   * Makes a replica that continues from the state that `Replica.save` returned.
   *
   * @param saved one actor's edits; null makes a new actor, whose replica begins with `drawing`
   * @param drawing saved by any replica of the room; it replaces the drawing in `saved`
   */
  restoreReplica(saved: Uint8Array | null, options: ReplicaOptions = {}, drawing: Uint8Array | null = null): Replica {
    const parts = [helloBytes(options), saved ?? new Uint8Array(), drawing ?? new Uint8Array()]
    const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
    parts.reduce((at, part) => {
      all.set(part, at)
      return at + part.length
    }, 0)
    this.write(all)
    const length = this.exports.restoreSession(
      ...parts.map((part) => part.length), encodingNumber(options), options.seed ?? randomBits())
    return new Replica(this, this.numbers(length)[0], options)
  }

  effects(length: number): Effect[] { return length === 0 ? [] : readEffects(this.bytes(length)) }
}
