import { Source } from '../basics/source.js'
import type { Replica } from '../core/replica.js'
import type { CloseName } from '../core/table.js'
import type { Effect, NetworkEffect } from '../core/types.js'
import { socketAddress, takeToken } from './address.js'

/** The close code with which the page closes a socket. */
const closedByPage = 1000
/** The server's close code for a full room or a full server. */
const closedAsFull = 4429
/** The server's close code for a token that is not, or no longer, valid. */
const closedWithoutToken = 4401
/** The close code of a socket that failed. The replica connects again after it. */
const closedByFailure = 1006

export function openSocket({ room, token }: { room: string, token: string | null }) {
  const socket = new WebSocket(socketAddress(room, token), 'canvas.v1.bin')
  socket.binaryType = 'arraybuffer'
  return socket
}

/**
 * A replica and its socket. It carries out the replica's effects on the network, and passes what happens on the network
 * to the replica. Events:
 *
 * `effect`: an effect that is not about the network; all such effects are sent in order. `performed`: a batch of
 * effects was carried out. `stopped`: the replica's code has failed, so nothing is sent or received any more.
 *
 * Messages of a closed socket are ignored, so the replica never gets a message of an old connection.
 */
export class Connection extends Source<{ effect: Exclude<Effect, NetworkEffect>, performed: null,
  stopped: null }> {
  #room
  #token
  /** Tokens that the server has not answered yet, the newest last. */
  #brought: string[] = []
  #opened: WebSocket | null
  #socket: WebSocket | null = null
  #timer = 0
  #effects: Effect[] = []
  #isPerforming = false
  #isTurnedAway = false
  /** Why the server has closed the connection for good. */
  #closedFor: CloseName | undefined
  #isEnded = false
  readonly replica

  /** @param opened a socket of the room, if one was opened before the replica was made */
  constructor(
    replica: Replica, { room, token }: { room: string, token: string | null }, opened: WebSocket | null = null,
  ) {
    super()
    this.replica = replica
    this.#room = room
    this.#token = token
    this.#opened = opened
  }

  /** Whether the last attempt failed because the room or the server is full. The replica keeps trying. */
  get isTurnedAway() { return this.#isTurnedAway }

  /**
   * Whether the token's person has joined in another place. The replica doesn't come back by itself, because it would
   * only close that connection.
   */
  get isElsewhere() { return this.#closedFor === 'actor_elsewhere' }

  /** Whether the server has refused the hello. It does that if the person's name is too long for it. */
  get isHelloRefused() { return this.#closedFor === 'bad_hello' }

  /** The token with which the page enters the room. */
  get token() { return this.#token }

  /**
   * Offers the server another token, now or as soon as the room is open. It is used and kept once the server has
   * accepted it, which the effect `tokenTaken` says (C11).
   */
  bringToken(token: string) {
    this.#brought.push(token)
    if (this.replica.status().state === 'live') this.perform(this.replica.bringToken(token))
  }

  #keepToken(token = this.#token) {
    if (token === null) return
    this.#token = token
    takeToken(token)
  }

  /** Whether the replica gets no more calls. */
  get isEnded() { return this.#isEnded }

  /** Enters the room. */
  start() { this.perform(this.replica.start()) }

  /** Enters the room with another token, because the server refuses the present one. It is kept even if it is wrong. */
  enterWith(token: string) {
    this.#keepToken(token)
    this.start()
  }

  /** Carries out effects in order, including effects that are added meanwhile. */
  perform(effects: Effect[]) {
    // There can be more than the arguments that a call may have.
    for (const effect of effects) this.#effects.push(effect)
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
   * Tries to connect now, without waiting for the next attempt, because the network is back or the page is visible
   * again.
   */
  hurry() {
    if (this.replica.status().state === 'waiting') this.start()
  }

  /** Closes the socket for good. The replica gets no more calls. */
  end() {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#giveUp()
  }

  /** Stops for good, because the replica's code has failed and its state may be corrupt. */
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
    if (effect.type === 'state') this.#closedFor = effect.state === 'closed' ? effect.code : undefined
    if (effect.type === 'state' && effect.state === 'live') {
      this.#isTurnedAway = false
      // Only the newest of the tokens that an earlier connection has left unanswered is of use.
      this.#brought = this.#brought.slice(-1)
      for (const token of this.#brought) this.#effects.push(...this.replica.bringToken(token))
    }
    if (effect.type === 'tokenTaken') this.#keepToken(this.#brought.shift())
    if (effect.type === 'error' && effect.code === 'token_refused') this.#brought.shift()
    this.tell('effect', effect)
  }

  /**
   * Gives a message to the socket. A closing socket drops it. That loses nothing, because the replica keeps edits until
   * the server has acknowledged them.
   */
  #send(bytes: Uint8Array) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(bytes)
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
      this.perform(this.replica.received(data))
    })
    socket.addEventListener('close', ({ code }) => {
      if (!isCurrent()) return
      this.#socket = null
      this.#isTurnedAway = code === closedAsFull
      // The old token is of no use any more, so the new one is used without an answer.
      const brought = code === closedWithoutToken ? this.#brought.pop() : undefined
      if (brought !== undefined) {
        this.#brought = []
        this.#keepToken(brought)
      }
      this.perform(this.replica.disconnected(brought === undefined ? code : closedByFailure))
    })
    this.#socket = socket
  }

  /** The socket that was opened before the replica was made. It is used once, and only if it is still open. */
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
