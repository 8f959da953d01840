// The replica's socket, without a browser: what is said to a socket that is about to close.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Connection } from '../../web/network/connection.js'

const OPEN = 1, CLOSING = 2
globalThis.WebSocket ??= { OPEN }

/** As much of a browser's socket as a connection uses. Like a browser's, it takes nothing once it is closing. */
class Socket extends EventTarget {
  readyState = OPEN
  taken = []

  send(message) {
    assert.equal(this.readyState, OPEN, 'a browser complains on its console')
    this.taken.push(message)
  }
  close() { this.readyState = CLOSING }
}

/** A replica that wants nothing but the connection. */
const replica = { start: () => [{ type: 'connect' }], connected: () => [], wake: () => [], status: () => ({ state: 'live' }) }

test('what comes up while a socket closes is not sent', () => {
  const socket = new Socket()
  const connection = new Connection(replica, { room: 'garden', token: null }, socket)
  const sent = []
  connection.on('sent', length => sent.push(length))
  connection.start()
  connection.perform([{ type: 'send', bytes: new Uint8Array(3) }])
  socket.readyState = CLOSING
  connection.perform([{ type: 'send', bytes: new Uint8Array(5) }])
  connection.bringToken('a token')
  assert.equal(socket.taken.length, 1)
  assert.deepEqual(sent, [3])
})
