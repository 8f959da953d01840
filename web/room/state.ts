import type { Core } from '../core/core.js'
import type { Connection } from '../network/connection.js'
import type { Freshness } from '../network/freshness.js'
import { Documents } from '../state/documents.js'
import { Editing } from '../state/editing.js'
import { Frames } from '../state/frames.js'
import { Groups } from '../state/groups.js'
import { Locks } from '../state/locks.js'
import { Me } from '../state/me.js'
import { Names } from '../state/names.js'
import { Notices } from '../state/notices.js'
import { OwnTabs } from '../state/own-tabs.js'
import { Paint } from '../state/paint.js'
import { Parts } from '../state/parts.js'
import { Permission } from '../state/permission.js'
import { Play } from '../state/play.js'
import { Presence } from '../state/presence.js'
import { Refusals } from '../state/refusals.js'
import { Selection } from '../state/selection.js'
import { Shown } from '../state/shown.js'
import { Tool } from '../state/tool.js'
import { type Identity, rememberIdentity } from '../storage/identity.js'
import { bundle } from './bundle.js'

export type State = ReturnType<typeof makeState>

/** Makes the parts that hold the room's state, and that show nothing. */
export function makeState({ room, core, connection, freshness, identity, viewOnly }: {
  room: string, core: Core, connection: Connection, freshness: Freshness, identity: Identity, viewOnly: boolean,
}) {
  const frames = new Frames()
  const shown = new Shown(connection, frames)
  const permission = new Permission(connection, shown, viewOnly)
  const presence = new Presence(connection)
  const ownTabs = new OwnTabs(room, connection)
  const me = new Me(connection, identity)
  const names = new Names(shown, presence)
  const notices = new Notices()
  const parts = new Parts(freshness, notices)
  const documents = new Documents(core, parts)
  const editing = new Editing({ connection, shown, permission, notices, frames })
  const selection = new Selection(shown)
  const locks = new Locks({ shown, editing, notices })
  const groups = new Groups({ shown, selection, locks })
  const tool = new Tool(permission)
  const play = new Play()
  const paint = new Paint(play, me)
  const refusals = new Refusals(connection, notices, parts.later(
    () => bundle('/state/refusal-notices.js') as Promise<typeof import('../state/refusal-notices.js')>, (loaded) => loaded))
  selection.on('change', (ids) => presence.setSelection(ids))
  const tellWhetherHidden = () => presence.setHidden(document.hidden)
  document.addEventListener('visibilitychange', tellWhetherHidden)
  tellWhetherHidden()
  me.on('chosen', (chosen) => rememberIdentity({ ...chosen, isChosen: true }))
  return {
    room, core, connection, frames, shown, permission, presence, ownTabs, me, names, notices, freshness, parts,
    documents, editing, selection, locks, groups, tool, play, paint, refusals,
  }
}
