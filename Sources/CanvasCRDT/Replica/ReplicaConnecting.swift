// Coming and going: from the first try to connect to the welcome, and what happens when the connection is lost.

extension Replica {
  /// Come into the room, now: also before the next try is due, as when the network is said to be back.
  public mutating func start(at now: Moment) -> [ReplicaEffect] {
    carryOut(connection.start())
    return finish(at: now)
  }

  /// Leave, until `start`. Edits are kept.
  public mutating func stop(at now: Moment) -> [ReplicaEffect] {
    if connection.stop(at: now) == .close { effects.append(.disconnect) }
    connectionLost()
    tellState()
    return finish(at: now)
  }

  /// By what others are to know one from now on. Only a hello says that, so a connection that stands is made anew.
  public mutating func introduce(name: Text?, color: Color?, at now: Moment) -> [ReplicaEffect] {
    guard name != configuration.name || color != configuration.color else { return finish(at: now) }
    configuration.name = name
    configuration.color = color
    if connection.restart(at: now) {
      effects.append(.disconnect)
      connectionLost()
      carryOut(.open)
    }
    return finish(at: now)
  }

  /// The connection that was asked for stands.
  public mutating func connected(at now: Moment) -> [ReplicaEffect] {
    guard var hello = connection.opened(as: actor, at: now) else { return finish(at: now) }
    tellState()
    hello.name = configuration.name
    hello.color = configuration.color
    hello.since = cursor
    hello.overlaps = configuration.overlaps
    hello.readonly = configuration.readonly
    send(.hello(hello))
    return finish(at: now)
  }

  /// The connection is gone, or never came to be; with the WebSocket's close code where there was one.
  public mutating func disconnected(closeCode: UInt16?, at now: Moment) -> [ReplicaEffect] {
    if connection.closed(closeCode, at: now, using: &random) {
      connectionLost()
      tellState()
    }
    return finish(at: now)
  }

  /// The time asked for has come.
  public mutating func wake(at now: Moment) -> [ReplicaEffect] {
    forgetWake()
    carryOut(connection.wake(at: now, using: &random))
    return finish(at: now)
  }

  /// Gives the connection up and tries again after a pause.
  mutating func retry(at now: Moment) {
    effects.append(.disconnect)
    connection.retry(at: now, using: &random)
    connectionLost()
    tellState()
  }

  private mutating func carryOut(_ action: ClientConnection.SocketAction) {
    switch action {
    case .nothing: break
    case .open:
      tellState()
      effects.append(.connect)
    case .close:
      effects.append(.disconnect)
      connectionLost()
      tellState()
    }
  }

  private mutating func connectionLost() {
    sendBlockedUntil = nil
    outbox.ground()
    optimistic.abandonReset()
    digestCheck.connectionLost()
    pings.connectionLost()
    presence.connectionLost()
    if !peers.isEmpty {
      peers = []
      effects.append(.peers([]))
    }
  }
}

// MARK: - Welcome

extension Replica {
  mutating func receive(_ welcome: Welcome, at now: Moment) {
    guard state == .greeting else { return fail(.badField("a second welcome"), at: now) }
    let knewServerTime = connection.serverTime.offset != nil
    connection.receive(welcome, at: now)
    isLoading = true
    room = welcome.room
    role = welcome.role
    messageLimits = MessageLimits(limits, encoding: configuration.encoding)
    outbox.split(operationsMax: messageLimits.operationsMax)
    setClock(as: welcome.actor, knewServerTime: knewServerTime, at: now)
    tellState()
    peers = welcome.peers.filter { $0.actor != welcome.actor }
    effects.append(.peers(peers))
    presence.welcome(at: now.monotonicMilliseconds)
  }

  /// Follows the server's clock from here on. Edits whose stamps it would refuse are stamped anew, in their order.
  private mutating func setClock(as newActor: Identifier, knewServerTime: Bool, at now: Moment) {
    let wall = connection.serverTime.milliseconds(at: now)
    let ahead = distrustsStamps ? 0 : limits.clockAheadMilliseconds
    // Whatever a room has taken may be followed, however far ahead it is.
    let latest = max(wall &+ min(ahead, Stamp.millisecondsMax), clock.confirmedTime >> 16)

    if newActor != actor {
      restamp(as: newActor, latest: wall, behind: latest) { _ in true }
    } else if !knewServerTime, let offset = connection.serverTime.offset,
      offset.magnitude > Replica.offsetMillisecondsTolerated
    {
      // Nothing was ever sent, so that all of it can be moved to when it really was.
      restamp(as: actor, latest: wall, behind: latest, shift: offset) { _ in true }
    } else if clock.clock.time >> 16 > latest {
      // No room has taken what is so far ahead. Stamps rise, so it is the newest that are.
      restamp(as: actor, latest: wall, behind: latest) { $0.milliseconds > latest }
    }
  }

  /// Wrong by less than this is what clocks are.
  private static let offsetMillisecondsTolerated: UInt64 = 1_000

  private mutating func restamp(
    as actor: Identifier,
    latest: UInt64,
    behind bound: UInt64,
    shift: Int64 = 0,
    where isChanged: (Stamp) -> Bool
  ) {
    clock.restart(as: actor, behind: bound)
    var replaced = ReplacedStamps()
    var clock = clock
    outbox.restamp { stamp in
      guard isChanged(stamp) else {
        clock.clock.observe(stamp)
        return stamp
      }
      let (moved, overflow) = Int64(clamping: stamp.milliseconds).addingReportingOverflow(shift)
      let restamped = clock.clock.tick(milliseconds: overflow ? latest : min(UInt64(clamping: moved), latest))
      replaced.enter(stamp, by: restamped)
      return restamped
    }
    self.clock = clock
    history.restamp(replaced)
    tell(optimistic.rebuild(IdentifierSet(optimistic.pending.keys), pending: outbox), by: .own)
  }
}
