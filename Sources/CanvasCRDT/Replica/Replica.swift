/// The client's half of a room, as a state machine: the canvas that is shown, the client's own unanswered edits, and
/// the connection.
///
/// A replica does no I/O. The host reports each event (connected, received, disconnected, woken, an edit), and then
/// carries out the effects that the replica returns. Every event comes with the time, and all randomness comes from one
/// seed. So the same code runs in the terminal, in the browser and, a hundred replicas at a time, in a simulation.
///
/// Edits are shown at once, and sent when there is a connection. An edit that the server refuses is reverted. A lost
/// connection loses no edit: every unanswered edit is sent again under the same stamp. Sending an edit twice does no
/// harm.
public struct Replica: Sendable {
  public internal(set) var configuration: ReplicaConfiguration

  var connection: ClientConnection
  /// Whether the room's state still has to arrive after the welcome. After a reconnect, this can be only the changes
  /// since the connection was lost.
  var isLoading = false
  /// The actor that the client becomes when the room's state has arrived. `nil` if the actor doesn't change.
  var awaitedActor: Identifier?
  /// How far the server's time was thought to be ahead of the host's when edits got their stamps, and the last of these
  /// stamps. `nil` if the server had told this process its time, and once these stamps are corrected.
  var guess: (offset: Int64, until: UInt64)?
  /// How far the wall clock was ahead of the monotonic clock when edits got their stamps before the server had told its
  /// time: the largest value. It tells whether the wall clock was set back since.
  var wallAheadAtStamps: Int64?
  private var stateTold = ReplicaState.offline

  var optimistic: OptimisticCanvas
  var outbox: Outbox
  var history = UndoHistory()
  var clock: StampClock
  var reserve = StampReserve()
  var random: SplitMix

  /// The position in the log up to which everything has arrived. It doesn't move until all parts of a delivery have
  /// come, so an interrupted delivery is sent again.
  public internal(set) var cursor: Cursor?

  public internal(set) var room: Text?
  public internal(set) var role: Role?
  public internal(set) var peers: [Peer] = []
  /// The number of people in the room, including this client, if the room is too large to name everyone. Otherwise 0.
  public internal(set) var crowd: UInt64 = 0

  var messageLimits: MessageLimits
  /// An upper bound on the bytes of a message with several operations. Over a thin uplink, a longer message would not get
  /// through before the connection is given up. It is reduced when the server closes the connection because of a message
  /// that is too long.
  var messageBytesTaken = 65_536
  var sendBlockedUntil: UInt64?
  /// Why the server hasn't stored an edit yet. `nil` after the server has accepted an edit.
  public internal(set) var postponement: Postponement?
  var stampTrust = StampTrust.full

  var presence = PresenceSender()
  var digestCheck = DigestCheck()
  /// With more deletions than this, the replica loads the room's state anew, because the server has forgotten most of
  /// them (W12). It is twice what a server remembers, or twice what the last whole state had.
  var erasuresMax = 2_000_000
  var pings = PingTimes()
  var sendWindow = SendWindow()
  /// When the replica last showed a state that was still arriving, on the monotonic clock.
  var arrivingShownAt: UInt64 = 0

  var effects: [ReplicaEffect] = []
  private var unsentTold = 0
  private var wakeTold: UInt64?

  /// A new replica. `actor` is the actor from an earlier session of this client, or `nil`. The host has to choose
  /// `seed` at random.
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
    // A client without an actor from an earlier session has only a provisional one. The server then chooses the actor
    // and sends its key.
    if actor == nil { connection.askForNewActor() }
  }

  init(
    configuration: ReplicaConfiguration,
    clock: StampClock,
    serverTime: ServerTime = ServerTime(),
    key: Text? = nil,
    outbox: Outbox,
    confirmed: Canvas?,
    cursor: Cursor?,
    random: SplitMix
  ) {
    self.configuration = configuration
    self.clock = clock
    connection = ClientConnection(
      serverTime: serverTime,
      key: key,
      pauseMillisecondsMax: configuration.pauseMillisecondsMax
    )
    self.cursor = cursor
    messageLimits = MessageLimits(RoomLimits(), encoding: configuration.encoding)
    var random = random
    // The canvas is finished before it is stored in the replica, because changing it afterwards would copy it.
    var optimistic = OptimisticCanvas(seed: random.next(), confirmed: confirmed)
    outbox.forEach { pending in
      optimistic.hold(pending.operation.shape)
      optimistic.shown.apply(pending.operation)
    }
    self.outbox = outbox
    self.random = random
    self.optimistic = optimistic
    unsentTold = outbox.count
    if confirmed != nil { noteReplaced() }
  }
}

/// A replica's settings. `introduce` can change the name and the color later.
public struct ReplicaConfiguration: Hashable, Sendable {
  /// The name that other people see.
  public var name: Text?
  public var color: Color?
  public var encoding = WireEncoding.binary
  /// Whether to receive overlap notices.
  public var overlaps = false
  /// Whether the client is read-only. A read-only replica refuses edits.
  public var readonly = false
  /// The longest pause between tries to connect. Pauses can be longer if the server has closed the connection because
  /// it has too many clients.
  public var pauseMillisecondsMax = Backoff.millisecondsMax

  public init() {}
}

// MARK: - Reading

extension Replica {
  /// The shown canvas: the confirmed canvas with the client's own edits over it.
  public var canvas: Canvas { optimistic.shown }

  /// The canvas without unanswered edits, as far as the room's state is known. Each call builds it anew.
  public var confirmedCanvas: Canvas { optimistic.confirmed }

  /// The digest of `confirmedCanvas`, computed without building that canvas.
  public var confirmedDigest: UInt64 { optimistic.confirmedDigest }

  public var actor: Identifier { clock.clock.actor }

  /// Whether this user made a stamp, as this actor or as a former one.
  func isOwn(_ stamp: Stamp) -> Bool { stamp.actor == actor || history.isFormer(stamp) }

  /// Whether this user wrote the text of a shape first, and has not only restored it by undo or redo.
  func isOwnText(of shape: Identifier) -> Bool {
    guard let original = history.originalStamp(of: .text, in: shape, on: canvas) else { return false }
    return isOwn(original)
  }

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

  /// The room's limits, from its newest welcome.
  public var limits: RoomLimits { connection.limits }

  /// How many operations the server has not answered yet.
  public var unsentCount: Int { outbox.count }

  public var canUndo: Bool { history.canUndo }
  public var canRedo: Bool { history.canRedo }

  public func peer(_ actor: Identifier) -> Peer? {
    peers.first { $0.actor == actor }
  }

  /// How many people in the room the server doesn't name because there are too many.
  public var unnamedCount: Int { max(0, Int(clamping: crowd) - peers.count - 1) }

  /// An estimate of the time on the server's clock.
  public func serverMilliseconds(at now: Moment) -> UInt64 { connection.serverTime.milliseconds(at: now) }

  /// When the host has to call `wake` next, on the monotonic clock. This is the time in the newest `wake` effect.
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
  /// Sends what can be sent, and returns the effects of the event.
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

  /// Called when the host has woken the replica. The newest `wake` effect is then used up.
  mutating func forgetWake() {
    wakeTold = nil
  }

  /// Reports the replica's state if it has changed.
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
