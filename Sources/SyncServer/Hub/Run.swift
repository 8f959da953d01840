/// The number under which this process writes to the logs of rooms, and the log's timeline that it writes on.
///
/// What always holds: everything written under the number was written on this timeline. So if the log has lost records,
/// those in their place belong to another run, and cursors tell the two apart.
struct Run {
  private(set) var number: UInt64
  /// The timeline that the log reported last.
  private(set) var timeline: UInt64 = 0

  /// The number, where a room's log doesn't have it yet: the room's next records carry it.
  func numberUnknown(to room: borrowing Room) -> UInt64? { room.knows(run: number) ? nil : number }

  /// Another copy of the log has taken its place, and may lack some of what was stored.
  /// - Parameter new: a number that no run has had.
  /// - Returns: whether it is another timeline than before.
  mutating func goOn(onTimeline timeline: UInt64, as new: UInt64) -> Bool {
    guard self.timeline != timeline else { return false }
    self.timeline = timeline
    number = new
    return true
  }
}
