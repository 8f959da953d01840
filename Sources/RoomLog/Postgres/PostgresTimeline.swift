/// Identifies a database and its timeline. A new timeline begins when a standby becomes the primary, or when a backup
/// is restored. The newest records of the old timeline can be missing from the new one.
struct PostgresTimeline: Equatable {
  let database: String
  let number: Int64
}

extension PostgresTimeline {
  init(settings: PostgresRows) {
    // The second value is a file name of the write-ahead log. It begins with the number of the timeline.
    self.init(database: settings.text(0, 3), number: Int64(settings.text(0, 4).prefix(8), radix: 16) ?? 0)
  }
}

/// The newest timeline of the database that this node has found. The log's owner gets its `number`.
///
/// What always holds:
/// - The node never goes back to an older timeline.
/// - Once the log is open, the node never goes to another database.
/// - `number` rises whenever reported records might be lost.
final class PostgresTimelines {
  private var reached: PostgresTimeline?
  private(set) var number: UInt64 = 0
  /// The time at which `number` last rose because a room had lost records.
  private var setBackAt: UInt64 = 0

  enum Step {
    case none
    /// The database is on a newer timeline, which might lack records that were reported.
    case another
    /// The host is on an older timeline: it is a former primary.
    case former
    /// The host has another database.
    case foreign
  }

  /// Compares the timeline that a connection has found with the known one. A newer timeline replaces the known one.
  func reach(_ reached: PostgresTimeline, isOpen: Bool) -> Step {
    guard let known = self.reached, reached != known else {
      self.reached = reached
      return .none
    }
    if reached.database != known.database {
      if isOpen { return .foreign }
    } else if reached.number < known.number {
      return .former
    }
    self.reached = reached
    return .another
  }

  func noteAnother() -> UInt64 {
    number += 1
    return number
  }

  /// Notes that a room has lost reported records.
  /// - Returns: the number of the timeline on which the log goes on.
  func noteSetBack(now: UInt64) -> UInt64 {
    // Usually many rooms lose records at once. The number rises only once for all losses within a short time.
    if now >= setBackAt + PostgresTimelines.setBackMicroseconds {
      setBackAt = now
      number += 1
    }
    return number
  }

  private static let setBackMicroseconds: UInt64 = 1_000_000
}

extension PostgresNode {
  /// Notes the timeline that a connection has found. If it is newer than the node's timeline, all connections on the
  /// old timeline are ended.
  /// - Returns: why the connection can't be used. `nil` if it can.
  func reach(_ reached: PostgresTimeline, over link: PostgresLink) -> StorageFault? {
    link.timeline = reached
    switch timelines.reach(reached, isOpen: reports.isOpen) {
    case .none: return nil
    case .foreign:
      let words = "this host has another database than the one with this server's rooms; restart the server to use it"
      return .database("\(address.description): \(words)")
    case .former:
      // A former primary doesn't know that another host has taken over. It might accept writes, but those would be
      // lost.
      let words = "this host was the primary once; waiting for the one that has taken over"
      return .database("\(address.description): \(words)")
    case .another:
      // An open log might have reported records that the other host lacks. Before the log is open, it has reported
      // none.
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
