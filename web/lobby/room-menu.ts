import { sentence } from '../basics/words.js'
import { confirmed } from '../elements/dialog.js'
import { icon, iconButton } from '../elements/element.js'
import { menuOf, popover } from '../elements/popover.js'
import { roomNameMax } from '../network/address.js'
import { serverName, shownName } from '../network/room-names.js'
import { askForName, rename, roomsIfNobodyIsIn } from './renaming.js'
import { answerOf, copyTo, Refused, roomsOf } from './requests.js'

/** How many names are tried for a copy. */
const copiesMax = 50

/**
 * The button on a room's card that opens a menu with what can be done to the room.
 *
 * @param lineOf returns what the card says about the room
 * @param say gets what was done, or why it was not
 * @param changed looks again at the rooms
 * @param hasUnsent whether this browser has changes of the room that were never sent
 */
export function roomMenu(
  room: string, { lineOf, say, changed, hasUnsent, forgetUnsent }: {
    lineOf: () => string, say: (words: string) => void, changed: () => Promise<void>, hasUnsent: () => boolean, forgetUnsent: () => void,
  },
) {
  const doing = (what: () => Promise<string>) => async () => {
    say(await what().catch((error) => sentence(error instanceof Refused ? error.message : 'We can’t reach the server')))
    changed()
  }
  const name = shownName(room)
  const button = iconButton('more', `More for ${name}`, { class: 'small room-more' })
  const { content, refresh } = menuOf([
    { words: 'Rename…', icon: icon('pen'), run: doing(async () => {
      await roomsIfNobodyIsIn(room)
      const to = await askForName(room)
      return to === null ? '' : rename(room, to)
    }) },
    { words: 'Duplicate', icon: icon('duplicate'), run: doing(() => duplicate(room)) },
    { words: 'Forget what was not sent…', icon: icon('trash'), isShown: hasUnsent, run: forgetUnsent },
    { words: 'Delete…', icon: icon('trash'), danger: true, run: doing(async () => {
      const before = await listed(room)
      // The card has not changed while its menu was open.
      await changed()
      const asks = (news: string) => confirmed(
        `Delete ${name}?`, `${news}. The drawing and its history go for everybody, and nobody can bring them back.`, 'Delete room')
      if (!await asks(lineOf())) return ''
      const now = await listed(room)
      const isNews = now && (now.cursor !== before?.cursor || now.peers > before.peers)
      if (isNews && !await asks('Somebody came or drew in it meanwhile')) return ''
      return remove(room)
    }) },
  ], () => menu.close())
  const menu = popover(button, content, { role: 'menu', label: name, onOpen: refresh })
  return button
}

/** What the server's list says about a room now. */
const listed = async (room: string) => (await roomsOf()).find((other) => other.room === room)

/** Makes a room with a copy of the drawing. */
async function duplicate(room: string) {
  const name = await freeName(room)
  await copyTo(room, name).finally(() => claimed.delete(name))
  return `${shownName(room)} is copied to ${shownName(name)}.`
}

/** The names of copies that are being made. The server doesn't list these rooms yet. */
const claimed = new Set<string>()

/** A name that no room has of those that one may enter. */
async function freeName(room: string) {
  const taken = new Set((await roomsOf()).map(({ room }) => room))
  for (let count = 1; count <= copiesMax; count++) {
    const name = nameOfCopy(room, count)
    if (taken.has(name) || claimed.has(name)) continue
    claimed.add(name)
    return name
  }
  throw new Refused(`There are ${copiesMax} copies of ${shownName(room)} already`)
}

/** The name of a copy, cut if it would be too long. */
function nameOfCopy(room: string, count: number): string {
  const words = shownName(room)
  const gap = words === room ? '-' : ' '
  const end = count === 1 ? `${gap}copy` : `${gap}copy${gap}${count}`
  for (let letters = Array.from(words).slice(0, roomNameMax - end.length); ; letters.pop()) {
    const name = serverName(letters.join('') + end)
    if (name !== null) return name
  }
}

async function remove(room: string) {
  await answerOf(`/v1/rooms/${room}`, { method: 'DELETE' })
  return `${shownName(room)} is deleted.`
}
