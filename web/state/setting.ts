import { Source } from '../basics/source.js'

/** A setting of this browser, which is on by default. `change`: it was turned on or off. */
export class Setting extends Source<{ change: null }> {
  #key
  #isOn

  /** @param key the key in `localStorage` */
  constructor(key: string) {
    super()
    this.#key = key
    this.#isOn = remembered(key)
  }

  get isOn() { return this.#isOn }

  toggle() {
    this.#isOn = !this.#isOn
    try {
      localStorage.setItem(this.#key, this.#isOn ? 'on' : 'off')
    } catch {
      // If the setting can't be stored, it lasts as long as the page does.
    }
    this.tell('change', null)
  }
}

function remembered(key: string) {
  try {
    return localStorage.getItem(key) !== 'off'
  } catch {
    return true
  }
}
