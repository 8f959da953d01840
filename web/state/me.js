import { Source } from '../basics/source.js'

/**
 * The name and colour that the others see. `change` tells when the person chooses others.
 *
 * @extends {Source<{change: {name: string, color: string}}>}
 */
export class Me extends Source {
  #connection
  #name
  #color

  /** @param {import('../network/connection.js').Connection} connection @param {{name: string, color: string}} identity */
  constructor(connection, { name, color }) {
    super()
    this.#connection = connection
    this.#name = name
    this.#color = color
  }

  get name() { return this.#name }
  get color() { return this.#color }

  /** @param {{name: string, color: string}} identity */
  become({ name, color }) {
    this.#name = name
    this.#color = color
    this.#connection.perform(this.#connection.replica.introduce({ name, color }))
    this.tell('change', { name, color })
  }
}
