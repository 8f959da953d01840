/** Shapes that a hand has lifted: drawn larger here, and shown as lifted to the others. */
export class Lifting {
  #scene
  #presence
  /** @type {number[]} */
  #lifted = []

  /** @param {Pick<import('./reach.js').Reach, 'scene' | 'presence'>} reach */
  constructor({ scene, presence }) {
    this.#scene = scene
    this.#presence = presence
  }

  /** @param {number[]} ids */
  lift(ids) {
    for (const id of ids) this.#scene.lift(id)
    this.#presence.setLifted(ids)
    this.#lifted = ids
  }

  lower() {
    for (const id of this.#lifted) this.#scene.lower(id)
    this.#presence.setLifted([])
    this.#lifted = []
  }
}
