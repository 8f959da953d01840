@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

// Checks whether the room rightly refuses or accepts what connections write.

extension World {
  mutating func judge(_ refusal: RejectCode, of proposed: [ProposedOperation], _ open: OpenRoom) {
    // The room can't know yet whether an earlier attempt is stored.
    ledger.undecided.formUnion(proposed.compactMap(\.at).filter(stampsToCome(open).contains))
    if refusal == .tooOld { checkAge(of: proposed, open) }
    guard refusal == .roomFull else { return }
    judgeFullness(of: proposed, open, isAtOnce: true)
    guard open.answers.isEmpty else { return }
    let stored = FullnessJudge(open.room.canvas, inFlight: [], limits: limits)
    if node.isLogInDoubt, stored.verdict(on: proposed).fits {
      fail(.roomFull, "only what the log may never store fills it, and the refusal is final")
    }
  }

  /// The stamps that are on their way to the log or from it, and that the room doesn't have yet.
  private func stampsToCome(_ open: OpenRoom) -> Set<Stamp> {
    let stored = disk.records.reversed().prefix { $0.position > open.room.position }.flatMap(\.operations)
    return Set((nodes.flatMap(\.inFlight).joined() + stored).map(\.at))
  }

  /// - Parameter isAtOnce: whether nothing has happened since the room has refused.
  mutating func judgeFullness(of proposed: [ProposedOperation], _ open: OpenRoom, isAtOnce: Bool = false) {
    count(.roomFull)
    // While a node has reports of others' records ahead of it, or a layout is on its way, what is in flight isn't known.
    // Of batches that have failed, some may turn up later.
    let isKnown = node.failedBatches == 0 || isAtOnce && node.inFlight.isEmpty
    let isAlone = nodes.count == 1 && isAtOnce && node.room.life == disk.life && !ledger.hasForeignRecords
    guard isKnown, isAlone || open.answers.isEmpty, !node.hasLayoutUnderWay else { return }
    let ahead = disk.records.reversed().prefix { $0.position > open.room.position }.reversed().map(\.taken)
    let inFlight = (isAlone ? ahead : []) + node.inFlight
    let verdict = FullnessJudge(open.room.canvas, inFlight: inFlight, limits: limits).verdict(on: proposed)
    if verdict.fits { fail(.roomFull, verdict.words) }
  }

  /// Decides whether the room has space. `nil` unless the room's memory for deletions is small, and nothing is in flight.
  func fullnessJudge(_ open: OpenRoom) -> FullnessJudge? {
    guard limits.erasures <= 100, nodes.count == 1, open.answers.isEmpty, !node.hasLayoutUnderWay,
      node.inFlight.isEmpty
    else { return nil }
    return FullnessJudge(open.room.canvas, inFlight: [], limits: limits)
  }

  /// Checks operations that the room has accepted from a connection.
  mutating func checkTaken(
    _ operations: [ProposedOperation],
    from line: Int,
    _ open: OpenRoom,
    _ judge: FullnessJudge?
  ) {
    let actor = lines[line].member.flatMap { open.room.actor(of: $0) }
    if operations.contains(where: { $0.at.map { $0.actor != actor } ?? false }) {
      fail(.stamps, "a connection has written under another's name")
    }
    if let judge, judge.verdict(on: operations).forgets {
      fail(.fullness, "the room takes shapes whose deletion it can't remember")
    }
    if lines[line].isOpen { checkStamps(of: operations, by: lines[line].party) }
  }

  /// Checks that an edit keeps its stamp after it was sent, and that no other edit gets the same stamp.
  private mutating func checkStamps(of operations: [ProposedOperation], by party: Int) {
    for operation in operations {
      guard let at = operation.at, let earlier = ledger.written.updateValue(operation, forKey: at) else { continue }
      // Compares only properties that both versions of the edit have. A pending edit loses values that newer edits
      // replace. A tab that continues after a crash can have an older version.
      let common = earlier.set.assigned.intersection(operation.set.assigned)
      let isSame =
        earlier.shape == operation.shape && common.allSatisfy { earlier.set.agrees(on: $0, with: operation.set) }
      if !isSame, !ledger.hasDoubles {
        fail(.stamps, "\(parties[party].name) has written two edits at \(at)")
      }
    }
  }

  /// Checks that an accepted operation is accepted again, however old it is, while the room still holds one of its
  /// values.
  private mutating func checkAge(of operations: [ProposedOperation], _ open: OpenRoom) {
    let aged = now.wallMilliseconds - min(limits.horizonMilliseconds, now.wallMilliseconds)
    let horizon = max(aged, open.room.refusedBefore)
    let old = operations.filter { ($0.at?.milliseconds ?? .max) < horizon }
    let areHeld = old.allSatisfy { operation in
      operation.set.assigned.contains { open.room.canvas.stamp(of: $0, in: operation.shape) == operation.at }
    }
    if areHeld { fail(.tooOld, "what the room has is refused as too old") }
  }
}
