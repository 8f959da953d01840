import CanvasCRDT

/// Decides when a room forgets deletions early.
///
/// A room remembers only a bounded number of deletions. Without forgetting, a client that deletes as many would keep
/// everyone from drawing there for as long as deletions are remembered.
///
/// Forgetting is a record in the room's log, with a time. After that record, every node ignores operations that are
/// stamped before that time and that the room doesn't have, and refuses new ones as `too_old`. So it makes no
/// difference whether a deletion is still in memory, and deletions are dropped little by little (`Fold.forgetMore`).
struct Forgetting: Sendable {
  private let limits: Limits
  /// On the monotonic clock. Searching all deletions takes milliseconds, and mostly finds that all are too young.
  private var nextLookAt: UInt64 = 0

  init(limits: Limits) { self.limits = limits }

  /// - Returns: a time in Unix milliseconds, before which deletions are to be forgotten. `nil` if there is no need.
  mutating func look(at canvas: borrowing Canvas, now: Moment) -> UInt64? {
    let most = Int(clamping: limits.erasures)
    guard canvas.erasureCount > most - most / 8, now.monotonicMilliseconds >= nextLookAt else { return nil }
    nextLookAt = now.monotonicMilliseconds + limits.erasureMilliseconds / Forgetting.looksInThatTime
    let youngest = now.wallMilliseconds - min(now.wallMilliseconds, limits.erasureMilliseconds)
    return canvas.timeOfErasures(leaving: most - most / 4).map { min($0, youngest) }
  }

  private static let looksInThatTime: UInt64 = 60
}
