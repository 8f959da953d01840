// Names of rooms as people type them, and as the server knows them.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { isRoomName } from '../../build/modules/network/address.js'
import { serverName, shownName } from '../../build/modules/network/room-names.js'

test('a name that the server takes stays as it is', () => {
  for (const name of ['sprint-12', 'my_room', 'v1.20.3', 'A', 'a'.repeat(64), 'x.-_']) {
    assert.equal(serverName(name), name)
    assert.equal(shownName(name), name)
  }
})

test('any other name is shown as it was typed, and begins as it is read', () => {
  const names = {
    'Q3 roadmap': 'Q3_roadmap', 'Sprint Überblick': 'Sprint_berblick', 'A/B-Test (neu)': 'AB-Test_neu', '50 % done?': '50__done',
    'my_room 2': 'myroom_2', 'Спринт обзор': '_', '設計ミーティング': '', '🎉 Fest 👩‍👩‍👧': '_Fest_', 'a..b ü': 'a..b_', 'Größe. ': 'Gre.', 'מפגש 3': '_3',
  }
  for (const [typed, beginning] of Object.entries(names)) {
    const name = serverName(typed)
    assert.ok(name && isRoomName(name), typed)
    assert.equal(name.slice(0, name.lastIndexOf('..')), beginning)
    assert.ok(/[a-z0-9]$/.test(name), `${name}: what ends with a sign is cut off where addresses are recognised in texts`)
    assert.equal(shownName(name), typed.trim().normalize('NFC'))
  }
  assert.equal(serverName('Q3 roadmap'), 'Q3_roadmap..0')
  assert.equal(serverName('  Q3 \t roadmap '), 'Q3_roadmap..0', 'superfluous spaces are nobody’s wish')
  assert.equal(serverName('U\u0308ber'), serverName('Über'), 'both spellings of a letter are one room')
})

test('no two names are one room, and each comes back', () => {
  const letters = Array.from('ab1._- éßЖ界한👩/?%#"\\')
  let seed = 7
  const draw = (below) => (seed = (seed * 48271) % 2147483647) % below
  const rooms = new Map()
  for (let round = 0; round < 20_000; round++) {
    const typed = Array.from({ length: 1 + draw(9) }, () => letters[draw(letters.length)]).join('')
    const meant = typed.trim().replace(/\s+/g, ' ')
    const name = serverName(typed)
    if (meant === '' || meant === '.' || meant === '..') continue
    assert.ok(name !== null, typed)
    assert.equal(shownName(name), meant)
    assert.equal(rooms.get(name) ?? meant, meant)
    rooms.set(name, meant)
  }
  assert.ok(rooms.size > 10_000)
})

test('what is no name gets none', () => {
  for (const typed of ['', '   ', '\u0007', 'a\u202eb', 'é'.repeat(70), 'a b'.repeat(30)]) assert.equal(serverName(typed), null, typed)
})

test('a room that only looks as if it had such a name is shown as it is', () => {
  for (const room of ['a..b', 'notes..final', 'x..', 'x..0y', 'x..9999999999', '..', 'a b..0', 'Q3_roadmap..00', 'a..-', 'x..0000000000000000000000000000000000000000']) {
    const shown = shownName(room)
    if (shown !== room) assert.equal(serverName(shown), room, 'or else it is reversible')
  }
  assert.equal(shownName('x..0y'), 'x..0y')
  assert.equal(shownName('Q3-roadmap..0'), 'Q3-roadmap..0', 'this would be written without the mark')
  for (const shown of ['a\u202eb', ' a', 'a  b']) assert.ok(!Array.from({ length: 500 }, (_, at) => shownName(`ab..${at.toString(36)}`)).includes(shown))
})
