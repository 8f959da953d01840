import { Source } from '../basics/source.js'
import type { Replica } from '../core/replica.js'
import type { Effect, NetworkEffect } from '../core/types.js'
import { socketAddress } from './address.js'

/** The close code of a socket that the page gives up. */
const closedByPage = 1000
/** The close code that browsers report for a socket that ended without a close frame. */
const lostWithoutClosing = 1006
/** The server's close code for a full room or a full server. */
const closedAsFull = 4429

/**
 * The first byte of a message that brings a token, and of the answer to it. These messages bypass the replica, which
 * doesn't handle tokens.
 */
const bringsToken = 0x06
const takesToken = 0x4d

export function openSocket({ room, token }: { room: string, token: string | null }) {
  const socket = new WebSocket(socketAddress(room, token), 'canvas.v1.bin')
  socket.binaryType = 'arraybuffer'
  return socket
}

/**
 * A replica with its socket. It carries out the replica's effects on the network, and reports the results to the
 * replica. It passes all other effects on: `effect`, one at a time and in order. `performed` follows each run of
 * effects. `sent`: a message was given to the socket; the detail is how many bytes it has.
 *
 * Messages of a socket that was given up are ignored, so a replica never hears of a connection that it has left.
 *
 * `stopped`: the replica is broken, and nothing is sent or received any more.
 */
export class Connection extends Source<{ effect: Exclude<Effect, NetworkEffect>, performed: null, sent: number,
  tokenTaken: null, stopped: null }> {
  #room
  #token
  #opened: WebSocket | null
  #socket: WebSocket | null = null
  #timer = 0
  #effects: Effect[] = []
  #isPerforming = false
  #isTurnedAway = false
  #isEnded = false
  #heardAt = 0
  readonly replica

  /** @param opened a socket of the room that was opened before there was a replica */
  constructor(
    replica: Replica, { room, token }: { room: string, token: string | null }, opened: WebSocket | null = null,
  ) {
    super()
    this.replica = replica
    this.#room = room
    this.#token = token
    this.#opened = opened
  }

  /** Whether the last attempt failed because the room or the server was full. The replica keeps trying. */
  get isTurnedAway() { return this.#isTurnedAway }

  /** The token with which the page enters the room. */
  get token() { return this.#token }

  /** Continues with another token, over this connection and later ones. `tokenTaken`: the server has accepted it. */
  bringToken(token: string) {
    this.#token = token
    this.#give(tokenMessage(token))
  }

  /** When the newest message came, by the page's clock. */
  get heardAt() { return this.#heardAt }

  /** Enters the room. */
  start() { this.perform(this.replica.start()) }

  /** Carries out effects in order, including those that are added meanwhile. */
  perform(effects: Effect[]) {
    this.#effects.push(...effects)
    if (this.#isPerforming) return
    this.#isPerforming = true
    try {
      while (!this.#isEnded) {
        const effect = this.#effects.shift()
        if (!effect) break
        this.#carryOut(effect)
      }
    } finally {
      this.#isPerforming = false
    }
    this.tell('performed', null)
  }

  /**
   * Tries to connect now instead of at the next attempt's time, because the network is back or the page is visible
   * again.
   */
  hurry() {
    if (this.replica.status().state === 'waiting') this.start()
  }

  /** Opens a new connection at once, because the present one is broken although the browser has not noticed. */
  renew() {
    if (!this.#socket) return
    this.#giveUp()
    this.perform(this.replica.disconnected(lostWithoutClosing))
    this.hurry()
  }

  /** Closes the socket for good. The replica isn't called again. */
  end() {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#giveUp()
  }

  /** Stops for good, because the replica's code has failed and its state can't be trusted. */
  stop() {
    this.end()
    this.tell('stopped', null)
  }

  #carryOut(effect: Effect) {
    switch (effect.type) {
      case 'connect': return this.#connect()
      case 'send': return this.#send(effect.bytes)
      case 'disconnect': return this.#giveUp()
      case 'wake': return this.#wakeAt(effect.at)
    }
    if (effect.type === 'state' && effect.state === 'live') this.#isTurnedAway = false
    this.tell('effect', effect)
  }

  #send(bytes: Uint8Array) {
    if (this.#give(bytes)) this.tell('sent', bytes.length)
  }

  /**
   * Gives a message to the socket. If the socket is closing, the message is dropped: `close` will follow, and the
   * replica still has everything that the server has not answered.
   */
  #give(message: Uint8Array | string) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false
    this.#socket.send(message)
    return true
  }

  #connect() {
    this.#giveUp()
    const socket = this.#takeOpened() ?? openSocket({ room: this.#room, token: this.#token })
    const isCurrent = () => this.#socket === socket
    const connected = () => {
      if (isCurrent()) this.perform(this.replica.connected())
    }
    if (socket.readyState === WebSocket.OPEN) queueMicrotask(connected)
    else socket.addEventListener('open', connected)
    socket.addEventListener('message', ({ data }) => {
      if (!isCurrent()) return
      this.#heardAt = performance.now()
      if (new Uint8Array(data)[0] === takesToken) return this.tell('tokenTaken', null)
      this.perform(this.replica.received(data))
    })
    socket.addEventListener('close', ({ code }) => {
      if (!isCurrent()) return
      this.#socket = null
      this.#isTurnedAway = code === closedAsFull
      this.perform(this.replica.disconnected(code))
    })
    this.#socket = socket
  }

  /** The socket that was opened beforehand, for the first connection, unless it is closed by now. */
  #takeOpened() {
    const opened = this.#opened
    this.#opened = null
    return opened && opened.readyState <= WebSocket.OPEN ? opened : null
  }

  #giveUp() {
    const socket = this.#socket
    this.#socket = null
    socket?.close(closedByPage)
  }

  #wakeAt(time: number) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.perform(this.replica.wake()), Math.max(0, time - performance.now()))
  }
}

/** A message that brings a token, in the binary encoding: its kind, the token's length as a varint, and the token. */
function tokenMessage(token: string) {
  const text = new TextEncoder().encode(token)
  const head = [bringsToken]
  let rest = text.length
  for (; rest > 127; rest >>= 7) head.push((rest & 127) | 128)
  head.push(rest)
  return new Uint8Array([...head, ...text])
}
