// Tests the replica's WebSocket without a browser: what happens to a message if the socket is closing.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Connection } from '../../build/modules/network/connection.js'

const OPEN = 1, CLOSING = 2
globalThis.WebSocket ??= { OPEN }

/**
 * The part of a browser's WebSocket that a connection uses. Like the browser's, it drops what is sent while it is
 * closing.
 */
class Socket extends EventTarget {
  readyState = OPEN
  taken = []

  send(message) {
    assert.equal(this.readyState, OPEN, 'a browser complains on its console')
    this.taken.push(message)
  }
  close() { this.readyState = CLOSING }
}

/** A replica whose only effect is `connect`. */
const replica = { start: () => [{ type: 'connect' }], connected: () => [], wake: () => [], status: () => ({ state: 'live' }) }

test('what comes up while a socket closes is not sent', () => {
  const socket = new Socket()
  const connection = new Connection(replica, { room: 'garden', token: null }, socket)
  connection.start()
  connection.perform([{ type: 'send', bytes: new Uint8Array(3) }])
  socket.readyState = CLOSING
  connection.perform([{ type: 'send', bytes: new Uint8Array(5) }])
  assert.equal(socket.taken.length, 1)
})
