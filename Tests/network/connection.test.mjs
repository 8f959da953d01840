// Tests the replica's WebSocket without a browser: which socket is used, what is passed on, and which token is kept.

import assert from 'node:assert/strict'
import { test } from 'node:test'

const OPEN = 1, CLOSING = 2
const opened = []

/**
 * The part of a browser's WebSocket that a connection uses. Like the browser's, it drops what is sent while it is
 * closing.
 */
class Socket extends EventTarget {
  static OPEN = OPEN
  readyState = OPEN
  taken = []

  constructor(address) {
    super()
    this.address = address
    if (address) this.readyState = 0
    opened.push(this)
  }
  send(message) {
    assert.equal(this.readyState, OPEN, 'a browser complains on its console')
    this.taken.push(message)
  }
  close(code) { [this.readyState, this.closedBy] = [CLOSING, code] }
  tell(type, detail) { this.dispatchEvent(Object.assign(new Event(type), detail)) }
}
Object.assign(globalThis, { WebSocket: Socket, location: { protocol: 'http:', host: 'draw.example' } })
Object.defineProperty(globalThis, 'sessionStorage', { value: { getItem: () => null, setItem() {} }, configurable: true })
const { Connection } = await import('../../build/modules/network/connection.js')
const { Pulse } = await import('../../build/modules/network/pulse.js')

/** A replica that connects when it is started, and notes its calls. */
const replicaOf = (state = 'live') => {
  const calls = []
  const noted = (name, effects = []) => (...values) => {
    calls.push([name, ...values])
    return effects
  }
  return {
    calls, state, start: noted('start', [{ type: 'connect' }]), connected: noted('connected'), wake: noted('wake'), received: noted('received'),
    disconnected: noted('disconnected'), bringToken: noted('bringToken'), status() { return { state: this.state } },
  }
}
const room = { room: 'garden', token: null }

test('what comes up while a socket closes is not sent', () => {
  const socket = new Socket()
  const connection = new Connection(replicaOf(), room, socket)
  connection.start()
  connection.perform([{ type: 'send', bytes: new Uint8Array(3) }])
  socket.readyState = CLOSING
  connection.perform([{ type: 'send', bytes: new Uint8Array(5) }])
  assert.equal(socket.taken.length, 1)
})

test('the socket that was opened first is used once, and what an old socket tells is ignored', async () => {
  const first = new Socket()
  const replica = replicaOf()
  const connection = new Connection(replica, { room: 'garden', token: 'a' }, first)
  opened.length = 0
  connection.start()
  await null
  assert.deepEqual([replica.calls, opened.length], [[['start'], ['connected']], 0])
  first.tell('message', { data: 'hi' })
  connection.start()
  const [second] = opened
  assert.deepEqual([first.closedBy, second.address, second.binaryType], [1_000, 'ws://draw.example/v1/rooms/garden/sync?token=a', 'arraybuffer'])
  replica.calls.length = 0
  for (const type of ['message', 'close', 'open']) first.tell(type, { data: 'old', code: 1_001 })
  assert.deepEqual(replica.calls, [])
  second.readyState = OPEN
  second.tell('open')
  second.tell('message', { data: 'new' })
  second.tell('close', { code: 1_001 })
  second.tell('message', { data: 'late' })
  assert.deepEqual(replica.calls, [['connected'], ['received', 'new'], ['disconnected', 1_001]])
  const closed = Object.assign(new Socket(), { readyState: CLOSING })
  opened.length = 0
  new Connection(replica, room, closed).start()
  assert.equal(opened.length, 1, 'one that is closed already is of no use')
})

test('effects are carried out in order, also those that come meanwhile, and none after the end', () => {
  const replica = replicaOf('waiting')
  const connection = new Connection(replica, room, new Socket())
  const heard = []
  connection.on('effect', ({ type }) => {
    heard.push(type)
    if (type === 'keep') connection.perform([{ type: 'late' }])
  })
  for (const name of ['performed', 'stopped']) connection.on(name, () => heard.push(name))
  connection.perform([{ type: 'keep' }, { type: 'pong' }])
  assert.deepEqual(heard, ['keep', 'pong', 'late', 'performed'])
  connection.hurry()
  replica.state = 'live'
  connection.hurry()
  assert.deepEqual(replica.calls.filter(([name]) => name === 'start').length, 1, 'only who waits is in a hurry')
  const states = [['closed', 'actor_elsewhere'], ['closed', 'forbidden'], ['live']]
  assert.deepEqual(states.map(([state, code]) => {
    connection.perform([{ type: 'state', state, code }])
    return connection.isElsewhere
  }), [true, false, false])
  heard.length = 0
  connection.stop()
  connection.perform([{ type: 'keep' }])
  assert.deepEqual([heard.includes('keep'), heard[0], connection.isEnded], [false, 'stopped', true])
})

test('a full room is told until the page is in', () => {
  const socket = new Socket()
  const connection = new Connection(replicaOf(), room, socket)
  connection.start()
  socket.tell('close', { code: 4_429 })
  assert.equal(connection.isTurnedAway, true)
  connection.perform([{ type: 'state', state: 'live' }])
  assert.equal(connection.isTurnedAway, false)
})

test('the core is woken when it wants, and at the last time that it has told', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(performance, 'now', () => 1_000)
  const replica = replicaOf()
  const connection = new Connection(replica, room, new Socket())
  connection.perform([{ type: 'wake', at: 1_050 }, { type: 'wake', at: 1_100 }])
  t.mock.timers.tick(99)
  assert.deepEqual(replica.calls, [])
  t.mock.timers.tick(1)
  assert.deepEqual(replica.calls, [['wake']])
  connection.perform([{ type: 'wake', at: 1_100 }])
  connection.end()
  t.mock.timers.tick(1_000)
  assert.equal(replica.calls.length, 1)
})

test('a page that is seen again looks at its line at once, and a hidden one not at all', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  Object.assign(globalThis, { document: page, addEventListener() {} })
  const looks = []
  const look = (name) => () => { looks.push(name); return [] }
  const line = { watchLine() {}, wakeLine: look('wake'), lookAtLine: look('look') }
  new Pulse(new Connection(Object.assign(replicaOf(), line), room, new Socket()))
  t.mock.timers.tick(500)
  assert.deepEqual(looks.splice(0), ['wake', 'look', 'look'])
  for (const [state, expected] of [['hidden', []], ['visible', ['wake']]]) {
    page.visibilityState = state
    page.dispatchEvent(new Event('visibilitychange'))
    assert.deepEqual(looks.splice(0), expected)
    t.mock.timers.tick(250)
    assert.deepEqual(looks.splice(0), state === 'visible' ? ['look'] : [])
  }
})

test('C11: another token is offered once the room is open, kept once it is taken, and used at once if the old one has ended', () => {
  const replica = replicaOf('loading')
  const socket = new Socket()
  const connection = new Connection(replica, { room: 'garden', token: 'old' }, socket)
  const brought = () => replica.calls.splice(0).filter(([name]) => name === 'bringToken').map(([, token]) => token)
  connection.start()
  connection.bringToken('one')
  connection.bringToken('two')
  assert.deepEqual(brought(), [])
  connection.perform([{ type: 'state', state: 'live' }])
  assert.deepEqual(brought(), ['two'])
  replica.state = 'live'
  connection.bringToken('three')
  assert.deepEqual([brought(), connection.token], [['three'], 'old'])
  connection.perform([{ type: 'error', code: 'token_refused' }, { type: 'error', code: 'gone' }, { type: 'tokenTaken' }])
  assert.equal(connection.token, 'three')
  connection.perform([{ type: 'tokenTaken' }])
  assert.equal(connection.token, 'three')
  connection.bringToken('four')
  replica.calls.length = 0
  socket.tell('close', { code: 4_401 })
  assert.deepEqual([connection.token, replica.calls], ['four', [['disconnected', 1_006]]])
  const other = new Socket()
  const plain = new Connection(replica, room, other)
  plain.start()
  plain.bringToken('five')
  replica.calls.length = 0
  other.tell('close', { code: 4_403 })
  assert.deepEqual([plain.token, replica.calls], [null, [['disconnected', 4_403]]])
  replica.calls.length = opened.length = 0
  plain.enterWith('s+x')
  assert.deepEqual([plain.token, replica.calls, opened.map(({ address }) => address)],
    ['s+x', [['start']], ['ws://draw.example/v1/rooms/garden/sync?token=s%2Bx']], 'the page is not loaded anew, which could lose edits')
})
