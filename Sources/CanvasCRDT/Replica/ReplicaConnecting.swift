// Connecting and leaving: from the first try to the welcome, and what happens when the connection is lost.

extension Replica {
  /// Connects now, even if the next try is not due yet: for example, when the system reports that the network is back.
  public mutating func start(at now: Moment) -> [ReplicaEffect] {
    carryOut(connection.start())
    return finish(at: now)
  }

  /// Leaves the room until `start` is called. Unanswered edits are kept.
  public mutating func stop(at now: Moment) -> [ReplicaEffect] {
    if connection.stop(at: now) == .close { effects.append(.disconnect) }
    connectionLost()
    tellState()
    return finish(at: now)
  }

  /// Changes the name and the color that other people see. Only a hello can carry them, so an open connection is
  /// replaced by a new one.
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

  /// Called when the connection is open.
  public mutating func connected(at now: Moment) -> [ReplicaEffect] {
    guard var hello = connection.opened(as: actor, at: now) else { return finish(at: now) }
    tellState()
    hello.name = configuration.name
    hello.color = configuration.color
    hello.since = cursor
    hello.overlaps = configuration.overlaps
    hello.readonly = configuration.readonly
    hello.crowd = true
    send(.hello(hello))
    return finish(at: now)
  }

  /// Called when the connection was lost or could not be opened. `closeCode` is the WebSocket close code, if there was
  /// one.
  public mutating func disconnected(closeCode: UInt16?, at now: Moment) -> [ReplicaEffect] {
    if connection.closed(closeCode, at: now, using: &random) {
      if closeCode == CloseCode.tooLarge.rawValue { shortenMessages(at: now) }
      connectionLost()
      tellState()
    }
    return finish(at: now)
  }

  /// Called at the time in the newest `wake` effect.
  public mutating func wake(at now: Moment) -> [ReplicaEffect] {
    forgetWake()
    carryOut(connection.wake(at: now, using: &random))
    return finish(at: now)
  }

  /// Gives up the connection and tries again after a pause.
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
    postponement = nil
    awaitedActor = nil
    outbox.ground()
    optimistic.abandonReset()
    digestCheck.connectionLost()
    pings.connectionLost()
    sendWindow.connectionLost()
    presence.connectionLost()
    if !peers.isEmpty {
      peers = []
      effects.append(.peers([]))
    }
    forgetCrowd()
  }
}

// MARK: - Welcome

extension Replica {
  mutating func receive(_ welcome: Welcome, at now: Moment) {
    guard state == .greeting else { return fail(.badField("a second welcome"), at: now) }
    // If the clock is ahead, the stamps of later edits differ from its time in the counter only.
    if connection.serverTime.isGuess {
      let setBack = max(0, (wallAheadAtStamps ?? now.wallAhead) &- now.wallAhead)
      guess = ((connection.serverTime.offset ?? 0) &+ setBack, until: clock.clock.time | 0xFFFF)
    }
    connection.receive(welcome, at: now)
    if let sentAt = connection.helloSentAt { sendWindow.roundTrip(milliseconds: now.milliseconds(since: sentAt)) }
    isLoading = true
    room = welcome.room
    role = welcome.role
    messageLimits = MessageLimits(limits, encoding: configuration.encoding, bytesTaken: messageBytesTaken)
    outbox.split(messageLimits)
    setClock(as: welcome.actor, at: now)
    refuseTooLong(at: now)
    tellState()
    forgetCrowd()
    peers = welcome.peers.filter { $0.actor != welcome.actor }
    effects.append(.peers(peers))
    presence.welcome(at: now.monotonicMilliseconds)
  }

  /// Sets the clock by the server's time. Edits whose stamps the server would refuse get new stamps, in the same order.
  mutating func setClock(as newActor: Identifier, at now: Moment) {
    // The room was created anew or restored, so what it had accepted before no longer counts. Only the room's new state
    // shows what it has accepted.
    if isLoading, stampTrust == .none, newActor != actor { clock.forgetAccepted() }
    // Only the room's state shows which of the messages in flight the room has accepted. Until the state has arrived,
    // nothing is sent and the clock isn't set.
    if isLoading, !outbox.flights.isEmpty, stampTrust != .full || newActor != actor { return awaitedActor = newActor }
    // A client whose token names its actor gets no new actor under which to set the clock back. But the server has
    // refused a stamp as ahead of its clock, and the room's state shows which stamps it has accepted.
    if !isLoading, stampTrust != .full, connection.isActorFixed { clock.forgetFormer() }
    let wall = connection.serverTime.milliseconds(at: now)
    let ahead = stampTrust == .full ? limits.clockAheadMilliseconds : 0
    // The clock must not go back behind stamps of this actor that the room might have accepted. Without full trust, the
    // stamps that this client has sent are left out: the server has refused one of them as ahead of its clock.
    let sent = stampTrust == .full ? clock.sentTime : 0
    let former = newActor == actor ? clock.formerTime : 0
    let taken = max(clock.confirmedTime, former, sent) >> 16
    let latest = max(wall &+ min(ahead, Stamp.millisecondsMax), taken)

    // A process that only guessed the server's time has sent nothing. Its edits may therefore get new stamps, with the
    // corrected times at which they were made.
    let error = guess.map { (connection.serverTime.offset ?? 0) &- $0.offset } ?? 0
    let guessedUntil = guess?.until ?? 0
    guess = nil
    let shift = error.magnitude > Replica.offsetMillisecondsTolerated ? error : 0
    if newActor != actor || shift != 0 || clock.clock.time >> 16 > latest {
      restamp(as: newActor, now: wall, latest: latest, shift: shift, until: guessedUntil)
    }
  }

  /// If the wall clock is wrong by no more than this, the stamps are not corrected.
  private static let offsetMillisecondsTolerated: UInt64 = 1_000

  /// Gives the edits stamps of `actor` that the server accepts. A stamp that is not too far ahead keeps its time, so
  /// that an edit stays older than newer edits by other people. Stamps rise, so only the newest ones can be too far
  /// ahead. If the actor changes, edits that the room already has are not sent again.
  ///
  /// - Parameters:
  ///   - shift: what is added to the times of this process's stamps. Earlier processes may have sent theirs.
  ///   - until: the last of these stamps. Later ones were made when the server's time was known.
  mutating func restamp(as actor: Identifier, now wall: UInt64, latest: UInt64, shift: Int64, until: UInt64 = 0) {
    var taken: [Outbox.Pending] = []
    let former = self.actor
    // What the room has accepted keeps the former actor's stamps.
    let accepted = actor == former ? 0 : clock.ownTime
    if actor != former {
      history.leave(Stamp(time: clock.clock.time, actor: former))
      taken = outbox.takeBackUnsent { optimistic.confirmedHolds($0) }
    }
    let formerTime = clock.formerTime
    clock.restart(as: actor, behind: latest)
    reserve.startOver()
    var replaced = ReplacedStamps()
    var clock = clock
    // Makes the new stamps rise as the old ones do. It starts before all of them, so a stamp that may stay does so.
    var order = Clock(actor: actor, share: clock.clock.share)
    func renewed(_ stamp: Stamp) -> Stamp {
      let renewed: Stamp
      if shift == 0 || stamp.time <= formerTime || stamp.time > until, stamp.milliseconds <= latest {
        renewed = order.tick(from: stamp.time)
        clock.clock.observe(renewed)
      } else {
        let (moved, overflow) = Int64(clamping: stamp.milliseconds).addingReportingOverflow(shift)
        renewed = clock.clock.tick(milliseconds: overflow ? wall : min(UInt64(clamping: moved), wall))
        order.observe(renewed)
      }
      if renewed != stamp { replaced.enter(stamp, by: renewed) }
      return renewed
    }
    // The history can have stamps that are no longer in the outbox, because newer edits have overwritten their values.
    // These stamps are replaced too. Otherwise the clock, which was set back, might give the same stamp to another
    // value, and one's own lock could seem newer than what one has written since.
    var left = history.stamps(by: former, after: max(clock.clock.time, accepted))[...]
    outbox.restamp { stamp in
      while let first = left.first, first <= stamp {
        left.removeFirst()
        if first < stamp { _ = renewed(first) }
      }
      return renewed(stamp)
    }
    for stamp in left { _ = renewed(stamp) }
    self.clock = clock
    history.restamp(replaced)
    outbox.updateEach { $0.replaced?.restamp(replaced) }
    tell(optimistic.rebuild(IdentifierSet(optimistic.pending.keys), pending: outbox), by: .own)
    for pending in taken {
      optimistic.release(pending.operation.shape)
      history.taken(pending.operation)
    }
  }
}
