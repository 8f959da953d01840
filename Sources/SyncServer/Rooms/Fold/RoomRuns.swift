/// The runs (server processes) that wrote a room's log, by position.
///
/// A run is named by 64 random bits. Its first record in a room carries that number, so the log says where the run
/// began. If a data directory is restored from a copy, another run continues it. The two numbers then tell records that
/// were lost from those that the new run writes at the same positions.
///
/// What always holds:
/// - Positions rise, and no run's number occurs twice.
/// - From the first position of the oldest remembered run on, the run of each position is known. An earlier position
///   belongs to a forgotten run. If no run was forgotten, it is from before servers had runs.
struct RoomRuns: Hashable, Sendable {
  struct Run: Hashable, Sendable {
    /// The first position that belongs to the run. If a restored log has lost the last records of an earlier run, their
    /// positions belong to this run.
    let first: UInt64
    let number: UInt64
  }

  /// The newest runs, the oldest of them first.
  private(set) var newest: [Run] = []
  /// Whether older runs have been forgotten.
  private(set) var hasForgotten = false

  init() {}

  /// - Returns: `nil` if the runs are out of order, or if there are more than a room remembers.
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

  /// Remembers a run, if it is new, from a record that carries the run's number. All records that were sent to the log
  /// together with the run's first one carry the number.
  /// - Parameter position: the position of the record before this one.
  mutating func note(_ number: UInt64, after position: UInt64) {
    guard !contains(number) else { return }
    newest.append(Run(first: position + 1, number: number))
    guard newest.count > RoomRuns.remembered else { return }
    newest.removeFirst()
    hasForgotten = true
  }

  /// Stands for no run.
  static let none: UInt64 = 0

  /// How many runs are remembered. This many take a kilobyte for each open room. A client that was away for more
  /// restarts has to be sent the whole state.
  static let remembered = 64
}
