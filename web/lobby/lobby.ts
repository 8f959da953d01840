import { counted } from '../basics/words.js'
import { confirmed } from '../elements/dialog.js'
import { element, elementById, icon, iconButton } from '../elements/element.js'
import { ask, readAddress } from '../network/address.js'
import { keepPage } from '../network/freshness.js'
import { serverName, shownName } from '../network/room-names.js'
import { rememberedIdentity } from '../storage/identity.js'
import '../storage/appearance.js'
import { inTime, keptRooms } from '../storage/database.js'
import { forgetRoom } from '../storage/forgetting.js'
import { unusableWords } from './renaming.js'
import { roomMenu } from './room-menu.js'
import { RoomPicture } from './room-picture.js'

// The list of rooms. People can enter a room by its name, or a new room with a generated name.

const lookMilliseconds = 3_000
const keptAfterMilliseconds = 1_500
/** How long the list of rooms waits for what this browser has stored. */
const countMilliseconds = 300
/** How long the page says what was done to a room. */
const saidMilliseconds = 8_000

const words = ['amber', 'birch', 'cedar', 'coral', 'dune', 'ember', 'fern', 'harbor', 'indigo', 'juniper', 'lagoon',
  'maple', 'meadow', 'opal', 'pebble', 'quartz', 'river', 'saffron', 'tundra', 'willow']

/** A name that no other room is likely to have: two words and a few random characters. */
function freshName() {
  const numbers = crypto.getRandomValues(new Uint32Array(3))
  const word = (at: number) => words[numbers[at] % words.length]
  return `${word(0)}-${word(1)}-${(numbers[2] % 46_656).toString(36).padStart(3, '0')}`
}

const enter = (room: string) => location.assign(`/r/${room}`)

const input = element('input', {
  dir: 'auto',
  class: 'field large', name: 'room', type: 'search', placeholder: 'Find or name a room', 'aria-label': 'Room name', autocomplete: 'off',
  autocapitalize: 'none', spellcheck: 'false', maxlength: '64', 'aria-describedby': 'name-help',
})

function header() {
  const help = element('p', { id: 'name-help', class: 'small-text help', 'aria-live': 'polite' })
  input.addEventListener('input', () => {
    input.removeAttribute('aria-invalid')
    help.textContent = ''
    search()
  })
  // Both buttons use the typed name, if there is one.
  const join = () => {
    const name = typedRoom()
    if (name !== null) return enter(name)
    input.setAttribute('aria-invalid', 'true')
    input.focus()
    help.textContent = unusableWords(input.value)
  }
  const form = element('form', { class: 'row join', onsubmit: (event) => {
    event.preventDefault()
    join()
  } }, input, element('button', { type: 'submit', class: 'button' }, 'Join'))
  return element('header', { class: 'rooms-header' },
    element('img', { class: 'rooms-invitation', src: '/invitation.svg', alt: '', width: '360', height: '220' }),
    element('div', { class: 'rooms-title row' }, mark(), element('h1', {}, 'CanvasSync')),
    element('p', { class: 'quiet' }, 'Draw together on one canvas. Open a room, and share its link to let others join.'),
    element('div', { class: 'rooms-ways' },
      element('button', { type: 'button', class: 'button primary', onclick: () => input.value.trim() === '' ? enter(freshName()) : join() }, icon('plus'), 'New room'),
      form),
    help)
}

function mark() {
  return element('img', { src: '/icon.svg', alt: '', width: '32', height: '32' })
}

// MARK: The rooms

const recentList = element('ul', { class: 'cards' })
const recentHeading = element('h2', { class: 'rooms-heading' }, 'Recent')
const list = element('ul', { class: 'cards' })
const heading = element('h2', { class: 'rooms-heading' }, 'Rooms')
const note = element('p', { class: 'quiet', role: 'status' })
const said = element('p', { class: 'said floating', role: 'status' })
let saidTimer = 0
function say(words: string) {
  said.textContent = words
  clearTimeout(saidTimer)
  saidTimer = setTimeout(() => { said.textContent = '' }, saidMilliseconds)
}
const create = element('button', { type: 'button', class: 'button', onclick: () => { const name = serverName(input.value); if (name !== null) enter(name) } })
const none = element('p', { class: 'quiet', role: 'status', hidden: true })
const unseen = element('p', { class: 'quiet', hidden: true })
/** The time of this browser's last visit to each room. The times are read when the list opens. */
let visits = new Map<string, number>()
/** The upper bound on the number of recent rooms that are listed. */
const recentMax = 8
/** The upper bound on the number of other rooms that have a card in the list. A browser needs long for thousands. */
const othersMax = 200
type Card = { picture: RoomPicture, line: HTMLElement, item: HTMLElement, more: HTMLElement, forget: HTMLElement }
/** The cards that were made, also of rooms that are not shown now. A card keeps its picture. */
const cards = new Map<string, Card>()

function card(room: string): Card {
  const picture = new RoomPicture(room)
  const line = element('span', { class: 'small-text quiet' })
  const name = shownName(room)
  const more = roomMenu(room, {
    lineOf: () => line.textContent ?? '', say, changed: look, hasUnsent: () => unsent.has(room), forgetUnsent: () => forgetUnsent(room),
  })
  const forget = iconButton('trash', `Forget what was not sent to ${name}`, { class: 'small room-more', onclick: () => forgetUnsent(room) })
  const made: Card = {
    picture, line, more, forget,
    item: element('li', { class: 'room-item' }, element('a', { class: 'room-card', href: `/r/${room}` },
      picture.element, element('strong', { class: 'clip', dir: 'auto', title: name }, name), line), more, forget),
  }
  cards.set(room, made)
  return made
}

/** `cursor`: undefined if the server hasn't listed the room, empty if there is no picture of it. */
type Listed = { room: string, line: string, cursor?: string }

/** All rooms. `recent`: the rooms that this browser has visited, starting with the latest visit. */
let listing: { recent: Listed[], others: Listed[] } = { recent: [], others: [] }

/** Shows the rooms. While a card's menu is open, nothing changes, because the card could move away from its menu. */
function show(rooms: Listed[]) {
  if (document.querySelector(':popover-open')) return
  const recent = rooms.filter(({ room }) => visits.has(room))
    .sort((one, other) => (visits.get(other.room) ?? 0) - (visits.get(one.room) ?? 0)).slice(0, recentMax)
  const isRecent = new Set(recent)
  const named = new Set(rooms.map(({ room }) => room))
  for (const [name, { item, picture }] of cards) {
    if (named.has(name)) continue
    item.remove()
    picture.forget()
    cards.delete(name)
  }
  listing = { recent, others: rooms.filter((room) => !isRecent.has(room)) }
  search()
}

function place(list: HTMLElement, rooms: Listed[]) {
  const isPlaced = new Set(rooms.map(({ room }) => cards.get(room)?.item))
  for (const item of Array.from(list.children)) if (!isPlaced.has(item as HTMLElement)) item.remove()
  rooms.forEach(({ room, line, cursor }, place) => {
    const made = cards.get(room) ?? card(room)
    if (made.line.textContent !== line) made.line.textContent = line
    // Nothing else can be done to a room that the server hasn't listed.
    made.more.hidden = cursor === undefined
    made.forget.hidden = !made.more.hidden || !unsent.has(room)
    if (cursor) made.picture.show(cursor)
    if (list.children[place] !== made.item) list.insertBefore(made.item, list.children[place] ?? null)
  })
}

/** A name for comparing: capital letters count as small ones, and hyphens and underscores as spaces. */
const alike = (name: string) => name.trim().normalize('NFC').toLowerCase().replace(/[\s_-]+/g, ' ')

/** The room whose name was typed: one that is listed, even if it is written a little differently, or else a new one. */
function typedRoom(): string | null {
  const exact = serverName(input.value)
  const rooms = [...listing.recent, ...listing.others].map(({ room }) => room)
  const meant = rooms.filter((room) => alike(shownName(room)) === alike(input.value))
  return meant.length === 1 ? meant[0] : exact
}

/** Shows the rooms whose names contain the typed text. */
function search() {
  const focused = document.activeElement
  const wanted = alike(input.value)
  const [recent, others] = [listing.recent, listing.others].map(
    (rooms) => rooms.filter(({ room }) => alike(shownName(room)).includes(wanted)))
  place(recentList, recent)
  place(list, others.slice(0, othersMax))
  // A card that moves loses the focus.
  if (focused instanceof HTMLElement && document.activeElement !== focused) focused.focus({ preventScroll: true })
  recentHeading.hidden = recent.length === 0
  heading.hidden = others.length === 0
  unseen.hidden = others.length <= othersMax
  unseen.textContent = `${counted(others.length - othersMax, 'more room')}. Type a part of a name to find one.`
  none.hidden = recent.length + others.length > 0 || listing.recent.length + listing.others.length === 0
  const name = serverName(input.value)
  create.hidden = none.hidden || name === null
  create.textContent = `Create “${shownName(name ?? '')}”`
  none.textContent = name === null ? 'No room has such a name.' : `No room is called ${shownName(name)} yet.`
}

async function look() {
  try {
    const [answer] = await Promise.all([ask('/v1/rooms'), countUnsent()])
    if (answer.status === 401 || answer.status === 403) {
      show(await kept())
      note.textContent = 'This server doesn’t list its rooms to everyone. Join yours by its name.'
      return
    }
    if (!answer.ok) throw new Error(String(answer.status))
    const { rooms }: { rooms: { room: string, shapes: number, peers: number, cursor: string, fault?: string }[] } = await answer.json()
    rooms.sort((one, other) => other.peers - one.peers || (one.room < other.room ? -1 : 1))
    const listed = new Set(rooms.map(({ room }) => room))
    const shown: Listed[] = rooms.map(({ room, shapes, peers, cursor, fault }) => ({
      room,
      // A room that can't be opened has no picture either.
      cursor: fault ? '' : cursor,
      line: [
        ...fault ? ['Can’t be opened'] : [counted(shapes, 'shape'), peers > 0 ? `${peers} here now` : 'nobody here'],
        ...unsent.has(room) ? [unsentWords(unsent.get(room))] : [],
      ].join(' · '),
    }))
    // The server doesn't list a room that was begun without it, was deleted, or is not for this visitor any more.
    for (const [room, count] of unsent) if (!listed.has(room)) shown.unshift({ room, line: unsentWords(count) })
    note.textContent = shown.length > 0 ? '' : 'No rooms yet. Open the first one.'
    show(shown)
    heading.textContent = listing.recent.length > 0 ? 'Other rooms' : counted(shown.length, 'room')
    forgetDeleted(listed)
  } catch {
    const rooms = await kept()
    heading.textContent = 'On this device'
    note.textContent = rooms.length > 0
      ? 'We can’t reach the server. You can still draw: your changes are kept and sent once it’s back.'
      : 'We can’t reach the server. Trying again…'
    show(rooms)
  }
}

/** The rooms that the server has listed. */
const known = new Set<string>()

/**
 * Forgets what this browser has stored of rooms that were deleted. A token's list can leave out rooms that are still
 * there, so only those count as deleted that it had before. A room with changes that were never sent stays.
 */
async function forgetDeleted(listed: Set<string>) {
  for (const room of visits.keys()) {
    if (listed.has(room)) known.add(room)
    else if ((token === null || known.has(room)) && !unsent.has(room)) {
      visits.delete(room)
      await forgetRoom(room).catch((error) => console.warn('A deleted room is still stored:', error))
    }
  }
}

/** Forgets a room's changes that were never sent. The visitor is asked first: perhaps only somebody else can send them. */
async function forgetUnsent(room: string) {
  const count = unsent.get(room) ?? 0
  const words = `What was not sent to ${shownName(room)} goes for good.`
  if (!await confirmed(`Forget ${counted(count, 'change')}?`, words, 'Forget')) return
  await forgetRoom(room, { withUnsent: true }).catch(() => say('This browser’s storage doesn’t answer.'))
  await look()
}

/**
 * The rooms that this browser has stored; none if it doesn't say so in time.
 *
 * @param stores as of `keptRooms`
 */
const visited = (stores?: string[]) => inTime(keptRooms(stores)).catch(() => [])

const unsentWords = (count = 0) => `${counted(count, 'change')} not sent yet`

/** How many changes of each room were never sent, by what this browser has stored. Other rooms are left out. */
let unsent = new Map<string, number>()

/** Counts the changes that were never sent. If the browser doesn't answer soon, the next list has the new counts. */
function countUnsent() {
  const counted = visited(['edits']).then((rooms) => {
    unsent = new Map(rooms.filter(({ unsent }) => unsent > 0).map(({ room, unsent }) => [room, unsent]))
  })
  return Promise.race([counted, new Promise<void>((resolve) => setTimeout(resolve, countMilliseconds))])
}

async function kept() {
  const rooms = await visited()
  return rooms.map(({ room, at, unsent }) => ({
    room, line: unsent > 0 ? unsentWords(unsent) : `Last opened ${new Date(at).toLocaleDateString()}`,
  }))
}

const { token } = readAddress()
document.documentElement.style.setProperty('--me', rememberedIdentity().color)
elementById('main').append(header(), said, note, none, create, recentHeading, recentList, heading, list, unseen)
const again = async () => {
  if (!document.hidden) await look()
  setTimeout(again, lookMilliseconds)
}
const remember = async () => { visits = new Map((await visited()).map(({ room, at }) => [room, at])) }
remember().then(again)
addEventListener('pageshow', ({ persisted }) => { if (persisted) remember() })
setTimeout(keepPage, keptAfterMilliseconds)
