/// The number with which this process marks its records in the logs of rooms, and the timeline of the log that the
/// number belongs to.
///
/// What always holds: all records with this number were written on this timeline. If the log loses records, another run
/// writes at their positions, and cursors tell the two runs apart.
struct Run {
  private(set) var number: UInt64
  /// The timeline that the log reported last.
  private(set) var timeline: UInt64 = 0

  /// The number, if the room's log doesn't have it yet: the room's next records have to carry it then. Otherwise `nil`.
  func numberUnknown(to room: borrowing Room) -> UInt64? { room.knows(run: number) ? nil : number }

  /// The log goes on from another copy, which may lack some records.
  /// - Parameter new: a number that no run has had.
  /// - Returns: whether the timeline has changed.
  mutating func goOn(onTimeline timeline: UInt64, as new: UInt64) -> Bool {
    guard self.timeline != timeline else { return false }
    self.timeline = timeline
    number = new
    return true
  }
}
