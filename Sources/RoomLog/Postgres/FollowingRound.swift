/// Decides when to poll which followed rooms. Polling finds records whose notification was lost. A round over all rooms
/// takes at most one second for each 2,000 rooms.
///
/// What always holds: at most one poll is under way, and meanwhile no other poll is due.
struct FollowingRound {
  private var next: UInt64 = 0
  private var isLooking = false
  /// The rooms that have yet to be polled in this round.
  private var rooms: [String] = []
  /// The number of records that are stored but not reported, in the rooms that were polled so far in this round.
  private var lag: UInt64 = 0

  /// The latest time at which to call `begin`.
  var deadline: UInt64 { isLooking ? .max : next }

  /// Makes the next poll due now.
  mutating func hurry() { next = 0 }

  /// Begins a poll if one is due.
  /// - Parameter rooms: all followed rooms, for the start of a new round.
  /// - Returns: the rooms to poll. `nil` if no poll is due.
  mutating func begin(now: UInt64, rooms all: some Collection<String>) -> [String]? {
    guard !isLooking, now >= next else { return nil }
    next = now + FollowingRound.lookMicroseconds
    isLooking = true
    if rooms.isEmpty {
      rooms = Array(all)
      lag = 0
    }
    let names = Array(rooms.suffix(FollowingRound.roomsInALook))
    rooms.removeLast(names.count)
    return names
  }

  /// Ends the poll under way.
  /// - Returns: at the end of a round, how many stored records of all rooms are unreported. Otherwise `nil`.
  mutating func end(lag more: UInt64) -> UInt64? {
    isLooking = false
    lag = lag.addingClamped(more)
    return rooms.isEmpty ? lag : nil
  }

  private static let lookMicroseconds: UInt64 = 1_000_000
  /// One query polls at most this many rooms. On a busy machine, such a query takes 5 ms of processor time in this
  /// process, and 10 ms in PostgreSQL.
  private static let roomsInALook = 2_000
}

extension UInt64 {
  /// The sum, or the greatest number if that is smaller. Numbers of a database's rows can be anything.
  func addingClamped(_ more: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(more)
    return overflows ? .max : sum
  }
}
