import { Source } from '../basics/source.js'

interface NoticeOptions {
  kind?: 'quiet' | 'refused' | 'overlap'
  /** A notice replaces a visible one of the same group. The default group is the notice's text. */
  group?: string
  /**
   * Without `words` there is no button, and a click on the notice runs the action. If `run` returns false, the notice
   * stays: it may hold the only copy of a text.
   */
  action?: { words?: string, run: () => unknown }
  /** Whether the notice must not be shortened. */
  isWhole?: boolean
  /**
   * The text of which the notice may hold the only copy. The notice stays until the person dismisses it. After a reload it
   * is there again, and offers to copy the text.
   */
  holds?: string
  /** Whether no other notice takes its place: it offers what can't be had otherwise. */
  isKept?: boolean
  /** How long the notice is shown, if not as long as others. */
  milliseconds?: number
}

export type Notice = { text: string } & NoticeOptions

/**
 * Passes notices to the parts of the page that show them to the person. `withdrawn`: the notice of a group no longer
 * applies.
 */
export class Notices extends Source<{ notice: Notice, withdrawn: string }> {
  say(text: string, options: NoticeOptions = {}) { this.tell('notice', { text, ...options }) }

  /**
   * The action that copies a text which the drawing doesn't take. There is none if the browser gives no access to the
   * clipboard.
   */
  copying(text: string): NoticeOptions['action'] {
    const { clipboard } = navigator
    return clipboard && { words: 'Copy the text', run: () => clipboard.writeText(text).then(
      () => this.say('Copied.'),
      () => this.say(`We can’t copy it, so here it is: “${text}”`, { kind: 'refused', isWhole: true, holds: text })) }
  }

  withdraw(group: string) { this.tell('withdrawn', group) }
}
