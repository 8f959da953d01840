import { Source } from '../basics/source.js'
import type { Connection } from '../network/connection.js'

/**
 * The name and colour that others see. `change`: one of them has changed. `chosen`: the person has chosen one of them.
 */
export class Me extends Source<{ change: { name: string, color: string }, chosen: {
  name: string, color: string, isColorChosen: boolean,
} }> {
  #connection
  #name
  #color
  #isColorChosen
  /** The colour to store. A colour that is used in one room only is not stored. */
  #rememberedColor

  constructor(
    connection: Connection, { name, color, isColorChosen }: { name: string, color: string, isColorChosen: boolean },
  ) {
    super()
    this.#connection = connection
    this.#name = name
    this.#color = color
    this.#isColorChosen = isColorChosen
    this.#rememberedColor = color
  }

  get name() { return this.#name }
  get color() { return this.#color }

  /** Whether the person has chosen the colour. Otherwise the page has chosen it. */
  get isColorChosen() { return this.#isColorChosen }

  /** @param identity the name and colour that the person has chosen */
  become({ name, color }: { name: string, color: string }) {
    if (color !== this.#color) {
      this.#isColorChosen = true
      this.#rememberedColor = color
    }
    this.#introduce(name, color)
    this.tell('chosen', { name, color: this.#rememberedColor, isColorChosen: this.#isColorChosen })
  }

  /** Changes the colour for this visit, without storing it. */
  wear(color: string) { this.#introduce(this.#name, color) }

  #introduce(name: string, color: string) {
    const isRenamed = name !== this.#name
    this.#name = name
    this.#color = color
    this.#connection.perform(this.#connection.replica.introduce({ name, color }))
    if (isRenamed && this.#connection.isHelloRefused) this.#connection.start()
    this.tell('change', { name, color })
  }
}
