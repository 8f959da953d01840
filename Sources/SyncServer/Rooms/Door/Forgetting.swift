import CanvasCRDT

/// Decides when a room forgets deletions early.
///
/// A room remembers only a bounded number of deletions. Without early forgetting, a client that deletes as many shapes
/// as the bound would keep everyone from drawing until these deletions are old enough to be forgotten.
///
/// Forgetting is a record in the room's log, with a time. After that record, every node ignores operations that are
/// stamped before that time and that the room doesn't have. So nodes agree even if some of them still have a deletion
/// in memory.
struct Forgetting: Sendable {
  private let limits: Limits
  /// When to search the deletions again, on the monotonic clock. Searches are rare, because a search takes milliseconds
  /// and mostly finds that all deletions are too young.
  private var nextLookAt: UInt64 = 0

  init(limits: Limits) { self.limits = limits }

  /// - Returns: the time, in Unix milliseconds, before which deletions should be forgotten. `nil` if there is no need.
  mutating func look(at canvas: borrowing Canvas, now: Moment) -> UInt64? {
    let most = Int(clamping: limits.erasures)
    guard canvas.erasureCount > most - most / 8, now.monotonicMilliseconds >= nextLookAt else { return nil }
    nextLookAt = now.monotonicMilliseconds + limits.erasureMilliseconds / Forgetting.looksInThatTime
    let youngest = now.wallMilliseconds - min(now.wallMilliseconds, limits.erasureMilliseconds)
    return canvas.timeOfErasures(leaving: most - most / 4).map { min($0, youngest) }
  }

  private static let looksInThatTime: UInt64 = 60
}
