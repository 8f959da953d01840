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
      overlapWaiters.add(number, waiter, for: open)
      open.room.askOverlaps(request: number, now: .now())
      carryOutEffects(of: open)
      rooms.markDirty(open)
    }
  }
}

/// Jobs that wait to hear which shapes of a room overlap.
///
/// What always holds: each job hears once, at the latest when its room is gone.
struct OverlapWaiters {
  private struct Waiter {
    let room: OpenRoom
    let continuation: CheckedContinuation<SettledOverlaps?, Never>
  }

  private var waiters: [UInt64: Waiter] = [:]

  mutating func add(_ number: UInt64, _ continuation: CheckedContinuation<SettledOverlaps?, Never>, for room: OpenRoom)
  {
    waiters[number] = Waiter(room: room, continuation: continuation)
  }

  mutating func answer(_ number: UInt64, with overlaps: SettledOverlaps) {
    waiters.removeValue(forKey: number)?.continuation.resume(returning: overlaps)
  }

  mutating func roomIsGone(_ room: OpenRoom) {
    for (number, waiter) in waiters where waiter.room === room {
      waiters[number] = nil
      waiter.continuation.resume(returning: nil)
    }
  }
}
