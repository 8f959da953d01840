import { sentence } from '../basics/words.js'
import { confirmed } from '../elements/dialog.js'
import { icon, iconButton } from '../elements/element.js'
import { menuOf, popover } from '../elements/popover.js'
import { ask, roomNameMax, workingMilliseconds } from '../network/address.js'

/** How many names are tried for a copy. */
const copiesMax = 50

/**
 * The button on a room's card that opens a menu with what can be done to the room.
 *
 * @param lineOf returns what the card says about the room
 * @param say gets what was done, or why it was not
 * @param changed is called when there is a room more or less
 */
export function roomMenu(
  room: string, { lineOf, say, changed }: { lineOf: () => string, say: (words: string) => void, changed: () => void },
) {
  const doing = (what: () => Promise<string>) => async () => {
    say(await what().catch((error) => sentence(error instanceof Refused ? error.message : 'We can’t reach the server')))
    changed()
  }
  const button = iconButton('more', `More for ${room}`, { class: 'small room-more' })
  const { content } = menuOf([
    { words: 'Duplicate', icon: icon('duplicate'), run: doing(() => duplicate(room)) },
    { words: 'Delete…', icon: icon('trash'), danger: true, run: async () => {
      const words = `${lineOf()}. The drawing and its history go for everybody, and nobody can bring them back.`
      if (await confirmed(`Delete ${room}?`, words, 'Delete room')) await doing(() => remove(room))()
    } },
  ], () => menu.close())
  const menu = popover(button, content, { role: 'menu', label: room })
  return button
}

/** The server has refused a request. The message says why. */
class Refused extends Error {}

async function answerOf(path: string, how: Parameters<typeof ask>[1] = {}) {
  const answer = await ask(path, { patience: workingMilliseconds, ...how })
  if (answer.ok) return answer
  const { error } = await answer.json().catch(() => ({}))
  throw new Refused(error?.message ?? `The server says ${answer.status}`)
}

/** Makes a room with a copy of the drawing. */
async function duplicate(room: string) {
  const drawing = await (await answerOf(`/v1/rooms/${room}`)).text()
  const name = await freeName(room)
  await answerOf(`/v1/rooms/${name}/layout`, { method: 'POST', body: drawing }).finally(() => claimed.delete(name))
  return `${room} is copied to ${name}.`
}

/** The names of copies that are being made. The server doesn't list these rooms yet. */
const claimed = new Set<string>()

/** A name that no room has of those that one may enter. */
async function freeName(room: string) {
  const { rooms }: { rooms: { room: string }[] } = await (await answerOf('/v1/rooms')).json()
  const taken = new Set(rooms.map(({ room }) => room))
  for (let count = 1; count <= copiesMax; count++) {
    const end = count === 1 ? '-copy' : `-copy-${count}`
    const name = room.slice(0, roomNameMax - end.length) + end
    if (taken.has(name) || claimed.has(name)) continue
    claimed.add(name)
    return name
  }
  throw new Refused(`There are ${copiesMax} copies of ${room} already`)
}

async function remove(room: string) {
  await answerOf(`/v1/rooms/${room}`, { method: 'DELETE' })
  return `${room} is deleted.`
}
