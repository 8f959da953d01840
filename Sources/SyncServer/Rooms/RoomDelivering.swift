import CanvasCRDT

// What the log hands back: the only thing that changes a room.

extension Room {
  /// A durable record, this process's own or another's. One that has come before changes nothing.
  mutating func delivered(_ record: borrowing RoomRecord, now: Moment) {
    let flight = record.batch.flatMap { land($0) }
    if flight != nil { isLogDoubtful = false }
    guard record.position > position else {
      answer(flight, superseded: [], after: ring.end)
      return
    }
    let before = position
    position = record.position
    operationCount += UInt64(record.operations.count)
    var wantsSuperseded = false
    if case .member = flight?.origin { wantsSuperseded = true }
    var superseded: [Superseded] = []
    let tracksOverlaps = index != nil
    for (index, operation) in record.operations.enumerated() {
      let change = canvas.apply(operation, place: position)
      recent.note(change, place: position)
      if operation.at.time > clockTime { clockTime = operation.at.time }
      if !pending.isEmpty { settlePending(operation.shape) }
      if tracksOverlaps { noteForOverlaps(change) }
      guard wantsSuperseded, !change.superseded.isEmpty else { continue }
      for property in change.superseded {
        guard let by = canvas.winner(of: property, in: operation.shape) else { continue }
        superseded.append(Superseded(operation: index, property: property, by: by))
      }
    }
    if !actors.isEmpty {
      if pendingOperations.isEmpty { pendingAfter = before }
      pendingOperations.append(contentsOf: record.operations)
      // They gathered on their way into the log, and all that one commit brought come in one turn: waiting for a beat
      // here too would make them late twice.
      flushDueAt = now.monotonicMilliseconds
    }
    // Behind the beat that brings its operations.
    answer(flight, superseded: superseded, after: ring.end &+ 1)
    if UInt64(pendingOperations.count) >= limits.beatOperations { flush(now: now) }
  }

  private mutating func answer(_ flight: InFlight?, superseded: [Superseded], after: UInt64) {
    switch flight?.origin {
    case .member(let id, let message):
      let acknowledgement = Acknowledgement(id: message, cursor: cursor, superseded: superseded)
      post(.acknowledgement(acknowledgement), to: id, after: after)
    case .request(let request): effects.append(.answered(request: request, .success(cursor)))
    case nil: break
    }
  }

  /// Forgets deletions that the door no longer lets anyone cross; seldom, and before a snapshot.
  mutating func forgetErasures(now: Moment) {
    // Twice the horizon: a stamp was allowed in for one, and this node's clock is not everyone's.
    let age = limits.horizonMilliseconds.multipliedReportingOverflow(by: 2)
    guard !age.overflow, now.wallMilliseconds > age.partialValue else { return }
    canvas.forgetErasures(before: now.wallMilliseconds - age.partialValue)
  }
}

// MARK: - The beat

extension Room {
  /// Something is to be told to all: now, where the room has been quiet for a beat, or at the end of this one.
  mutating func gather(_ now: Moment) {
    guard flushDueAt == nil else { return }
    let time = now.monotonicMilliseconds
    guard let last = lastBeatAt, last <= time, time - last < limits.beatMilliseconds else {
      flushDueAt = time
      return
    }
    flushDueAt = last + limits.beatMilliseconds
  }

  func isFlushDue(now: Moment) -> Bool {
    flushDueAt.map { $0 <= now.monotonicMilliseconds } ?? false
  }

  /// Encodes what has gathered, once for each encoding that somebody speaks, and puts it into the ring.
  mutating func flush(now: Moment) {
    flushDueAt = nil
    let overlapChanges = settleOverlaps(now: now)
    let peers = takePeerChanges(now)
    guard !pendingOperations.isEmpty || !peers.isEmpty || !overlapChanges.isEmpty else { return }
    lastBeatAt = now.monotonicMilliseconds
    var beat = Beat(position: position)
    beat.peers = peers
    beat.began = overlapChanges.began
    beat.ended = overlapChanges.ended
    for encoding in WireEncoding.allCases {
      let plain = Channel(encoding, overlaps: false).index
      let told = Channel(encoding, overlaps: true).index
      guard memberCounts[plain] + memberCounts[told] > 0 else { continue }
      var bytes: [UInt8] = []
      encodeOperations(pendingOperations[...], isLast: true, encoding, into: &bytes)
      if memberCounts[told] > 0 {
        var withOverlaps = bytes
        if !overlapChanges.isEmpty {
          for notice in notices(began: beat.began, ended: beat.ended) {
            framing.append(encoding.encode(.overlaps(notice)), encoding, &withOverlaps)
          }
        }
        beat.peersStart[told] = withOverlaps.count
        encode(peers, encoding, into: &withOverlaps)
        beat.bytes[told] = withOverlaps
      }
      if memberCounts[plain] > 0 {
        beat.peersStart[plain] = bytes.count
        encode(peers, encoding, into: &bytes)
        beat.bytes[plain] = bytes
      }
    }
    counts.beats += 1
    counts.beatOperations += UInt64(pendingOperations.count)
    counts.framesBytes += UInt64(beat.byteCount)
    pendingOperations.removeAll(keepingCapacity: true)
    ring.append(beat)
    isEveryoneReady = true
    trimRing()
  }

  /// One message, or, where that passes the bound, two halves of it. Who has only some of them has come no further than it
  /// was before.
  private func encodeOperations(
    _ operations: ArraySlice<Operation>,
    isLast: Bool,
    _ encoding: WireEncoding,
    into bytes: inout [UInt8]
  ) {
    guard !operations.isEmpty else { return }
    let cursor = RoomCursor(epoch: epoch, position: isLast ? position : pendingAfter).cursor
    let message = encoding.encode(
      .operations(Delivery(cursor: cursor, operations: Array(operations), more: !isLast))
    )
    guard UInt64(message.count) > limits.messageBytes, operations.count > 1 else {
      framing.append(message, encoding, &bytes)
      return
    }
    let middle = operations.startIndex + operations.count / 2
    encodeOperations(operations[..<middle], isLast: false, encoding, into: &bytes)
    encodeOperations(operations[middle...], isLast: isLast, encoding, into: &bytes)
  }

  /// Keeps the ring within its bounds. Who would have got a dropped beat next has fallen off.
  mutating func trimRing() {
    guard UInt64(ring.byteCount) > limits.ringBytes || UInt64(ring.count) > limits.ringBeats else { return }
    while ring.count > 1, UInt64(ring.byteCount) > limits.ringBytes || UInt64(ring.count) > limits.ringBeats {
      noteWhoFallsOff()
      dropBeat()
    }
    dropStaleStreams()
  }

  private mutating func dropBeat() {
    let ordinal = ring.start
    let beat = ring.dropFirst()
    positionAtStart = beat.position
    for actor in beat.peers.left { peersAtStart.remove(actor) }
    for peer in beat.peers.joined { peersAtStart.insert(peer.actor) }
    guard ordinal >= pairsSince else { return }
    for pair in beat.ended { pairsAtStart.remove(pair) }
    for pair in beat.began { pairsAtStart.insert(pair) }
  }

  /// What everyone has got is of use to nobody in a quiet room; to be called now and then.
  mutating func rest(now: Moment) {
    if index != nil, !wantsOverlaps, now.monotonicMilliseconds >= indexNeededUntil {
      index = nil
      unsettledShapes = []
    }
    lookIfDue(now: now)
    guard flushDueAt == nil, let last = lastBeatAt,
      now.monotonicMilliseconds >= last &+ Room.restMilliseconds
    else { return }
    for member in members {
      guard let member else { continue }
      guard case .live = member.stage, lanes[Int(member.id.index)].place == ring.end else { return }
    }
    while !ring.isEmpty { dropBeat() }
    streams = [:]
    pendingOperations = []
  }

  /// Quiet for as long, a room gives back what its last beats take.
  private static let restMilliseconds: UInt64 = 10_000
}
