// Tests what the list of rooms shows and says.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { kept } from './stored.mjs'
import { Element, makeElements } from '../gestures/elements.mjs'

mock.timers.enable({ apis: ['setTimeout'] })
Object.defineProperty(globalThis, 'document', { value: { ...globalThis.document, hidden: false, querySelector: () => null, documentElement: { dataset: {}, style: { setProperty() {} } } }, writable: true })
const main = makeElements()
const made = []
Object.assign(document, { getElementById: () => main, createElement: () => made[made.push(new Element()) - 1] })
Object.assign(Element.prototype, {
  hidePopover() {}, showPopover() {}, after() {}, querySelectorAll: () => [], getBoundingClientRect: () => ({}),
})
Object.assign(globalThis, {
  innerWidth: 0, innerHeight: 0, HTMLElement: Element, IntersectionObserver: class { observe() {} disconnect() {} }, localStorage: {},
  location: { pathname: '/', search: '', hash: '', assign(path) { this.entered = path } },
})
/** What the server answers: a status, or its rooms. null: it isn't reached. */
let answer = null
globalThis.fetch = async () => {
  if (answer === null) throw new Error('unreachable')
  return typeof answer === 'number' ? new Response('{}', { status: answer }) : Response.json({ rooms: answer })
}
for (const [room, at, unsent] of [['garden', 5, 0], ['plan', 9, 2]]) kept.set(room, { key: room, room, at, unsent })
await import('../../build/modules/lobby/lobby.js')
const [input] = made

/** Lets time pass, with all that waits for promises and for the storage. */
async function pass(milliseconds) {
  for (const time of [milliseconds, 0]) {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    mock.timers.tick(time)
  }
}
/** What is shown below the header. */
const shown = () => main.children.slice(1).map(({ shownWords }) => shownWords).filter(Boolean)
const button = (words) => made.findLast((each) => each.words === words && each.children.length > 0 || each.textContent === words)
const press = (words) => button(words).dispatchEvent(new Event('click'))
const rooms = [
  { room: 'aaa', shapes: 1, peers: 0, cursor: '1' }, { room: 'bbb_garden', shapes: 3, peers: 2, cursor: '1' }, { room: 'garden', shapes: 0, peers: 0, cursor: '1', fault: 'unreadable' },
]

test('the rooms of late come first, then those with people in them, and what this browser has is shown also without the server', async () => {
  const old = `garden Last opened ${new Date(5).toLocaleDateString()}`
  for (const [given, words] of [
    [null, ['We can’t reach the server. You can still draw: your changes are kept and sent once it’s back.', 'Recent', `plan 2 changes not sent yet ${old}`]],
    [403, ['This server doesn’t list its rooms to everyone. Join yours by its name.', 'Recent', `plan 2 changes not sent yet ${old}`]],
    [500, ['We can’t reach the server. You can still draw: your changes are kept and sent once it’s back.', 'Recent', `plan 2 changes not sent yet ${old}`]],
    [rooms, ['Recent', 'plan 2 changes not sent yet garden Can’t be opened', 'Other rooms', 'bbb_garden 3 shapes · 2 here now aaa 1 shape · nobody here']],
    [[...rooms, { room: 'plan', shapes: 2, peers: 0, cursor: '1' }], [
      'Recent', 'plan 2 shapes · nobody here · 2 changes not sent yet garden Can’t be opened', 'Other rooms', 'bbb_garden 3 shapes · 2 here now aaa 1 shape · nobody here',
    ]],
  ]) {
    answer = given
    await pass(3_000)
    assert.deepEqual(shown(), words)
  }
})

test('the field shows the rooms that have what is typed in their name, or offers to make the room', async () => {
  answer = rooms
  await pass(3_000)
  const typed = (words) => {
    input.value = words
    input.dispatchEvent(new Event('input'))
    return shown().map((each) => each.replace(/ (Can’t|\d).*/, ''))
  }
  assert.deepEqual(typed('B gard'), ['Other rooms', 'bbb_garden'])
  assert.deepEqual(typed(' GARDEN '), ['Recent', 'garden', 'Other rooms', 'bbb_garden'])
  assert.deepEqual(typed('New one'), ['No room is called New one yet.', 'Create “New one”'])
  assert.deepEqual(typed('a'.repeat(65)), ['No room has such a name.'])
  for (const [words, path] of [['BBB garden', '/r/bbb_garden'], ['garden', '/r/garden'], ['Sprint', '/r/Sprint']]) {
    typed(words)
    press('New room')
    assert.equal(location.entered, path)
  }
  answer = ['bbb_garden', 'bbb-garden'].map((room) => ({ ...rooms[1], room }))
  await pass(3_000)
  typed('bbb-garden')
  press('New room')
  assert.equal(location.entered, '/r/bbb-garden', 'of two that are alike the one that was typed')
  typed('')
})

test('of many rooms two hundred have a card, and the number of the others is told', async () => {
  answer = Array.from({ length: 203 }, (_, at) => ({ room: `room-${at}`, shapes: 1, peers: 0, cursor: '1' }))
  await pass(3_000)
  const [, , , cards, more] = shown()
  assert.deepEqual([cards.match(/nobody here/g).length, more], [200, '3 more rooms. Type a part of a name to find one.'])
  answer = answer.slice(0, 200)
  await pass(3_000)
  assert.equal(shown().length, 4)
})

test('what was not sent can be forgotten of a room of which there is any', async () => {
  answer = [...rooms, { ...rooms[0], room: 'plan' }]
  await pass(3_000)
  for (const [room, words] of [['plan', 'Rename… Duplicate Forget what was not sent… Delete…'], ['garden', 'Rename… Duplicate Delete…']]) {
    made.findLast(({ attributes }) => attributes['aria-label'] === `More for ${room}`).dispatchEvent(new Event('click'))
    assert.equal(made.findLast(({ attributes }) => attributes.role === 'menu' && attributes['aria-label'] === room).shownWords, words)
  }
})

test('what was done, or why it was not, is said for eight seconds since it was said last', async () => {
  answer = null
  press('Duplicate')
  await pass(7_999)
  press('Duplicate')
  await pass(1)
  const said = () => main.children[1].textContent
  assert.equal(said(), 'We can’t reach the server.')
  await pass(7_998)
  assert.equal(said(), 'We can’t reach the server.')
  await pass(1)
  assert.equal(said(), '')
})
