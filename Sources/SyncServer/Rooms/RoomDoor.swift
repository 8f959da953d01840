import CanvasCRDT

// The door: what may enter, asked once. Merging asks nothing.

/// A batch on its way to the log, and who is to hear of it.
struct InFlight: Sendable {
  enum Origin: Sendable {
    case member(MemberID, MessageIdentifier?)
    case request(UInt64)
  }

  let origin: Origin
  let operationCount: UInt64
  let newcomers: Newcomers
}

extension Room {
  /// Operations from a connection, as `Session` passed them.
  mutating func submit(_ submission: Submission, from id: MemberID, now: Moment) {
    guard let member = member(id) else { return }
    do throws(Rejection) {
      guard member.role == .editor else {
        throw Rejection(code: .readOnly, message: "you are looking on")
      }
      try enter(
        submission.operations,
        actor: member.peer.actor,
        origin: .member(id, submission.id),
        now: now
      )
      let count = UInt64(submission.operations.count)
      members[Int(id.index)]?.inFlightOperations += count
      pauseReadingIfNeeded(id)
    } catch {
      var rejection = error
      rejection.id = submission.id
      refuse(rejection, to: id)
    }
  }

  /// Operations without a connection. Those with a stamp keep it, whosever it is; the first that has one names the
  /// writer of the others, and where none has, `actor` does. An `answered` effect tells what has become of them.
  mutating func submit(_ operations: [ProposedOperation], request: UInt64, actor: Identifier, now: Moment) {
    guard !operations.isEmpty else {
      effects.append(.answered(request: request, .success(cursor)))
      return
    }
    let writer = operations.lazy.compactMap { $0.at?.actor }.first ?? actor
    do throws(Rejection) {
      try enter(operations, actor: writer, origin: .request(request), now: now)
    } catch {
      counts.refusals[Int(error.code.rawValue)] += 1
      effects.append(.answered(request: request, .failure(error)))
    }
  }

  private mutating func enter(
    _ proposed: [ProposedOperation],
    actor: Identifier,
    origin: InFlight.Origin,
    now: Moment
  ) throws(Rejection) {
    for (index, operation) in proposed.enumerated() {
      guard let at = operation.at else { continue }
      if case .member = origin, at.actor != actor {
        throw Rejection(operation: index, code: .badStamp, message: "at must name the connection's actor")
      }
      switch Clock.standing(
        of: at,
        wallMilliseconds: now.wallMilliseconds,
        aheadMillisecondsMax: limits.clockAheadMilliseconds,
        horizonMilliseconds: limits.horizonMilliseconds
      ) {
      case .plausible: break
      // What was taken once is taken again, whatever clocks have done since (W8).
      case .ahead where changesNothing(operation, at: at), .tooOld where holds(operation, at: at): break
      case .ahead(let by):
        throw Rejection(
          operation: index,
          code: .clockAhead,
          message: Text("the stamp is \(by) ms past the server's clock")
        )
      case .tooOld(let by):
        throw Rejection(
          operation: index,
          code: .tooOld,
          message: Text("the stamp is \(by) ms behind the server's clock")
        )
      }
    }
    let newcomers = try newcomers(in: proposed)
    let operations = stamp(proposed, actor: actor, now: now)
    let number = nextBatch
    nextBatch += 1
    pending.add(newcomers)
    inFlight[number] = InFlight(origin: origin, operationCount: UInt64(operations.count), newcomers: newcomers)
    effects.append(.append(Batch(number: number, operations: operations)))
  }

  /// Whether the room has all of an operation, or newer values: so it is with any that was taken before.
  private func changesNothing(_ operation: ProposedOperation, at stamp: Stamp) -> Bool {
    operation.set.assigned.allSatisfy { property in
      canvas.winner(of: property, in: operation.shape).map { $0 >= stamp } ?? false
    }
  }

  /// Whether anything in the room is known to be of this operation.
  private func holds(_ operation: ProposedOperation, at stamp: Stamp) -> Bool {
    operation.set.assigned.contains { canvas.stamp(of: $0, in: operation.shape) == stamp }
  }

  /// Stamps what its writer has not, later than anything that the room or the message has.
  private mutating func stamp(
    _ proposed: [ProposedOperation],
    actor: Identifier,
    now: Moment
  ) -> [Operation] {
    var clock = Clock(actor: actor, time: clockTime)
    var operations: [Operation] = []
    operations.reserveCapacity(proposed.count)
    for operation in proposed {
      let at = operation.at ?? clock.tick(milliseconds: now.wallMilliseconds)
      clock.observe(at)
      operations.append(Operation(shape: operation.shape, at: at, set: operation.set))
    }
    clockTime = max(clockTime, clock.time)
    return operations
  }

  /// The log could not take a batch. Where it can't say whether it has, the batch may still turn up, as one that nobody
  /// asked for, before any that is taken later.
  mutating func failed(batch number: UInt64) {
    guard let flight = land(number) else { return }
    isLogDoubtful = true
    var rejection = Rejection(code: .unavailable, message: Room.unavailable)
    switch flight.origin {
    case .member(let id, let message):
      rejection.id = message
      refuse(rejection, to: id)
    case .request(let request):
      counts.refusals[Int(rejection.code.rawValue)] += 1
      effects.append(.answered(request: request, .failure(rejection)))
    }
  }

  static let unavailable: Text = "the log can't be written now"

  /// Takes a batch off the books.
  mutating func land(_ number: UInt64) -> InFlight? {
    guard let flight = inFlight.removeValue(forKey: number) else { return nil }
    pending.remove(flight.newcomers)
    if case .member(let id, _) = flight.origin, holds(id) {
      members[Int(id.index)]?.inFlightOperations -= flight.operationCount
      resumeReadingIfPossible(id)
    }
    return flight
  }
}
