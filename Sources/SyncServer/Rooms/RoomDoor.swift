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
  /// Those of its shapes that count as pending.
  let shapes: [Identifier]
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
      counts.refusals[Int(rejection.code.rawValue)] += 1
      post(.rejection(rejection), to: id)
    }
  }

  /// Operations without a connection. Those with a stamp keep it and all name one actor, who is then the writer of the
  /// others too; `actor` is a new one for where none does. An `answered` effect tells what has become of them.
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
      guard at.actor == actor else {
        throw Rejection(operation: index, code: .badStamp, message: "at must name the connection's actor")
      }
      switch Clock.standing(
        of: at,
        wallMilliseconds: now.wallMilliseconds,
        aheadMillisecondsMax: limits.clockAheadMilliseconds,
        horizonMilliseconds: limits.horizonMilliseconds
      ) {
      case .plausible: break
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
    let shapes = try countShapes(of: proposed)
    let operations = stamp(proposed, actor: actor, now: now)
    let number = nextBatch
    nextBatch += 1
    for shape in shapes { pendingShapes[shape, default: 0] += 1 }
    inFlight[number] = InFlight(origin: origin, operationCount: UInt64(operations.count), shapes: shapes)
    counts.operationsIn += UInt64(operations.count)
    effects.append(.append(Batch(number: number, operations: operations)))
  }

  /// The shapes that the canvas does not have yet; refused where the room has no room for them.
  private func countShapes(of proposed: [ProposedOperation]) throws(Rejection) -> [Identifier] {
    var shapes: [Identifier] = []
    var known: Set<Identifier> = []
    var arriving = 0
    var erased = 0
    for (index, operation) in proposed.enumerated() {
      guard !known.contains(operation.shape) else { continue }
      let erasesOnly = operation.set.deleted && operation.set.assigned.count == 1
      if erasesOnly {
        if canvas.registers(of: operation.shape).isEmpty { erased += 1 }
        guard erased == 0 || UInt64(canvas.erasureCount + erased) <= limits.erasures else {
          throw Rejection(
            operation: index,
            code: .roomFull,
            message: "the room remembers as many deleted shapes as it can"
          )
        }
        continue
      }
      guard canvas.registers(of: operation.shape).isEmpty else { continue }
      // What was deleted since it was sent for the first time takes no room.
      if let at = operation.at, let erasure = canvas.stamp(of: .deleted, in: operation.shape), at <= erasure {
        continue
      }
      known.insert(operation.shape)
      shapes.append(operation.shape)
      if pendingShapes[operation.shape] == nil { arriving += 1 }
      guard UInt64(canvas.shapeCount + pendingShapes.count + arriving) <= limits.shapes || arriving == 0 else {
        throw Rejection(
          operation: index,
          code: .roomFull,
          message: Text("the room has \(limits.shapes) shapes, as many as it may")
        )
      }
    }
    return shapes
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

  /// The log could not take a batch, and surely has not.
  mutating func failed(batch number: UInt64) {
    guard let flight = land(number) else { return }
    counts.refusals[Int(RejectCode.unavailable.rawValue)] += 1
    let words: Text = "the log can't be written now"
    switch flight.origin {
    case .member(let id, let message):
      post(.rejection(Rejection(id: message, code: .unavailable, message: words)), to: id)
    case .request(let request):
      effects.append(.answered(request: request, .failure(Rejection(code: .unavailable, message: words))))
    }
  }

  /// Takes a batch off the books.
  mutating func land(_ number: UInt64) -> InFlight? {
    guard let flight = inFlight.removeValue(forKey: number) else { return nil }
    for shape in flight.shapes {
      guard let count = pendingShapes[shape] else { continue }
      pendingShapes[shape] = count > 1 ? count - 1 : nil
    }
    if case .member(let id, _) = flight.origin, holds(id) {
      members[Int(id.index)]?.inFlightOperations -= flight.operationCount
      resumeReadingIfPossible(id)
    }
    return flight
  }
}
