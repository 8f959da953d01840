/** What is said where a part of the page is wanted and can't be had. */
export const missingWords =
  'That needs a part of the page that can’t be loaded now. Try again when the server is there.'

/**
 * A part of the page that nobody sees at first, loaded when it is first wanted.
 *
 * @template T
 * @param {import('./app.js').App} app
 * @param {() => Promise<T>} load
 * @returns {() => Promise<T | null>} nothing where it can't be loaded, which is said then; asked again, it is tried again
 */
export function later(app, load) {
  let part = null
  return async () => {
    part ??= load()
    try {
      return await part
    } catch {
      part = null
      app.say(missingWords, { kind: 'refused', group: 'missing' })
      return null
    }
  }
}
