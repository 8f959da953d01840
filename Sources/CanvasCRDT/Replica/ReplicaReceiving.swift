// What a replica does with each message from the server.

extension Replica {
  /// Processes a frame from the server.
  public mutating func received(_ bytes: [UInt8], isText: Bool, at now: Moment) -> [ReplicaEffect] {
    guard state == .greeting || state.isJoined else { return finish(at: now) }
    guard isText == configuration.encoding.isText else {
      fail(.malformed("a frame of the wrong type"), at: now)
      return finish(at: now)
    }
    do throws(MessageError) {
      receive(try configuration.encoding.decode(bytes), at: now)
    } catch {
      switch error {
      // A newer server may send messages that this client doesn't know. The connection stays open.
      case .unknownType: effects.append(.failure(error))
      case .malformed, .badHello, .badField, .rejected: fail(error, at: now)
      }
    }
    return finish(at: now)
  }

  mutating func fail(_ error: MessageError, at now: Moment) {
    effects.append(.failure(error))
    retry(at: now)
  }

  private mutating func receive(_ message: ServerMessage, at now: Moment) {
    switch message {
    case .welcome(let welcome): receive(welcome, at: now)
    case .error(let code, let message): effects.append(.error(code: code, message: message))
    case .pong(let id, let milliseconds): receivePong(id, milliseconds: milliseconds, at: now)
    default:
      guard state.isJoined else { return fail(.badField("a message before welcome"), at: now) }
      switch message {
      case .operations(let delivery): receive(delivery, at: now)
      case .acknowledgement(let acknowledgement): receive(acknowledgement, at: now)
      case .rejection(let rejection): receive(rejection, at: now)
      case .presence(let states): receive(states)
      case .join(let peer): receiveJoin(peer)
      case .leave(let actor): receiveLeave(actor)
      case .crowd(let people): receiveCrowd(people)
      case .overlaps(let notice): effects.append(.overlaps(notice))
      case .digest(let cursor, let hash): receiveDigest(cursor, hash: hash, at: now)
      case .token: effects.append(.tokenTaken)
      // These were handled above.
      case .welcome, .error, .pong: break
      }
    }
  }
}

// MARK: - Operations and state

extension Replica {
  private mutating func receive(_ delivery: Delivery, at now: Moment) {
    if delivery.reset {
      optimistic.beginReset()
      arrivingShownAt = now.monotonicMilliseconds
      digestCheck.forgetUnechoed()
    }
    switch delivery.content {
    case .operations(let operations): receive(operations)
    case .state(let part): receive(part)
    }
    guard !delivery.more else { return showArriving(at: now) }
    let isWhole = optimistic.isArriving
    if isWhole {
      let before = optimistic.shown
      optimistic.finishReset(pending: outbox)
      noteReplaced()
      erasuresMax = max(erasuresMax, 2 * optimistic.shown.erasureCount)
      effects.append(.reset(from: before))
    }
    cursor = delivery.cursor
    // A whole state can be newer than an unanswered edit, and the edit's shape might have been deleted in between. Then
    // the replica has something that the room's state lacks.
    let isDoubtful = isWhole ? outbox.sentCount > 0 : isLoading
    if isLoading || isDoubtful {
      digestCheck.begin(isDoubtful: isDoubtful, actor: actor, at: now.monotonicMilliseconds)
    }
    if isLoading {
      isLoading = false
      if let actor = awaitedActor { setClock(as: actor, at: now) }
      awaitedActor = nil
      settleAnsweredExchanges()
      tellState()
    }
  }

  /// Shows the drawing while it is still arriving over a slow connection, if the client had no drawing of the room
  /// before. On a fast connection this isn't worth the work.
  private mutating func showArriving(at now: Moment) {
    guard cursor == nil, now.milliseconds(since: arrivingShownAt) >= Replica.growsMilliseconds,
      optimistic.gainOfArriving > 0
    else { return }
    arrivingShownAt = now.monotonicMilliseconds
    let before = optimistic.shown
    optimistic.showArriving(pending: outbox)
    effects.append(.reset(from: before))
  }

  private static let growsMilliseconds: UInt64 = 250

  private mutating func receive(_ operations: [Operation]) {
    var changes: [Change] = []
    var writer: Identifier?
    for operation in operations {
      clock.observe(operation.at)
      digestCheck.echoed(operation.at, of: operation.shape)
      if writer != operation.at.actor {
        if let writer { tell(changes, by: origin(of: writer)) }
        changes = []
        writer = operation.at.actor
      }
      let change = optimistic.receive(operation)
      tellDeparture(by: operation, change)
      if !change.isEmpty { changes.append(change) }
    }
    if let writer { tell(changes, by: origin(of: writer)) }
  }

  private func origin(of writer: Identifier) -> ChangeOrigin {
    writer == actor ? .own : .remote(writer)
  }

  private mutating func receive(_ part: StatePart) {
    var changes: [Change] = []
    for erasure in part.erasures {
      var set = Properties()
      set.delete()
      clock.observe(erasure.stamp)
      digestCheck.echoed(erasure.stamp, of: erasure.shape)
      let change = optimistic.receive(Operation(shape: erasure.shape, at: erasure.stamp, set: set))
      if !change.isEmpty { changes.append(change) }
    }
    part.forEachRecord { record in
      for property in record.values.assigned {
        let stamp = record.assignedStamp(of: property)
        clock.observe(stamp)
        digestCheck.echoed(stamp, of: record.shape)
      }
      let change = optimistic.receive(record)
      if !change.isEmpty { changes.append(change) }
    }
    tell(changes, by: .room)
  }
}

// MARK: - Answers to the client's own edits

extension Replica {
  private mutating func receive(_ acknowledgement: Acknowledgement, at now: Moment) {
    guard let number = acknowledgement.id?.wholeNumber, let index = outbox.flight(named: number),
      outbox.flights[index].isSent
    else { return }
    let flight = outbox.remove(at: index)
    if let sentAt = flight.sentAt { sendWindow.answered(milliseconds: now.milliseconds(since: sentAt)) }
    connection.resetPauses()
    postponement = nil
    stampTrust = .full
    for pending in flight.pending {
      clock.observe(pending.operation.at)
      if !optimistic.confirmedHolds(pending.operation) { digestCheck.awaitEcho(of: pending.operation) }
      optimistic.confirm(pending.operation)
      optimistic.release(pending.operation.shape)
      history.taken(pending.operation)
    }
    settleHistory(IdentifierSet(flight.pending.map { $0.operation.shape }))
    var superseded: [SupersededValue] = []
    for value in acknowledgement.superseded where flight.pending.indices.contains(value.operation) {
      clock.observe(value.by)
      let shape = flight.pending[value.operation].operation.shape
      superseded.append(SupersededValue(shape: shape, property: value.property, by: value.by))
    }
    if !superseded.isEmpty { effects.append(.superseded(superseded)) }
  }

  private mutating func receive(_ rejection: Rejection, at now: Moment) {
    guard let number = rejection.id?.wholeNumber, let index = outbox.flight(named: number),
      outbox.flights[index].isSent
    else { return }
    let count = outbox.flights[index].pending.count
    switch rejection.code {
    case .rateLimited, .unavailable, .storageLow:
      outbox.ground(at: index)
      connection.pauseSending(at: now, using: &random)
      postponement = Postponement(code: rejection.code, message: rejection.message)
    case .tooManyOperations where count > 1:
      outbox.ground(at: index)
      messageLimits.operationsMax = max(1, min(messageLimits.operationsMax, count / 2))
      outbox.split(messageLimits)
    case .clockAhead where stampTrust != .none:
      // The host's clock was changed after the welcome, so the estimate of the server's time is wrong. The replica
      // reconnects, and the next welcome corrects the estimate, the clock and the stamps. If an earlier process might
      // have sent later stamps under this actor, the clock can be set back only under a new actor.
      if stampTrust == .confirmed || clock.followsFormerLife { connection.askForNewActor() }
      stampTrust = stampTrust == .full ? .confirmed : .none
      retry(at: now)
    case .tooOld:
      // The server has checked the stamp and didn't find it ahead of its clock. So stamps are trusted again.
      stampTrust = .full
      takeBackTooOld(at: index, rejection, at: now)
    case .readOnly: takeBack(at: index, rejection, at: now) { _, _ in true }
    case .roomFull, .quotaExceeded:
      // A server looks for space after it has checked the stamps.
      if rejection.code == .roomFull { stampTrust = .full }
      // Without an index, it is the quota of a day, which an edit could pass in part a moment later.
      guard let first = rejection.operation, first < count else {
        return takeBack(at: index, rejection, at: now) { _, _ in true }
      }
      // If the room has no space for one new shape, it has none for the new shapes after it. But shorter texts and
      // paths than the refused one can still fit.
      let refused = outbox.flights[index].pending[first].operation.set
      let isShape = refused.assigned.contains(.kind)
      let bytes = rejection.code == .roomFull ? refused.longBytes(of: .all) : 0
      takeBack(at: index, rejection, at: now) { place, pending in
        let set = pending.operation.set
        return place == first
          || isShape && place > first && set.assigned.contains(.kind) && set.longBytes(of: .all) >= bytes
      }
    default:
      guard let operation = rejection.operation, operation < count else {
        return takeBack(at: index, rejection, at: now) { _, _ in true }
      }
      takeBack(at: index, rejection, at: now) { place, _ in place == operation }
    }
  }

  /// Tells the history which of these shapes have no unanswered operations. Undo and redo steps of such a shape can't
  /// be refused any more. This has to wait while the room's state is arriving, because the canvas may lack values that
  /// the server has already accepted.
  private mutating func settleHistory(_ shapes: IdentifierSet) {
    guard !isLoading, !optimistic.isArriving else { return }
    for shape in shapes.members where optimistic.pending[shape] == nil { history.settle(shape, on: optimistic.shown) }
  }

  /// Reverts all operations that are too old. The server reports only one of them, but it would refuse all older ones
  /// next, including those that have to be sent yet or again. Each refusal would cost a round trip, and the rest of the
  /// message would be sent again each time.
  private mutating func takeBackTooOld(at index: Int, _ rejection: Rejection, at now: Moment) {
    let pending = outbox.flights[index].pending
    guard let place = rejection.operation, place < pending.count else {
      return takeBack(at: index, rejection, at: now) { _, _ in true }
    }
    let named = pending[place].operation.at.milliseconds
    let wall = connection.serverTime.milliseconds(at: now)
    let horizon = wall - min(limits.horizonMilliseconds, wall)
    func isTooOld(_ operation: Operation) -> Bool {
      operation.at.milliseconds <= named || operation.at.milliseconds < horizon
    }
    let refused = outbox.takeBack(at: index) { _, pending in isTooOld(pending.operation) }
    takeBack(refused + outbox.takeBackUnsent(where: isTooOld), rejection, at: now)
  }

  /// Settles undos and redos whose operations are no longer in flight. Either these operations were answered before the
  /// room's state had arrived, or an earlier process sent them and didn't get the answers. The room's state shows which
  /// of them were accepted.
  private mutating func settleAnsweredExchanges() {
    var shapes = IdentifierSet()
    for exchange in history.exchanges {
      for shape in exchange.parts.keys where optimistic.pending[shape] == nil { shapes.insert(shape) }
    }
    guard !shapes.isEmpty else { return }
    history.goBack(shapes, on: optimistic.shown)
    settleHistory(shapes)
  }

  /// Called when the connection was closed because a message was too long. If the message was within the limit that the
  /// server announced, something between client and server has a lower limit. From now on, messages are half as long.
  /// An operation that is too long by itself is reverted.
  mutating func shortenMessages(at now: Moment) {
    var longest: (index: Int, bytes: Int)?
    for index in outbox.flights.indices where outbox.flights[index].isSent {
      let bytes = messageLimits.bytes(outbox.flights[index].pending.map { $0.operation })
      if bytes > longest?.bytes ?? Replica.bytesNeverTooLong { longest = (index, bytes) }
    }
    // If all were short, the long message was one of the server's.
    guard let longest else { return }
    if outbox.flights[longest.index].pending.count > 1 {
      messageBytesTaken = longest.bytes / 2
    } else {
      // What was on its way has to be sent again. Later edits of a shape that is reverted now are left out.
      outbox.ground()
      takeBack(at: longest.index, Rejection(code: .badValue, message: Replica.tooLong), at: now) { _, _ in true }
    }
  }

  /// Whatever is between client and server lets messages of this length through.
  private static let bytesNeverTooLong = 1_024

  /// Reverts edits that are too long for any message. They were made before the server's limits were known.
  mutating func refuseTooLong(at now: Moment) {
    let limits = messageLimits
    let taken = outbox.takeBackUnsent { !limits.allows($0) }
    if !taken.isEmpty { takeBack(taken, Rejection(code: .badValue, message: Replica.tooLong), at: now) }
  }

  private mutating func takeBack(
    at index: Int,
    _ rejection: Rejection,
    at now: Moment,
    where isTaken: (Int, Outbox.Pending) -> Bool
  ) {
    takeBack(outbox.takeBack(at: index, where: isTaken), rejection, at: now)
  }

  /// Reverts refused operations that are no longer in the outbox: removes them from the shown canvas and the history,
  /// and reports them. If the server has already broadcast a refused operation, that operation is in the log after all.
  /// It is confirmed and not reported.
  private mutating func takeBack(_ operations: [Outbox.Pending], _ rejection: Rejection, at now: Moment) {
    var taken = operations
    let shapes = IdentifierSet(taken.map { $0.operation.shape })
    let live = shapes.members.filter { optimistic.shown.contains($0) }
    var changes = optimistic.rebuild(shapes, pending: outbox)

    // If the refused edit would have created a shape, later edits of that shape have no effect. So they are reverted
    // too, also those in the rest of the refused message. A change of its kind alone would make another shape.
    var made = IdentifierSet()
    outbox.forEach { pending in
      let operation = pending.operation
      guard operation.set.assigned.contains(.kind), pending.replaced?.values.isLive != true,
        shapes.contains(operation.shape), !history.isChange(operation)
      else { return }
      made.insert(operation.shape)
    }
    let gone = IdentifierSet(
      live.filter { !optimistic.shown.contains($0) || !optimistic.base.contains($0) && !made.contains($0) }
    )
    let orphans = outbox.takeBackUnsent { gone.contains($0.shape) }
    if !orphans.isEmpty {
      changes += optimistic.rebuild(gone, pending: outbox)
      taken += orphans
    }
    for shape in gone.members where optimistic.shown.contains(shape) {
      changes.append(deleteWhatIsLeft(of: shape, at: now))
    }
    let refused = taken.filter { !optimistic.confirmedHolds($0.operation) }
    for pending in taken {
      optimistic.release(pending.operation.shape)
      // A stamp that was refused as too far ahead is ignored, because the clock would jump ahead too. No log has such a
      // stamp.
      if rejection.code != .clockAhead { clock.spend(pending.operation.at) }
    }
    let origins = refused.map { history.origin(of: $0.operation) }
    forget(refused)
    history.goBack(shapes, on: optimistic.shown)
    settleHistory(shapes)
    tell(changes, by: .rejection)
    for (pending, origin) in zip(refused, origins) {
      let operation = ProposedOperation(pending.operation)
      effects.append(
        .rejected(
          RejectedEdit(operation: operation, code: rejection.code, message: rejection.message, origin: origin)
        )
      )
    }
  }
}

extension Replica {
  /// Notes what restored edits replace, once the drawing is known.
  mutating func noteReplaced() {
    let history = history
    var canvas = optimistic.confirmed
    outbox.updateEach { pending in
      if pending.replaced == nil, history.origin(of: pending.operation) == .edit {
        pending.replaced = ReplacedValues(values: history.replaced(by: pending.operation, on: canvas))
      }
      canvas.apply(pending.operation)
    }
  }

  /// Removes refused edits from the history.
  private mutating func forget(_ refused: [Outbox.Pending]) {
    let edits = history.forget(RefusedEdits(refused), on: optimistic.shown)
    outbox.updateEach { pending in
      for edit in edits[pending.operation.shape] {
        pending.replaced?.forget(edit.stamp, edit.replaced, of: edit.replaced.leaving)
      }
    }
  }
}
