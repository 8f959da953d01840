/// Which database a connection has reached, and which of its lives. A standby that becomes the primary begins the next
/// timeline, and so does a backup that is restored. With it, the last of what was stored may be gone.
struct PostgresTimeline: Equatable {
  let database: String
  let number: Int64

  init(settings: PostgresRows) {
    database = settings.text(0, 3)
    // The name of the file to which the database writes begins with the timeline's number.
    number = Int64(settings.text(0, 4).prefix(8), radix: 16) ?? 0
  }
}

/// The database's timeline that this node is on, and the owner's number for it.
///
/// What always holds:
/// - A node never goes back to a timeline that another has followed.
/// - The owner's number rises whenever some of what was reported may be gone.
final class PostgresTimelines {
  private var reached: PostgresTimeline?
  private(set) var number: UInt64 = 0
  /// When it was last seen that a room was set back.
  private var setBackAt: UInt64 = 0

  enum Step {
    case none
    /// Some of what was reported until now may be lost.
    case another
    /// The host was the primary once.
    case former
  }

  /// A connection has found out what it has reached.
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
  /// - Returns: the number from which on it goes on without them.
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
  /// A connection has found out what it has reached. All four have to reach the same, so those on another timeline are ended.
  /// - Returns: what is wrong with what it has reached, if anything.
  func reach(_ reached: PostgresTimeline, over link: PostgresLink) -> StorageFault? {
    link.timeline = reached
    switch timelines.reach(reached) {
    case .none: return nil
    case .former:
      // It might go on taking writes, since it doesn't know. They would be lost.
      let words = "this host was the primary once; waiting for the one that has taken over"
      return .database("\(address.description): \(words)")
    case .another:
      // Before it is open, nothing rests on what was read.
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
