/// The number under which this process writes to the logs of rooms, and the log's timeline that it writes on.
///
/// What always holds: all records under this number were written on this timeline. If the log loses records, another
/// run writes at their positions, and cursors tell the two apart.
struct Run {
  private(set) var number: UInt64
  /// The timeline that the log reported last.
  private(set) var timeline: UInt64 = 0

  /// The number, if the room's log doesn't have it yet: then the room's next records carry it.
  func numberUnknown(to room: borrowing Room) -> UInt64? { room.knows(run: number) ? nil : number }

  /// The log was replaced by another copy of it, which may lack some records.
  /// - Parameter new: a number that no run has had.
  /// - Returns: whether the timeline has changed.
  mutating func goOn(onTimeline timeline: UInt64, as new: UInt64) -> Bool {
    guard self.timeline != timeline else { return false }
    self.timeline = timeline
    number = new
    return true
  }
}
