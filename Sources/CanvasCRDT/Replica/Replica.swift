/// The client's half of a room: what is shown, one's own edits on their way, and the connection, as a state machine.
///
/// It does nothing itself. The host tells it what happened — connected, received, disconnected, the time it asked to be
/// woken at, an edit — and does what it asks for in return. Every event takes the time; chance comes from one seed. So
/// the same replica runs in the terminal, in the browser and in a simulation of a hundred of them.
///
/// Edits are shown at once and sent as soon as the room can be reached. What the server refuses is taken back; what it
/// takes was only ever early. Losing the connection loses nothing: everything unanswered is sent again, under the same
/// stamps, which changes nothing where it had arrived.
public struct Replica: Sendable {
  public internal(set) var configuration: ReplicaConfiguration

  var connection: ClientConnection
  /// Since the welcome: the room's state, or what happened in the meantime, is on its way.
  var isLoading = false
  private var stateTold = ReplicaState.offline

  var optimistic: OptimisticCanvas
  var outbox: Outbox
  var history = UndoHistory()
  var clock: StampClock
  var random: SplitMix

  /// The newest place in the log up to which everything has come. A delivery that is to be continued does not move it,
  /// so that one cut in the middle is sent again.
  public internal(set) var cursor: Cursor?

  public internal(set) var room: Text?
  public internal(set) var role: Role?
  public internal(set) var peers: [Peer] = []

  var messageLimits: MessageLimits
  var sendBlockedUntil: UInt64?
  var distrustsStamps = false

  var presence = PresenceSender()
  var digestCheck = DigestCheck()
  var pings = PingTimes()

  var effects: [ReplicaEffect] = []
  private var unsentTold = 0
  private var wakeTold: UInt64?

  /// A new replica. `actor` is one's earlier self, or nobody yet; `seed` is drawn at random by the host.
  public init(actor: Identifier? = nil, configuration: ReplicaConfiguration = ReplicaConfiguration(), seed: UInt64) {
    var random = SplitMix(seed: seed)
    let clock = Clock(actor: actor ?? Identifier.random(using: &random))
    self.init(
      configuration: configuration,
      clock: StampClock(clock: clock),
      outbox: Outbox(),
      confirmed: nil,
      cursor: nil,
      random: random
    )
  }

  init(
    configuration: ReplicaConfiguration,
    clock: StampClock,
    serverTime: ServerTime = ServerTime(),
    outbox: Outbox,
    confirmed: Canvas?,
    cursor: Cursor?,
    random: SplitMix
  ) {
    self.configuration = configuration
    self.clock = clock
    connection = ClientConnection(serverTime: serverTime)
    self.outbox = outbox
    self.cursor = cursor
    messageLimits = MessageLimits(RoomLimits(), encoding: configuration.encoding)
    var random = random
    // Whole before it is kept: what is changed in a replica that is not yet whole is copied out of it in the end.
    var optimistic = OptimisticCanvas(seed: random.next(), confirmed: confirmed)
    outbox.forEach { pending in
      optimistic.hold(pending.operation.shape)
      optimistic.shown.apply(pending.operation)
    }
    self.random = random
    self.optimistic = optimistic
    unsentTold = outbox.count
  }
}

/// What a replica is told at first. Name and color can be told anew with `introduce`.
public struct ReplicaConfiguration: Hashable, Sendable {
  /// By which others know one.
  public var name: Text?
  public var color: Color?
  public var encoding = WireEncoding.binary
  /// To be told of overlaps.
  public var overlaps = false
  /// To look on: edits are refused before they are made.
  public var readonly = false

  public init() {}
}

// MARK: - Reading

extension Replica {
  /// What is shown: what is confirmed and one's own edits over it.
  public var canvas: Canvas { optimistic.shown }

  /// What the room is known to have, one's unanswered edits left out. Made anew each time.
  public var confirmedCanvas: Canvas { optimistic.confirmed }

  /// The digest of `confirmedCanvas`, without making it.
  public var confirmedDigest: UInt64 { optimistic.confirmedDigest }

  public var actor: Identifier { clock.clock.actor }

  public var state: ReplicaState {
    switch connection.state {
    case .offline: .offline
    case .waiting(let until): .waiting(untilMonotonicMilliseconds: until)
    case .connecting: .connecting
    case .greeting: .greeting
    case .joined: isLoading ? .loading : .live
    case .closed(let code): .closed(code: code)
    }
  }

  /// What the room takes, as its newest welcome told.
  public var limits: RoomLimits { connection.limits }

  /// How many operations the server has not yet answered for.
  public var unsentCount: Int { outbox.count }

  public var canUndo: Bool { history.canUndo }
  public var canRedo: Bool { history.canRedo }

  public func peer(_ actor: Identifier) -> Peer? {
    peers.first { $0.actor == actor }
  }

  /// What the server's clock says, as far as one can know.
  public func serverMilliseconds(at now: Moment) -> UInt64 { connection.serverTime.milliseconds(at: now) }

  /// When the replica next wants to be woken, on the monotonic clock; the same as the newest `wake` asked for.
  public var wakeAt: UInt64? {
    var next: UInt64?
    func consider(_ time: UInt64?) {
      guard let time else { return }
      next = min(next ?? time, time)
    }
    consider(connection.wakeAt)
    if state.isJoined {
      consider(sendBlockedUntil)
      consider(presence.dueAt)
      if state == .live { consider(digestCheck.dueAt) }
    }
    return next
  }
}

// MARK: - The end of every event

extension Replica {
  /// Sends what can be sent, and hands over what the event led to.
  mutating func finish(at now: Moment) -> [ReplicaEffect] {
    if state.isJoined {
      sendPending(at: now)
      sendPresence(at: now)
    }
    if state == .live { sendDigest(at: now) }
    let unsent = outbox.count
    if unsent != unsentTold {
      unsentTold = unsent
      effects.append(.unsent(unsent))
    }
    let wakeAt = wakeAt
    if wakeAt != wakeTold {
      wakeTold = wakeAt
      if let wakeAt { effects.append(.wake(atMonotonicMilliseconds: wakeAt)) }
    }
    defer { effects = [] }
    return effects
  }

  /// The wish to be woken has been heard.
  mutating func forgetWake() {
    wakeTold = nil
  }

  /// Says how far the replica is from being in the room, where that is news.
  mutating func tellState() {
    guard state != stateTold else { return }
    stateTold = state
    effects.append(.state(state))
  }

  mutating func send(_ message: ClientMessage) {
    effects.append(.send(configuration.encoding.encode(message)))
  }

  @inline(__always)
  mutating func tellDeparture(by operation: borrowing Operation, _ change: Change) {
    guard change.lifecycle == .vanished, operation.set.assigned.contains(.position) else { return }
    effects.append(.departed(ShapeEdit(shape: operation.shape, set: operation.set)))
  }

  mutating func tell(_ changes: [Change], by origin: ChangeOrigin) {
    if !changes.isEmpty { effects.append(.changed(changes, by: origin)) }
  }
}
