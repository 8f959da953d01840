import CanvasCRDT

/// When a room forgets deletions before their time.
///
/// A room remembers only so many. Without this, a client that deletes that many would keep everyone from drawing there
/// for as long as deletions are remembered.
///
/// Forgetting is a record in the room's log, with a time. Behind that record, every node leaves out operations that are
/// stamped before that time and that the room doesn't have, and refuses them as `too_old`. So nothing can tell whether a
/// deletion is still in memory, and the deletions are dropped little by little (`Fold.forgetMore`).
struct Forgetting: Sendable {
  private let limits: Limits
  /// On the monotonic clock. Looking at all deletions takes milliseconds, and mostly in vain: they are too young.
  private var nextLookAt: UInt64 = 0

  init(limits: Limits) { self.limits = limits }

  /// - Returns: a time in Unix milliseconds. Deletions from before it are to be forgotten.
  mutating func look(at canvas: borrowing Canvas, now: Moment) -> UInt64? {
    let most = Int(clamping: limits.erasures)
    guard canvas.erasureCount > most - most / 8, now.monotonicMilliseconds >= nextLookAt else { return nil }
    nextLookAt = now.monotonicMilliseconds + limits.erasureMilliseconds / Forgetting.looksInThatTime
    let youngest = now.wallMilliseconds - min(now.wallMilliseconds, limits.erasureMilliseconds)
    return canvas.timeOfErasures(leaving: most - most / 4).map { min($0, youngest) }
  }

  private static let looksInThatTime: UInt64 = 60
}
