import CanvasCRDT
import WebSocketLoop

/// Gets a room's events. These are the replica's effects, in order, without those that the client carries out itself
/// (connect, send, disconnect, wake).
@ClientLoop
protocol RoomFollower: AnyObject {
  func follow(_ effect: ReplicaEffect, in client: RoomClient)
}

/// A replica with a socket. The client carries out the replica's effects, and reconnects whenever the replica asks for
/// it.
///
///     let client = RoomClient(server, room, Replica(configuration: …, seed: …), follower: self)
///     try await client.join(tell: …)
///     client.edit { replica, now in replica.edit([…], at: now) }
///     _ = await client.settle(withinMilliseconds: …) { waiting in … }
///     await client.leave()
@ClientLoop
final class RoomClient {
  let server: ServerAddress
  let room: RoomName
  private(set) var replica: Replica
  /// How the newest connection ended. `nil` once the server has let the client in again.
  private(set) var lastClosure: Closure?
  /// The error that the server sent before it closed the connection.
  var lastError: String? { socket.lastError?.words }
  var lastErrorCode: String? { socket.lastError?.code }
  /// The number of failed tries since the client was last in the room.
  private(set) var failedAttempts = 0
  private(set) var hasBeenLive = false
  private(set) var partsArrived = 0
  /// How many times the client has joined the room.
  private(set) var joins = 0
  /// Whether a connection was lost before the server had answered everything. The server might have stored that.
  private(set) var hasLostAnswers = false
  private var awaitsAnswer = false
  let waiters = Waiters()

  private(set) var line = ReplicaLine()
  private var looking: LoopTimer?

  private let follower: (any RoomFollower)?
  private var socket: RoomSocket!
  private var isLeaving = false

  init(_ server: ServerAddress, _ room: RoomName, _ replica: Replica, follower: (any RoomFollower)? = nil) {
    self.server = server
    self.room = room
    self.replica = replica
    self.follower = follower
    socket = RoomSocket(server, room, replica.configuration.encoding, owner: self)
  }

  /// Starts to connect. It retries until it succeeds, and `join` waits for that.
  func start() {
    carryOut(replica.start(at: .now()))
    if looking == nil { lookSoon() }
  }

  /// Connects at once, without waiting for the next scheduled try. Also takes the room back from another connection of
  /// the same actor, and enters again if there is a new token since the server has accepted none.
  func tryNow() {
    switch replica.state {
    case .waiting, .closed(code: CloseCode.actorElsewhere.rawValue): carryOut(replica.start(at: .now()))
    case .closed where socket.hasNewToken: carryOut(replica.start(at: .now()))
    default: break
    }
  }

  /// Changes the replica and carries out its effects.
  func edit(_ body: (inout Replica, Moment) -> [ReplicaEffect]) {
    carryOut(body(&replica, .now()))
  }

  /// Like `edit`, for a change that returns a result.
  func edit<Result>(_ body: (inout Replica, Moment) -> (Result, [ReplicaEffect])) -> Result {
    let (result, effects) = body(&replica, .now())
    carryOut(effects)
    return result
  }

  /// Shows other users this user's presence, as soon as the connection is free.
  func showPresence(_ state: JSONText) {
    edit { replica, now in line.showPresence(state, of: &replica, at: now) }
  }

  /// Leaves the room. Unacknowledged edits stay in the replica.
  func leave() async {
    isLeaving = true
    looking?.cancel()
    edit { replica, now in replica.stop(at: now) }
    socket.sleep()
    _ = await wait(withinMilliseconds: 1_000) { $0.socket.connection == nil }
  }

  private func carryOut(_ effects: [ReplicaEffect]) {
    let effects = line.follow(effects, of: &replica, at: .now())
    for effect in effects {
      switch effect {
      case .connect: socket.connect()
      case .send(let bytes): socket.send(bytes)
      case .disconnect: if isLeaving { socket.sayGoodbye() } else { socket.drop() }
      case .wake(let time): socket.wake(at: time)
      default:
        note(effect)
        follower?.follow(effect, in: self)
      }
    }
    awaitsAnswer = replica.awaitsAnswer
    if !effects.isEmpty { waiters.check() }
  }

  private func note(_ effect: ReplicaEffect) {
    switch effect {
    case .state(let state):
      if state.isJoined { lastClosure = nil } else if awaitsAnswer { hasLostAnswers = true }
      guard state == .live else { return }
      hasBeenLive = true
      failedAttempts = 0
      joins += 1
    case .error(let code, let message): socket.heard(code, message)
    default: break
    }
  }
}

// MARK: - The line

extension RoomClient {
  private func lookSoon() {
    looking = ClientLoop.shared.loop.schedule(afterMilliseconds: ReplicaLine.lookMilliseconds) { [weak self] in
      ClientLoop.assumeIsolated { self?.look() }
    }
  }

  private func look() {
    carryOut(line.look(at: &replica, at: .now()))
    lookSoon()
  }
}

extension RoomClient: RoomSocketOwner {
  func socketOpened() {
    carryOut(replica.connected(at: .now()))
  }

  func socketReceived(_ message: Message) {
    line.heard(at: .now())
    if replica.state == .loading { partsArrived += 1 }
    carryOut(replica.received(Array(message.bytes), isText: message.isText, at: .now()))
  }

  func socketClosed(_ closure: Closure) {
    lastClosure = closure
    failedAttempts += 1
    carryOut(replica.disconnected(closeCode: closure.code, at: .now()))
    waiters.check()
  }

  func timeHasCome() {
    carryOut(replica.wake(at: .now()))
  }
}
