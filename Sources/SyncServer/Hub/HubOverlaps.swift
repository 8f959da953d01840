import CanvasCRDT
import WebSocketLoop

// Overlaps of shapes are computed on other threads than the loop's.

extension Hub {
  /// Updates a room's index of overlaps on another thread, and then gives the index back to the room.
  func carryOut(_ order: Handover<OverlapWork>, for open: OpenRoom) {
    counts.noteOverlapOrder()
    let askers = HeavyWork.Askers()
    for party in open.overlapParties { heavyWork.join(askers, party) }
    job {
      let done = try? await heavyWork.run(for: askers) { order.take()?.done() }
      counts.noteOverlapOrderDone()
      guard let outcome = done ?? nil else { return }
      guard !open.isGone else { return free(outcome, shapes: outcome.index.count) }
      changeAtOnce(open) { $0.overlapsDone(outcome, now: now) }
    }
  }

  /// A room's current index of overlaps, with its cursor. `nil` if the room has been deleted.
  func overlapIndex(of open: OpenRoom, for party: String) async -> SettledOverlaps? {
    guard !open.isGone else { return nil }
    let number = log.nextNumber()
    open.overlapAskers[number] = party
    defer { open.overlapAskers[number] = nil }
    return await withCheckedContinuation { waiter in
      open.settling.owe(OwedAnswer(to: waiter, otherwise: nil), number: number)
      changeAtOnce(open) { $0.askOverlaps(request: number, now: now) }
    }
  }
}
