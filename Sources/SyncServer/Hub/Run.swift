/// The number that marks this process's records in the logs of rooms, and the timeline (an unbroken history of the log)
/// on which the number is valid.
///
/// What always holds: all records with this number were written on this timeline. If the log loses records, later
/// records at the same positions have another number. So a cursor shows whether it belongs to the lost records or to
/// the later ones.
struct Run {
  private(set) var number: UInt64
  /// The timeline that the log reported last.
  private(set) var timeline: UInt64 = 0

  /// The number that the room's next records have to carry. `nil` if the room's log has it already.
  func numberUnknown(to room: borrowing Room) -> UInt64? { room.knows(run: number) ? nil : number }

  /// The log continues from another copy of the database, which might lack some records.
  /// - Parameter new: a number that no process has had.
  /// - Returns: whether the timeline has changed.
  mutating func goOn(onTimeline timeline: UInt64, as new: UInt64) -> Bool {
    guard self.timeline != timeline else { return false }
    self.timeline = timeline
    number = new
    return true
  }
}
