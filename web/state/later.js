import { NewerPage } from '../network/freshness.js'

const missingWords = 'That needs a part of the page that can’t be loaded now. Try again when the server is there.'
const newerWords = 'The server has a newer page, and that needs a part of it. Reload the page; everything you drew is kept.'

/** Says that a part of the page is wanted and can't be had. @param {import('./app.js').App} app @param {Error} error */
export function sayMissing(app, error) {
  app.say(error instanceof NewerPage ? newerWords : missingWords, { kind: 'refused', group: 'missing' })
}

/**
 * A part of the page that nobody sees at first, loaded when it is first wanted.
 *
 * @template M, T
 * @param {import('./app.js').App} app
 * @param {() => Promise<M>} load
 * @param {(module: M) => T} [make] what is wanted of it; of a newer page's nothing is made
 * @returns {() => Promise<T | null>} nothing where it can't be loaded, which is said then; asked again, it is tried again
 */
export function later(app, load, make = (module) => module) {
  let part = null
  return async () => {
    part ??= load().then((module) => app.freshness.ofThisPage(module)).then(make)
    try {
      return await part
    } catch (error) {
      part = null
      sayMissing(app, error)
      return null
    }
  }
}
