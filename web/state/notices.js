import { Source } from '../basics/source.js'

/**
 * @typedef {object} NoticeOptions
 * @property {'quiet' | 'refused' | 'overlap'} [kind]
 * @property {string} [group] a notice replaces one of the same group that is still shown; the default is its text
 * @property {{words?: string, run: () => void}} [action] without words it is what a click on the notice does
 * @property {boolean} [isWhole] the notice is never cut off, however long it is
 * @property {number} [milliseconds] how long it is shown, where it isn't as long as others
 */

/** @typedef {{text: string} & NoticeOptions} Notice */

/**
 * The page's notices to the person. Other parts decide where they are shown and how long. `withdrawn`: the notice of a
 * group is no longer true.
 *
 * @extends {Source<{notice: Notice, withdrawn: string}>}
 */
export class Notices extends Source {
  /** @param {string} text @param {NoticeOptions} [options] */
  say(text, options = {}) { this.tell('notice', { text, ...options }) }

  /** @param {string} group */
  withdraw(group) { this.tell('withdrawn', group) }
}
