@testable import CanvasCRDT
@testable import SyncServer

// Checks the answers of the room's door.

extension World {
  /// Hands operations to the room, and checks whether its answer about space is right.
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

  /// Checks that an edit that was sent keeps its stamp, and that no other edit gets that stamp.
  mutating func checkStamps(of operations: [ProposedOperation], by party: Int) {
    for operation in operations {
      guard let at = operation.at, let earlier = ledger.written.updateValue(operation, forKey: at) else { continue }
      // Only the values that both operations have are compared: an edit that waits gives up values to newer edits, and
      // a tab that died may not have stored that.
      let common = earlier.set.assigned.intersection(operation.set.assigned)
      let isSame =
        earlier.shape == operation.shape && common.allSatisfy { earlier.set.agrees(on: $0, with: operation.set) }
      if !isSame, !ledger.hasDoubles {
        fail(.stamps, "\(parties[party].name) has written two edits at \(at)")
      }
    }
  }

  /// Checks that an operation that was accepted before is accepted again, however old it is, as long as the room holds
  /// a value that the operation wrote.
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
