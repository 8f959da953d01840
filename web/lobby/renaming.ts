import { openDialog } from '../elements/dialog.js'
import { element } from '../elements/element.js'
import { isReadable, serverName, shownName } from '../network/room-names.js'
import { inTime, keptRooms } from '../storage/database.js'
import { answerOf, copyTo, Refused, roomsOf } from './requests.js'

/**
 * Asks for a room's new name.
 *
 * @returns the name by which the server shall know it; null if the person has given up
 */
export function askForName(room: string): Promise<string | null> {
  const name = shownName(room)
  const field: HTMLInputElement = element('input', {
    class: 'field large', value: name, id: 'new-room-name', autocomplete: 'off', spellcheck: 'false', maxlength: '64', autofocus: true,
    oninput: () => field.setCustomValidity(''),
  })
  return new Promise((resolve) => {
    let answer: string | null = null
    const form = element('form', { class: 'rename', onsubmit: (event) => {
      event.preventDefault()
      answer = serverName(field.value)
      field.setCustomValidity(answer === null ? unusableWords(field.value) : '')
      if (field.reportValidity()) dialog.close()
    } },
    element('label', { for: 'new-room-name', class: 'visually-hidden' }, 'New name'), field,
    element('p', { class: 'small-text quiet' },
      'The drawing moves to a room of the new name. Its history doesn’t, and links to the old name no longer lead to it.'),
    element('div', { class: 'row dialog-buttons' },
      element('button', { type: 'button', class: 'button', onclick: () => dialog.close() }, 'Cancel'),
      element('button', { type: 'submit', class: 'button primary' }, 'Rename')))
    const dialog = openDialog(`Rename ${name}`, form)
    field.select()
    dialog.addEventListener('close', () => resolve(answer))
  })
}

/** Why a name can't be a room's. */
export const unusableWords = (typed: string) => (typed.trim() === '' ? 'Please type a name.'
  : !isReadable(typed) ? 'Please choose a name without invisible characters.' : 'Please choose a shorter name.')

/** Refuses to rename a room while somebody is in it. Otherwise returns all rooms. */
export async function roomsIfNobodyIsIn(room: string) {
  const rooms = await roomsOf()
  if (!rooms.some((other) => other.room === room && other.peers > 0)) return rooms
  throw new Refused(`Somebody is in ${shownName(room)} now. Rename it once they have left`)
}

/**
 * Moves a room's drawing, and its lock, to a room of another name. Nothing is deleted before the copy is stored, nor
 * while somebody is in the room or has edits for it that aren't sent.
 *
 * @returns what was done
 */
export async function rename(room: string, to: string): Promise<string> {
  const [name, newName] = [shownName(room), shownName(to)]
  if (to === room) return `${name} keeps its name.`
  const rooms = await roomsIfNobodyIsIn(room)
  if (rooms.some((other) => other.room === to)) throw new Refused(`There is a room ${newName} already`)
  const kept = await inTime(keptRooms()).catch(() => {
    throw new Refused('This browser can’t say whether it has changes that aren’t sent')
  })
  if (kept.some((other) => other.room === room && other.unsent > 0)) {
    throw new Refused(`This browser has changes of ${name} that aren’t sent yet. Open it first`)
  }
  const copied = await copyTo(room, to)
  try {
    // A lock ends with its room.
    const { locked } = await (await answerOf(`/v1/rooms/${room}/peers`)).json()
    if (locked) await answerOf(`/v1/rooms/${to}/lock`, { method: 'PUT' })
    // The server can't delete a room on a condition, so both rooms are looked at once more, together and right before.
    const listed = new Map((await roomsOf()).map((each) => [each.room, each]))
    const [before, after] = [listed.get(room), listed.get(to)]
    if (before?.cursor !== copied.original) return `Somebody drew in ${name} meanwhile, so it stays. ${newName} is a copy from before that.`
    if (before.peers > 0) return `Somebody came to ${name} meanwhile, so it stays. ${newName} is a copy.`
    // Two people might rename two rooms to one name at the same time. Then the new room has both drawings.
    if (after?.cursor !== copied.copy) return `Somebody drew in ${newName} meanwhile, so ${name} stays.`
    await answerOf(`/v1/rooms/${room}`, { method: 'DELETE' })
  } catch (error) {
    return `${newName} is a copy, and ${name} stays too: ${error instanceof Refused ? error.message : 'we can’t reach the server'}`
  }
  return `${name} is now called ${newName}.`
}
