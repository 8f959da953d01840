// Tests following somebody, and asking others to follow. That others see the same place by then is in view.test.mjs.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import '../gestures/drawing.mjs'
import { makeElements } from '../gestures/elements.mjs'
import { Source } from '../../build/modules/basics/source.js'
import { View } from '../../build/modules/canvas/view.js'
import { Follow } from '../../build/modules/others/follow.js'
import { Guiding } from '../../build/modules/others/guiding.js'

/** Ann's page, in a room with Bob, who looks at some place. */
function page(t) {
  let now = 20_000
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(performance, 'now', () => now)
  makeElements()
  const bob = { actor: 2, name: 'Bob', color: '#123456', view: null, guides: false }
  const people = [bob]
  const presence = Object.assign(new Source(), {
    isGuiding: false, people: () => people, person: (actor) => people.find((each) => each.actor === actor) ?? null, setFollowed() {},
    setGuiding(isOn) { this.isGuiding = isOn },
  })
  const said = []
  const notices = { say: (words, { action } = {}) => said.push([words, action]), withdraw: (group) => said.push([`-${group}`]) }
  const [frames, tools, writing, shown] = [new Source(), { isPressed: false }, { isOpen: false }, { isPast: false, live: { actor: 1 } }]
  const view = new View()
  view.resize(1_280, 800, 1)
  const follow = new Follow({ presence, view, notices, tools, writing, frames, shown })
  const tell = (told) => {
    Object.assign(bob, told)
    presence.tell('change', null)
  }
  const sees = () => {
    view.advance(now += 5_000)
    const { x, y } = view.visibleBox()
    return [Math.round(x), Math.round(y)]
  }
  const looksAt = (x, y) => tell({ view: { x, y, width: 1_280, height: 800 } })
  return { bob, people, presence, said, frames, tools, writing, shown, view, follow, notices, tell, looksAt, sees, pass: (time) => { now += time } }
}

test('the view of who follows waits until a press or a text is done, and while the past is shown', (t) => {
  const { follow, frames, looksAt, sees, view, ...parts } = page(t)
  follow.start(2)
  looksAt(10, 20)
  assert.deepEqual(sees(), [10, 20])
  for (const [part, what] of [['tools', 'isPressed'], ['writing', 'isOpen'], ['shown', 'isPast']]) {
    const before = sees()
    parts[part][what] = true
    looksAt(before[0] + 4_000, 3_000)
    frames.tell('update', 0)
    assert.deepEqual(sees(), before, what)
    parts[part][what] = false
    frames.tell('update', 0)
    assert.deepEqual(sees(), [before[0] + 4_000, 3_000], `after ${what}`)
  }
  view.panBy(1, 1)
  assert.equal(follow.actor, null, 'one’s own hand ends it')
})

test('who follows waits ten seconds for somebody who has left', (t) => {
  const { bob, follow, people, presence, said, tell } = page(t)
  follow.start(2)
  for (const [returns, time] of [[true, 9_000], [false, 9_999]]) {
    people.length = 0
    presence.tell('change', null)
    t.mock.timers.tick(time)
    assert.equal(follow.actor, 2)
    if (returns) people.push(bob)
    if (returns) tell({ name: 'Robert' })
  }
  said.length = 0
  t.mock.timers.tick(1)
  assert.deepEqual([follow.actor, said.map(([words]) => words)], [null, ['The person you were following has left.']])
})

test('who asks again and again to be followed is heard once in ten seconds, and the notice goes with the wish', (t) => {
  const { follow, said, tell, pass, ...parts } = page(t)
  const guiding = new Guiding({ ...parts, follow, ownTabs: Object.assign(new Source(), { has: () => false }), me: Object.assign(new Source(), { color: '#B42318' }) })
  const asked = () => said.filter(([words]) => words === 'Bob asks you to follow.')
  for (const guides of [true, false, true, false, true]) tell({ guides })
  assert.deepEqual([asked().length, said.filter(([words]) => words === '-guide 2').length], [1, 2])
  tell({ guides: false })
  pass(10_000)
  tell({ guides: true })
  assert.equal(asked().length, 2)
  asked()[1][1].run()
  assert.equal(follow.actor, 2)
  guiding.toggle()
  assert.deepEqual([follow.actor, parts.presence.isGuiding], [null, true], 'who asks follows nobody')
  follow.start(2)
  assert.ok(!parts.presence.isGuiding, 'and who follows does not ask')
  tell({ guides: false })
  assert.equal(follow.actor, 2, 'who follows unasked goes on')
})
