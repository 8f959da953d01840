/// A client's connection to a room: connecting, saying hello, keeping to the room's rate, and reconnecting after a
/// loss.
///
/// Two owners use it: `Replica`, which keeps the drawing, and clients that only write. The owner reports events,
/// carries out the instructions that the connection returns, and supplies time and randomness.
public struct ClientConnection: Sendable {
  public enum State: Hashable, Sendable {
    /// There is no connection, and no try is planned.
    case offline
    /// There is no connection. The next try comes at this time of the monotonic clock.
    case waiting(untilMonotonicMilliseconds: UInt64)
    /// A socket is being opened.
    case connecting
    /// Hello was sent, and the welcome hasn't come yet.
    case greeting
    /// The server has answered with a welcome.
    case joined
    /// The server has refused the client for good, so the client doesn't try again. Or the client's actor is in the
    /// room on another connection, and the client would only close that one; it rests until `start` is called.
    case closed(code: UInt16)
  }

  public private(set) var state = State.offline

  /// The room's limits, from its newest welcome.
  public private(set) var limits = RoomLimits()

  public private(set) var serverTime: ServerTime

  /// How many times the client has joined the room.
  public private(set) var joins = 0

  /// The key that the server sent with the actor. A client that presents the key gets the same actor again. `nil` if
  /// the server has sent none.
  private(set) var key: Text?

  private(set) var helloSentAt: UInt64?
  private var joinedAt: UInt64?
  private var asksForNewActor = false
  /// The actor in the newest welcome.
  private var givenActor: Identifier?
  /// Whether the server gives this client the same actor, whatever the client asks for: a token names the actor (C10).
  private(set) var isActorFixed = false
  private(set) var retryPauses = Backoff()

  /// The longest pause between tries. A host sets a short one if a person is waiting at a screen.
  private let pauseMillisecondsMax: UInt64

  private var rate = TokenBucket(perSecond: 1, capacity: 1, at: 0)
  private var refusalPauses = Backoff()
  private var pausedUntil: UInt64?

  /// How long the client waits for a welcome before it gives the connection up.
  static let welcomeMillisecondsMax: UInt64 = 15_000

  /// If a connection has lasted this long before it is lost, the pauses between tries are short again.
  private static let stableMilliseconds: UInt64 = 10_000

  /// - Parameter key: the key from an earlier welcome.
  public init(
    serverTime: ServerTime = ServerTime(),
    key: Text? = nil,
    pauseMillisecondsMax: UInt64 = Backoff.millisecondsMax
  ) {
    self.serverTime = serverTime
    self.key = key
    self.pauseMillisecondsMax = pauseMillisecondsMax
  }

  /// Whether there is a socket, or a socket is being opened.
  public var hasSocket: Bool { state == .connecting || state == .greeting || state == .joined }

  /// When the owner has to call `wake`, on the monotonic clock.
  public var wakeAt: UInt64? {
    switch state {
    case .waiting(let until): until
    case .greeting: helloSentAt.map { $0 &+ ClientConnection.welcomeMillisecondsMax }
    case .offline, .connecting, .joined, .closed: nil
    }
  }
}

// MARK: - Connecting and disconnecting

extension ClientConnection {
  /// Instructions to the owner of the socket.
  public enum SocketAction: Hashable, Sendable {
    case nothing
    case open
    case close
  }

  /// Connects now, even if the next try isn't due yet.
  public mutating func start() -> SocketAction {
    guard !hasSocket else { return .nothing }
    state = .connecting
    return .open
  }

  /// Closes the connection, and doesn't connect again until `start` is called.
  public mutating func stop(at now: Moment) -> SocketAction {
    let action = hasSocket ? SocketAction.close : .nothing
    lose(at: now)
    state = .offline
    return action
  }

  /// Gives up a connection on which hello was sent, in order to reconnect. Returns whether there was such a connection.
  /// In that case, the owner closes its socket and opens another.
  public mutating func restart(at now: Moment) -> Bool {
    guard state == .greeting || state == .joined else { return false }
    lose(at: now)
    state = .connecting
    return true
  }

  /// Called when the socket is open. Returns the hello to send; the owner has to fill in the fields that the connection
  /// doesn't know. `nil` if the connection hadn't asked for a socket.
  public mutating func opened(as actor: Identifier, at now: Moment) -> Hello? {
    guard state == .connecting else { return nil }
    state = .greeting
    helloSentAt = now.monotonicMilliseconds
    var hello = Hello()
    hello.vocabularyNumber = UInt8(Vocabulary.all.count)
    hello.actor = asksForNewActor ? nil : actor
    hello.key = asksForNewActor ? "" : key ?? ""
    return hello
  }

  /// Called when the server has sent the welcome.
  public mutating func receive(_ welcome: Welcome, at now: Moment) {
    serverTime.read(welcome.milliseconds, sentAt: helloSentAt, at: now)
    limits = welcome.limits
    rate = TokenBucket(
      perSecond: limits.operationsPerSecond,
      capacity: limits.operationsPerSecond,
      at: now.monotonicMilliseconds
    )
    // A server gives a key with each actor that it has chosen (C9).
    isActorFixed = welcome.key == nil || welcome.actor == givenActor && (asksForNewActor || isActorFixed)
    givenActor = welcome.actor
    asksForNewActor = false
    key = welcome.key
    joinedAt = now.monotonicMilliseconds
    joins += 1
    state = .joined
  }

  /// Called when the server has answered a ping.
  public mutating func receivePong(_ milliseconds: UInt64, sentAt: UInt64, at now: Moment) {
    serverTime.read(milliseconds, sentAt: sentAt, at: now)
  }

  /// Called when the socket was closed, or could not be opened. `code` is the close code, if there was one. Returns
  /// whether the connection had a socket.
  public mutating func closed(
    _ code: UInt16?,
    at now: Moment,
    using generator: inout some RandomNumberGenerator
  ) -> Bool {
    guard hasSocket else { return false }
    let isElsewhere = code == CloseCode.actorElsewhere.rawValue
    // Another client has joined with this actor. Two writers with one actor would make equal stamps, so this client
    // comes back as a new actor. If it can't get one, it would throw the other client out, and that one would do the
    // same to it. So it doesn't come back.
    if isElsewhere { asksForNewActor = true }
    if let code, CloseCode.isFinal(code) || isElsewhere && isActorFixed {
      lose(at: now)
      state = .closed(code: code)
    } else {
      // If the server has too many clients, the pauses grow longer, even if a person is waiting at a screen.
      let longest = code == CloseCode.tooMany.rawValue ? Backoff.millisecondsMax : pauseMillisecondsMax
      retry(at: now, upTo: longest, using: &generator)
    }
    return true
  }

  /// Leaves the actor out of the next hello, so that the client comes back as a new actor.
  public mutating func askForNewActor() { asksForNewActor = true }

  /// Gives up the connection, and plans another try after a pause.
  public mutating func retry(at now: Moment, using generator: inout some RandomNumberGenerator) {
    retry(at: now, upTo: pauseMillisecondsMax, using: &generator)
  }

  private mutating func retry(at now: Moment, upTo longest: UInt64, using generator: inout some RandomNumberGenerator) {
    lose(at: now)
    let pause = retryPauses.next(upTo: longest, using: &generator)
    state = .waiting(untilMonotonicMilliseconds: now.monotonicMilliseconds &+ pause)
  }

  /// To be called at the time in `wakeAt`. If the next try is due, the owner is asked to open a socket. If the welcome
  /// is overdue, the owner is asked to close the socket, and the next try comes after a pause.
  public mutating func wake(at now: Moment, using generator: inout some RandomNumberGenerator) -> SocketAction {
    guard let wakeAt, now.monotonicMilliseconds >= wakeAt else { return .nothing }
    if state == .greeting {
      retry(at: now, using: &generator)
      return .close
    }
    return start()
  }

  private mutating func lose(at now: Moment) {
    if let joinedAt, now.monotonicMilliseconds >= joinedAt &+ ClientConnection.stableMilliseconds {
      retryPauses.reset()
    }
    joinedAt = nil
    pausedUntil = nil
  }
}

// MARK: - How fast operations may be sent

extension ClientConnection {
  /// The time until which nothing may be sent, because the server has refused a message that it may accept later. `nil`
  /// if sending is allowed.
  public mutating func sendingPause(at now: Moment) -> UInt64? {
    if let until = pausedUntil, now.monotonicMilliseconds < until { return until }
    pausedUntil = nil
    return nil
  }

  /// Counts a message's operations against the room's rate limit.
  /// - Returns: `nil` if the message may be sent now. Otherwise the time at which the limit will allow it; the
  ///   operations are not counted then.
  public mutating func spend(_ operations: Int, at now: Moment) -> UInt64? {
    let tokens = min(UInt64(max(operations, 0)), rate.capacity)
    if rate.take(tokens, at: now.monotonicMilliseconds) { return nil }
    return now.monotonicMilliseconds &+ rate.millisecondsUntil(tokens, at: now.monotonicMilliseconds)
  }

  /// Called when the server has refused a message that it might accept later. The client then sends nothing for a
  /// while. If refusals go on, each pause is longer than the previous one.
  public mutating func pauseSending(at now: Moment, using generator: inout some RandomNumberGenerator) {
    // If sending already pauses, this refusal doesn't count. Messages that were sent together and are refused together
    // count as one failed try.
    guard sendingPause(at: now) == nil else { return }
    pausedUntil = now.monotonicMilliseconds &+ refusalPauses.next(using: &generator)
  }

  /// Called when the server has accepted a message: the next pause is short again.
  public mutating func resetPauses() { refusalPauses.reset() }
}
