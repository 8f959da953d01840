import { socketAddress } from './address.js'

/** What a socket is told when it is given up. */
const closedByUs = 1000

/**
 * A session's socket: does the effects that concern the network, and tells the session what became of it.
 *
 * What the session answers is handed to `perform`, which carries out what is left. A socket that was given up is heard
 * no more, so that a session is never told of a connection that it has already left.
 */
export class Connection {
  #session
  #room
  #token
  #perform
  #socket = null
  #timer = 0

  /**
   * @param {import('../core/replica.js').Replica} session
   * @param {{room: string, token: string | null, perform: (effects: import('../core/types.js').Effect[]) => void}} options
   */
  constructor(session, { room, token, perform }) {
    this.#session = session
    this.#room = room
    this.#token = token
    this.#perform = perform
  }

  /** @param {import('../core/types.js').Effect} effect @returns {boolean} whether it was one for the network */
  take(effect) {
    switch (effect.type) {
      case 'connect': this.#connect(); return true
      case 'send': this.#socket?.send(effect.bytes); return true
      case 'disconnect': this.#giveUp(); return true
      case 'wake': this.#wakeAt(effect.at); return true
      default: return false
    }
  }

  /** The network is said to be back, or the page is looked at again: not worth waiting for the next try. */
  hurry() {
    if (this.#session.status().state === 'waiting') this.#perform(this.#session.start())
  }

  /** The socket is closed and the session is not called again. */
  end() {
    clearTimeout(this.#timer)
    this.#giveUp()
  }

  #connect() {
    this.#giveUp()
    const socket = new WebSocket(socketAddress(this.#room, this.#token), 'canvas.v1.bin')
    socket.binaryType = 'arraybuffer'
    const isCurrent = () => this.#socket === socket
    socket.addEventListener('open', () => {
      if (isCurrent()) this.#perform(this.#session.connected())
    })
    socket.addEventListener('message', ({ data }) => {
      if (isCurrent()) this.#perform(this.#session.received(data))
    })
    socket.addEventListener('close', ({ code }) => {
      if (!isCurrent()) return
      this.#socket = null
      this.#perform(this.#session.disconnected(code))
    })
    this.#socket = socket
  }

  #giveUp() {
    const socket = this.#socket
    this.#socket = null
    socket?.close(closedByUs)
  }

  #wakeAt(time) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#perform(this.#session.wake()), Math.max(0, time - performance.now()))
  }
}
