import { Source } from '../basics/source.js'

/** A setting of this browser, which can be on or off. `change`: it was turned on or off. */
export class Setting extends Source<{ change: null }> {
  #key
  #isOn

  /**
   * @param key the key in `localStorage`
   * @param standard whether it is on before anybody has changed it
   */
  constructor(key: string, standard = true) {
    super()
    this.#key = key
    this.#isOn = remembered(key, standard)
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

function remembered(key: string, standard: boolean) {
  try {
    const kept = localStorage.getItem(key)
    return kept === null ? standard : kept !== 'off'
  } catch {
    return standard
  }
}
