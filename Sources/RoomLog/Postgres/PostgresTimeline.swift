/// The database that a connection has reached, and its timeline. A standby that becomes the primary begins a new
/// timeline, and so does a backup that is restored. The newest records of the old timeline may then be gone.
struct PostgresTimeline: Equatable {
  let database: String
  let number: Int64

  init(settings: PostgresRows) {
    database = settings.text(0, 3)
    // A file name of the write-ahead log begins with the timeline's number.
    number = Int64(settings.text(0, 4).prefix(8), radix: 16) ?? 0
  }
}

/// The database's timeline that this node is on, and the owner's number for it.
///
/// What always holds:
/// - A node never goes back to a timeline from before its own.
/// - The owner's number for the timeline rises whenever reported records may be gone.
final class PostgresTimelines {
  private var reached: PostgresTimeline?
  private(set) var number: UInt64 = 0
  /// When a room was last seen to be set back.
  private var setBackAt: UInt64 = 0

  enum Step {
    case none
    /// Records that were reported until now may be lost.
    case another
    /// The host is a former primary.
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
  /// - Returns: the new number of the timeline, on which the log goes on without those records.
  func noteSetBack(now: UInt64) -> UInt64 {
    // Usually many rooms were set back at once.
    if now >= setBackAt + PostgresTimelines.setBackMicroseconds {
      setBackAt = now
      number += 1
    }
    return number
  }

  private static let setBackMicroseconds: UInt64 = 1_000_000
}

extension PostgresNode {
  /// A connection has found out which timeline it has reached. All four must be on the same one, so connections on
  /// another are ended.
  /// - Returns: why this timeline can't be used; `nil` if it can.
  func reach(_ reached: PostgresTimeline, over link: PostgresLink) -> StorageFault? {
    link.timeline = reached
    switch timelines.reach(reached) {
    case .none: return nil
    case .former:
      // A former primary doesn't know that it is one and might go on taking writes, which would be lost.
      let words = "this host was the primary once; waiting for the one that has taken over"
      return .database("\(address.description): \(words)")
    case .another:
      // Before the log is open, nothing depends on what was read.
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
