import { Source } from '../basics/source.js'

/**
 * A setting of this browser that is on or off, and on until somebody turns it off. `change`: the setting was turned on
 * or off.
 */
export class Setting extends Source<{ change: null }> {
  #key
  #isOn

  /** @param key under which the browser keeps it */
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
