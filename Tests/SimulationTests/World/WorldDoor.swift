@testable import CanvasCRDT
@testable import SyncServer

// The answers of the room's door, and whether they are right.

extension World {
  /// Hands operations to the room, and checks its word about how full it is.
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

  /// Once it has been sent, an edit keeps its stamp, and the stamp its edit.
  mutating func checkStamps(of operations: [ProposedOperation], by party: Int) {
    for operation in operations {
      guard let at = operation.at, let earlier = ledger.written.updateValue(operation, forKey: at) else { continue }
      // An edit that waits leaves its values to newer ones, and a tab that died may not have kept that.
      let common = earlier.set.assigned.intersection(operation.set.assigned)
      let isSame =
        earlier.shape == operation.shape && common.allSatisfy { earlier.set.agrees(on: $0, with: operation.set) }
      if !isSame, !ledger.hasDoubles {
        fail(.stamps, "\(parties[party].name) has written two edits at \(at)")
      }
    }
  }

  /// An operation that was accepted before is accepted again, as long as the room has a value of it.
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
