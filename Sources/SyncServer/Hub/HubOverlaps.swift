import CanvasCRDT
import WebSocketLoop

// Overlaps of shapes are computed on other threads than the loop's.

extension Hub {
  /// Updates or frees a room's index of overlaps on another thread, and then tells the room. Until then the room stays
  /// open. Otherwise clients that open rooms could pile up indexes.
  func carryOut(_ order: Handover<OverlapWork>, for open: OpenRoom) {
    counts.noteOverlapOrder()
    let askers = HeavyWork.Askers()
    open.overlapWork = askers
    for party in open.overlapParties { heavyWork.join(askers, party) }
    open.hold()
    job {
      // This work is never refused or cancelled.
      let done = try? await heavyWork.run(for: askers) { order.take()?.done() }
      counts.noteOverlapOrderDone()
      open.letLoose()
      guard !open.isGone else { return free(done, shapes: done?.index.count ?? 0) }
      changeAtOnce(open) { $0.overlapsDone(done, now: now) }
    }
  }

  /// To be called when a client begins to ask for a room's overlaps. What the room waits for is done as soon as it is
  /// the turn of anyone who asks.
  func waitForOverlaps(of open: OpenRoom, _ party: String) {
    if let work = open.overlapWork { heavyWork.join(work, party) }
  }

  /// A room's current index of overlaps, with its cursor. `nil` if the room has been deleted.
  func overlapIndex(of open: OpenRoom, for party: String) async -> SettledOverlaps? {
    guard !open.isGone else { return nil }
    let number = log.nextNumber()
    open.overlapAskers[number] = party
    defer { open.overlapAskers[number] = nil }
    waitForOverlaps(of: open, party)
    return await withCheckedContinuation { waiter in
      open.settling.owe(OwedAnswer(to: waiter, otherwise: nil), number: number)
      changeAtOnce(open) { $0.askOverlaps(request: number, now: now) }
    }
  }
}
