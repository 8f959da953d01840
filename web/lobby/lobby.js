import { ask, isRoomName, readAddress } from '../network/address.js'
import { counted, element, icon } from '../elements/element.js'
import { keepPage } from '../network/freshness.js'
import { rememberedIdentity } from '../storage/identity.js'
import '../storage/appearance.js'
import { keptRooms } from '../storage/database.js'

// Which rooms there are; one is made by its name, or without one.

const lookMilliseconds = 3_000
const keptAfterMilliseconds = 1_500

const words = ['amber', 'birch', 'cedar', 'coral', 'dune', 'ember', 'fern', 'harbor', 'indigo', 'juniper', 'lagoon',
  'maple', 'meadow', 'opal', 'pebble', 'quartz', 'river', 'saffron', 'tundra', 'willow']

/** A name that nobody has by chance: two words to be read out, and a bit more to be told apart. */
function freshName() {
  const numbers = crypto.getRandomValues(new Uint32Array(3))
  const word = (at) => words[numbers[at] % words.length]
  return `${word(0)}-${word(1)}-${(numbers[2] % 46_656).toString(36).padStart(3, '0')}`
}

const enter = (room) => location.assign(`/r/${room}`)

function header() {
  const input = element('input', {
    class: 'field large', name: 'room', placeholder: 'Name of a room', 'aria-label': 'Name of a room', autocomplete: 'off',
    autocapitalize: 'none', spellcheck: 'false', maxlength: '64', 'aria-describedby': 'name-help',
  })
  const help = element('p', { id: 'name-help', class: 'small-text help', 'aria-live': 'polite' })
  input.addEventListener('input', () => {
    input.removeAttribute('aria-invalid')
    help.textContent = ''
  })
  const form = element('form', { class: 'row join', onsubmit: (event) => {
    event.preventDefault()
    const name = input.value.trim().replace(/\s+/g, '-')
    if (isRoomName(name)) return enter(name)
    input.setAttribute('aria-invalid', 'true')
    input.focus()
    help.textContent = 'A name has 1 to 64 letters from A to Z, digits, dots, dashes or underscores.'
  } }, input, element('button', { type: 'submit', class: 'button' }, 'Join'))
  return element('header', { class: 'rooms-header' },
    element('div', { class: 'rooms-title row' }, mark(), element('h1', {}, 'CanvasSync')),
    element('p', { class: 'quiet' }, 'Draw together on one canvas. A room begins with its first shape, and everyone with its link is in it.'),
    element('div', { class: 'rooms-ways' },
      element('button', { type: 'button', class: 'button primary', onclick: () => enter(freshName()) }, icon('plus'), 'New room'),
      form),
    help)
}

function mark() {
  return element('img', { src: '/icon.svg', alt: '', width: '32', height: '32' })
}

// MARK: The rooms

const list = element('ul', { class: 'cards' })
const heading = element('h2', { class: 'rooms-heading' }, 'Rooms')
const note = element('p', { class: 'quiet', role: 'status' })
const cards = new Map()

function card(room) {
  const picture = element('img', { alt: '', hidden: true })
  const line = element('span', { class: 'small-text quiet' })
  const made = {
    picture, line, cursor: null,
    item: element('li', {}, element('a', { class: 'room-card', href: `/r/${room}` },
      element('span', { class: 'room-picture' }, picture), element('strong', { class: 'clip', title: room }, room), line)),
  }
  cards.set(room, made)
  return made
}

/** @param {{room: string, line: string, cursor?: string}[]} rooms */
function show(rooms) {
  const named = new Set(rooms.map(({ room }) => room))
  for (const [name, { item }] of cards) {
    if (named.has(name)) continue
    item.remove()
    cards.delete(name)
  }
  rooms.forEach(({ room, line, cursor }, place) => {
    const made = cards.get(room) ?? card(room)
    if (made.line.textContent !== line) made.line.textContent = line
    if (cursor && made.cursor !== cursor) {
      made.cursor = cursor
      showPicture(made.picture, `/v1/rooms/${room}/picture.svg`)
    }
    if (list.children[place] !== made.item) list.insertBefore(made.item, list.children[place] ?? null)
  })
}

/** Over fetch, so that it goes with the token where one is needed. */
async function showPicture(picture, path) {
  const answer = await ask(path).catch(() => null)
  if (!answer?.ok) {
    picture.hidden = true
    return
  }
  const former = picture.src
  picture.src = URL.createObjectURL(await answer.blob())
  picture.hidden = false
  if (former.startsWith('blob:')) URL.revokeObjectURL(former)
}

async function look() {
  try {
    const answer = await ask('/v1/rooms')
    if (answer.status === 401 || answer.status === 403) {
      show(await kept())
      note.textContent = 'This server lists its rooms only to who may see all. Join yours by its name.'
      return
    }
    if (!answer.ok) throw new Error(String(answer.status))
    const { rooms } = await answer.json()
    rooms.sort((one, other) => other.peers - one.peers || (one.room < other.room ? -1 : 1))
    heading.textContent = rooms.length > 0 ? counted(rooms.length, 'room') : 'No rooms yet'
    note.textContent = rooms.length > 0 ? '' : 'The first one is yours to begin.'
    show(rooms.map(({ room, shapes, peers, cursor, fault }) => ({
      room, cursor, line: fault ? 'Can’t be opened' : `${counted(shapes, 'shape')} · ${peers > 0 ? `${peers} here now` : 'nobody here'}`,
    })))
  } catch {
    const rooms = await kept()
    heading.textContent = 'On this device'
    note.textContent = rooms.length > 0
      ? 'The server can’t be reached. What you saw last is here, and what you draw is kept until it can.'
      : 'The server can’t be reached. Trying again…'
    show(rooms)
  }
}

async function kept() {
  const rooms = await keptRooms().catch(() => [])
  return rooms.map(({ room, at, unsent }) => ({
    room, line: unsent > 0 ? `${counted(unsent, 'change')} to be sent` : `Seen ${new Date(at).toLocaleDateString()}`,
  }))
}

readAddress()
document.documentElement.style.setProperty('--me', rememberedIdentity().color)
document.getElementById('main').append(header(), heading, note, list)
const again = async () => {
  if (!document.hidden) await look()
  setTimeout(again, lookMilliseconds)
}
again()
setTimeout(keepPage, keptAfterMilliseconds)
