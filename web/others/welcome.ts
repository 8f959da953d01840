// What happens when a room opens: where the view begins, and what the person is told about their name.

import { within } from '../basics/words.js'
import { fitBeside } from '../canvas/surroundings.js'
import type { View } from '../canvas/view.js'
import type { Connection } from '../network/connection.js'
import type { Me } from '../state/me.js'
import type { Notices } from '../state/notices.js'
import type { Permission } from '../state/permission.js'
import type { Shown } from '../state/shown.js'
import type { Tool } from '../state/tool.js'
import { rememberedIdentity, rememberIdentity } from '../storage/identity.js'

/**
 * Shows the whole drawing, unless the person has already moved the view. Chooses the select tool if there is a drawing.
 * Tells the person the name that others see.
 */
export function welcome(
  { connection, shown, permission, notices, tool, view, me, askForName }: {
    connection: Connection, shown: Shown, permission: Permission, notices: Notices, tool: Tool, view: View, me: Me,
    askForName: () => unknown,
  },
  stage: HTMLElement,
) {
  let isUntouched = true
  let isViewUntouched = true
  let isToolUntouched = true
  tool.on('change', () => { isToolUntouched = false })
  view.on('hand', () => { isViewUntouched = false })
  stage.addEventListener('pointerdown', () => { isUntouched = false }, { once: true })
  const begin = () => {
    const box = shown.replica.bounds()
    // If there are shapes, the select tool is chosen. With the drawing tool, an accidental drag would add a shape.
    if (isUntouched && isToolUntouched && box) tool.choose('select')
    if (isUntouched && isViewUntouched && box) fitBeside(view, box, 72)
  }
  const isKept = shown.replica.shapeCount > 0
  if (isKept) begin()
  const stop = connection.on('effect', (effect) => {
    if (effect.type !== 'state' || effect.state !== 'live') return
    stop()
    if (!isKept) begin()
    // The person may have chosen a name meanwhile.
    const identity = rememberedIdentity()
    if (identity.isChosen || identity.isTold || permission.isViewOnly) return
    rememberIdentity({ ...identity, isTold: true })
    notices.say(`You’re ${within(me.name)}.`, {
      group: 'name', action: { words: 'Change name', run: askForName },
    })
  })
}
