/// The runs of servers that wrote a room's log, by position.
///
/// A run is one process of a server, named by 64 random bits. A run's first record in a room carries that number, so
/// the log tells where the run began. A data directory that is restored from a copy is continued by another run. So
/// records that were lost can be told from what the new run writes at the same positions.
///
/// What always holds:
/// - Positions rise, and no run's number occurs twice.
/// - The run of each position is known from the first position of the oldest remembered run on. An earlier position
///   belongs to a forgotten run. If no run was forgotten, the record there was written before servers had runs.
struct RoomRuns: Hashable, Sendable {
  struct Run: Hashable, Sendable {
    /// The first position that belongs to the run: right after the record before the run's first one. If the log was
    /// restored and lacks records of an earlier run, their positions belong to this run.
    let first: UInt64
    let number: UInt64
  }

  /// Oldest first.
  private(set) var newest: [Run] = []
  /// Whether there were older runs.
  private(set) var hasForgotten = false

  init() {}

  /// - Returns: `nil` if the runs are out of order, or more than are remembered.
  init?(newest: [Run], hasForgotten: Bool) {
    self.hasForgotten = hasForgotten
    for run in newest {
      guard run.first > self.newest.last?.first ?? 0, !contains(run.number), self.newest.count < RoomRuns.remembered
      else {
        return nil
      }
      self.newest.append(run)
    }
  }

  /// The number of the run that a position belongs to. `none` if the position is from before there were runs, `nil` if
  /// its run is forgotten.
  func number(at position: UInt64) -> UInt64? {
    // The position nearly always belongs to the newest run.
    for run in newest.reversed() where run.first <= position { return run.number }
    return hasForgotten && position > 0 ? nil : RoomRuns.none
  }

  func contains(_ number: UInt64) -> Bool { newest.contains { $0.number == number } }

  /// Notes a run's number from a record. Records that were under way with the first one carry the number too.
  /// - Parameter position: the position of the record before.
  mutating func note(_ number: UInt64, after position: UInt64) {
    guard !contains(number) else { return }
    newest.append(Run(first: position + 1, number: number))
    guard newest.count > RoomRuns.remembered else { return }
    newest.removeFirst()
    hasForgotten = true
  }

  /// A number that no run has.
  static let none: UInt64 = 0

  /// A client that was away for more restarts than this gets the whole state once. The runs take a kilobyte of each
  /// open room.
  static let remembered = 64
}
