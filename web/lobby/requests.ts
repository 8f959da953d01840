import { ask, workingMilliseconds } from '../network/address.js'
import { shownName } from '../network/room-names.js'

// What the list of rooms asks of the server.

/** The server has refused a request. The message says why. */
export class Refused extends Error {}

export async function answerOf(path: string, how: Parameters<typeof ask>[1] = {}) {
  const answer = await ask(path, { patience: workingMilliseconds, ...how })
  if (answer.ok) return answer
  const { error } = await answer.json().catch(() => ({}))
  throw new Refused(error?.message ?? `The server says ${answer.status}`)
}

/** The rooms that one may enter. */
export async function roomsOf(): Promise<{ room: string, peers: number, cursor: string }[]> {
  return (await (await answerOf('/v1/rooms')).json()).rooms
}

/**
 * Makes a room with a copy of another room's drawing.
 *
 * @returns the cursors of both rooms when the copy was made
 */
export async function copyTo(room: string, name: string): Promise<{ original: string, copy: string }> {
  const drawing = await (await answerOf(`/v1/rooms/${room}`)).text()
  const { cursor, shapes }: { cursor: string, shapes: unknown[] } = JSON.parse(drawing)
  if (shapes.length === 0) throw new Refused(`${shownName(room)} is empty, so there is nothing to take over`)
  const copied = await answerOf(`/v1/rooms/${name}/layout`, { method: 'POST', body: drawing })
  return { original: cursor, copy: (await copied.json()).cursor }
}
