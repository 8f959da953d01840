/// The database that a connection has reached, and that database's timeline. A standby that becomes the primary begins
/// a new timeline, and so does a backup that is restored. The newest records of the old timeline may then be gone.
struct PostgresTimeline: Equatable {
  let database: String
  let number: Int64

  init(settings: PostgresRows) {
    database = settings.text(0, 3)
    // The number of the timeline. The name of a file of the write-ahead log begins with it.
    number = Int64(settings.text(0, 4).prefix(8), radix: 16) ?? 0
  }
}

/// The database's timeline that this node is on, and the number by which the log's owner knows it.
///
/// What always holds:
/// - A node never goes back to a timeline that is older than its own.
/// - The owner's number rises whenever reported records may be gone.
final class PostgresTimelines {
  private var reached: PostgresTimeline?
  private(set) var number: UInt64 = 0
  /// When the node last noticed that a room had lost records.
  private var setBackAt: UInt64 = 0

  enum Step {
    case none
    /// The database is on a newer timeline. Records that were reported until now may be lost.
    case another
    /// The host is a former primary, on an older timeline.
    case former
  }

  /// A connection has found out which database and timeline it has reached.
  func reach(_ reached: PostgresTimeline) -> Step {
    guard let known = self.reached, reached != known else {
      self.reached = reached
      return .none
    }
    guard reached.database != known.database || reached.number > known.number else { return .former }
    self.reached = reached
    return .another
  }

  func noteAnother() -> UInt64 {
    number += 1
    return number
  }

  /// A room has lost records that were reported.
  /// - Returns: the owner's number for the timeline, on which the log goes on without those records.
  func noteSetBack(now: UInt64) -> UInt64 {
    // Usually many rooms have lost records at once. So the number rises only once for all losses that are noticed
    // within a short time.
    if now >= setBackAt + PostgresTimelines.setBackMicroseconds {
      setBackAt = now
      number += 1
    }
    return number
  }

  private static let setBackMicroseconds: UInt64 = 1_000_000
}

extension PostgresNode {
  /// A connection has found out which timeline it has reached. All four connections have to be on the same timeline, so
  /// connections on another one are ended.
  /// - Returns: why this timeline can't be used. `nil` if it can.
  func reach(_ reached: PostgresTimeline, over link: PostgresLink) -> StorageFault? {
    link.timeline = reached
    switch timelines.reach(reached) {
    case .none: return nil
    case .former:
      // A former primary doesn't know that another one has taken over. It may go on accepting writes, but these would
      // be lost.
      let words = "this host was the primary once; waiting for the one that has taken over"
      return .database("\(address.description): \(words)")
    case .another:
      // Before the log is open, nothing has been reported that could be lost.
      if reports.isOpen {
        following.doubt()
        reports.tell([.otherTimeline(timelines.noteAnother(), lost: nil)])
      }
      for other in links where other !== link {
        if let there = other.timeline, there != reached { other.lose("another host is the primary now") }
      }
      return nil
    }
  }
}
