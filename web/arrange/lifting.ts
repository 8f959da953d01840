import type { Reach } from './reach.js'

/** The shapes that this person has lifted. They are drawn larger, and others see that they are lifted. */
export class Lifting {
  #scene
  #presence
  #lifted: number[] = []

  constructor({ scene, presence }: Pick<Reach, 'scene' | 'presence'>) {
    this.#scene = scene
    this.#presence = presence
  }

  lift(ids: number[]) {
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
