@testable import CanvasCRDT
@testable import SyncServer

// Checks whether the room rightly accepts or refuses operations.

extension World {
  /// Passes operations to the room, and checks the room's answer about free space.
  mutating func judged(_ proposed: [ProposedOperation], _ submit: (inout Room) -> Rejection?) -> RejectCode? {
    guard var room = self.room else { return nil }
    self.room = nil
    let judge = FullnessJudge(room.canvas, inFlight: node.inFlight.map(\.operations), limits: limits)
    let refusal = submit(&room)?.code
    self.room = room
    let verdict = judge.verdict(on: proposed)
    if refusal == .roomFull {
      count(.roomFull)
      if node.failedBatches == 0, verdict.fits { fail(.roomFull, verdict.words) }
      let stored = FullnessJudge(room.canvas, inFlight: [], limits: limits)
      if node.isLogInDoubt, stored.verdict(on: proposed).fits {
        fail(.roomFull, "only what the log may never store fills it, and the refusal is final")
      }
    }
    if refusal == .tooOld { checkAge(of: proposed, room) }
    return refusal
  }

  /// Checks that an edit keeps its stamp after it was sent, and that no other edit gets the same stamp.
  mutating func checkStamps(of operations: [ProposedOperation], by party: Int) {
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
  private mutating func checkAge(of operations: [ProposedOperation], _ room: Room) {
    let aged = now.wallMilliseconds - min(limits.horizonMilliseconds, now.wallMilliseconds)
    let horizon = max(aged, room.forgottenBefore)
    let old = operations.filter { ($0.at?.milliseconds ?? .max) < horizon }
    let areHeld = old.allSatisfy { operation in
      operation.set.assigned.contains { room.canvas.stamp(of: $0, in: operation.shape) == operation.at }
    }
    if areHeld { fail(.tooOld, "what the room has is refused as too old") }
  }
}
