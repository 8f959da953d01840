import CanvasCRDT

/// When a room forgets deletions before their time.
///
/// A room remembers only so many. Without this, whoever deletes that many would keep everyone from drawing there for as
/// long as deletions are remembered.
///
/// What is forgotten can't be crossed any more, so the door is closed to older stamps first. The deletions are forgotten
/// once everything that was let in before has arrived.
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
