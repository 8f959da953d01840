import CanvasCRDT

/// How late a stamp may be in a room that is ahead of the server's clock, for example because that clock was set back.
///
/// What always holds: while the room is ahead, no writer at this server can make the latest stamp rise faster than time
/// goes by. Stamps that the room has from other nodes may be later, and then count as the latest.
struct Lead: Sendable {
  /// The latest stamp's time in Unix milliseconds, as it was at `noted`. `nil` while the room is not ahead.
  private var latest: UInt64?
  /// The monotonic time of the last call of `note`.
  private var noted: UInt64 = 0

  /// To be called before stamps are checked.
  /// - Parameters:
  ///   - newest: the time of the room's newest stamp, in Unix milliseconds.
  ///   - edge: the latest stamp's time in a room that is not ahead.
  mutating func note(newest: UInt64, edge: UInt64, now: Moment) {
    if newest < edge {
      latest = nil
    } else if let before = latest {
      latest = max(before + now.monotonicMilliseconds - noted, newest)
    } else {
      // A writer that counts on from the newest stamp may come to the end of its millisecond at once.
      latest = newest + 1
    }
    noted = now.monotonicMilliseconds
  }

  func takes(_ stamp: Stamp) -> Bool {
    guard let latest else { return false }
    return stamp.milliseconds < latest || stamp.milliseconds == latest && stamp.counter <= Lead.counterMax
  }

  /// The greatest counter that is taken in the latest millisecond. The others are left for stamps that the server gives:
  /// these come after the room's newest stamp, and behind the greatest counter they would be in the next millisecond.
  static let counterMax = Stamp.counterMax / 2
}
