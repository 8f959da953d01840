import { watchFreshness } from '../bars/newer-page.js'
import { Status } from '../bars/status.js'
import { elementById } from '../elements/element.js'
import { nameMark, readAddress } from '../network/address.js'
import { Connection, openSocket } from '../network/connection.js'
import { Freshness } from '../network/freshness.js'
import { Pulse } from '../network/pulse.js'
import { keepDistinct } from '../others/distinction.js'
import { welcome } from '../others/welcome.js'
import { placeFor } from '../storage/claims.js'
import { rememberedIdentity } from '../storage/identity.js'
import { claimEdits, Keeper, openReplica, watchTabs } from '../storage/keeper.js'
import { makeBars } from './bars.js'
import { bundle } from './bundle.js'
import { makeDrawing } from './drawing.js'
import { makeHands } from './hands.js'
import { openCore } from './opening.js'
import { makeState } from './state.js'

// The script of a room's page. It makes all parts of the page, and gives each the parts that it needs.

const address = readAddress()
// This address names no room. The server has no page for it, but the service worker opens the stored page at any
// address.
if (address.room === null) location.replace('/')
else openRoom(address.room, address)

async function openRoom(room: string, { viewOnly, token }: { viewOnly: boolean, token: string | null }) {
  const identity = rememberedIdentity()
  wear(identity)
  document.title = `${room} · CanvasSync`

  // The page's own version is asked for first: a server that is started again while the core is loading can have another.
  const freshness = new Freshness()
  // The socket is opened while the core is still loading, so that the room's state arrives as early as possible.
  const socket = openSocket({ room, token })
  const core = await openCore()
  const options = { name: identity.name, color: identity.color, readonly: viewOnly }
  const { replica, place, leftBehind } = await openReplica(core, room, options)
  const connection = new Connection(replica, { room, token }, socket)
  core.trapped.addEventListener('abort', () => connection.stop())
  const pulse = new Pulse(connection)
  const state = makeState({ room, core, connection, freshness, identity, viewOnly })
  const { me } = state
  me.on('change', wear)
  keepDistinct(state)
  const stage = elementById('stage')
  const hands = makeHands(stage, { ...state, ...makeDrawing(stage, state) })
  // When the page is hidden, the hands finish their edits. The keeper hears of that after them, so it stores these too.
  const keeper = viewOnly ? null : new Keeper(state, place)
  const status = new Status(connection, pulse, state.permission, keeper)
  const { actions, states, askForName } = makeBars(stage, hands, status)

  if (room.includes(nameMark)) showName(room)

  // Sends the edits that closed tabs have left, and enters the room.

  if (!viewOnly) {
    watchTabs(connection, room, leftBehind > 0, state.parts.later(
      () => bundle('/storage/couriers.js') as Promise<typeof import('../storage/couriers.js')>,
      ({ Couriers }) => new Couriers({ ...state, options: () => ({ name: me.name, color: me.color }), claimEdits, placeFor })))
  }
  welcome({ ...hands, askForName }, stage)
  pulse.on('slow', () => state.notices.say(
    'Your connection is slow. Others see your changes late, and you theirs.'))
  state.frames.request()
  if (socket.readyState > WebSocket.OPEN) freshness.connectionLost()
  connection.start()
  watchFreshness({ ...state, states, keeper })

  // The browser's console and the tests use this.
  Object.assign(globalThis, { canvasRoom: { ...hands, actions } })
}

/** Shows the name of a room that is written with other characters than the server's. */
async function showName(room: string) {
  const names = await (bundle('/network/room-names.js') as Promise<typeof import('../network/room-names.js')>).catch(() => null)
  const name = names?.shownName(room) ?? room
  document.title = `${name} · CanvasSync`
  Object.assign(elementById('room-name'), { textContent: name, title: name })
}

/** Shows the person's own colour in the page's controls. */
function wear({ color }: { color: string }) {
  document.documentElement.style.setProperty('--me', color)
}
