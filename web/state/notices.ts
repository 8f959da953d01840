import { Source } from '../basics/source.js'

interface NoticeOptions {
  kind?: 'quiet' | 'refused' | 'overlap'
  /** A notice replaces one of the same group that is still shown; the default is its text. */
  group?: string
  /** Without words it is what a click on the notice does. */
  action?: { words?: string, run: () => void }
  /** The notice is never cut off, however long it is. */
  isWhole?: boolean
  /** How long it is shown, where it isn't as long as others. */
  milliseconds?: number
}

export type Notice = { text: string } & NoticeOptions

/**
 * The page's notices to the person. Other parts decide where they are shown and how long. `withdrawn`: the notice of a
 * group is no longer true.
 */
export class Notices extends Source<{ notice: Notice, withdrawn: string }> {
  say(text: string, options: NoticeOptions = {}) { this.tell('notice', { text, ...options }) }

  withdraw(group: string) { this.tell('withdrawn', group) }
}
