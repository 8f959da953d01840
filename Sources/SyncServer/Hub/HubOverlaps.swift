import CanvasCRDT
import WebSocketLoop

// Overlaps are worked out beside the loop.

extension Hub {
  /// Does what a room wants done to its index, and gives it back.
  func carryOut(_ order: OverlapOrder, for open: OpenRoom) {
    Task {
      let done = try? await heavyWork.run(for: "room \(open.name)", isBounded: false) { order.carryOut() }
      guard let outcome = done ?? nil else { return }
      open.room.overlapsDone(outcome, now: .now())
      carryOutEffects(of: open)
      rooms.markDirty(open)
    }
  }

  /// The index of a room as it is now, and the cursor that it is of. `nil` if the room has been deleted.
  func overlapIndex(of open: OpenRoom) async -> SettledOverlaps? {
    guard !open.isGone else { return nil }
    let number = log.nextNumber()
    return await withCheckedContinuation { waiter in
      open.settling.owe(OwedAnswer(to: waiter, otherwise: nil), number: number)
      open.room.askOverlaps(request: number, now: .now())
      carryOutEffects(of: open)
      rooms.markDirty(open)
    }
  }
}
