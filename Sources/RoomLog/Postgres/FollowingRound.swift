/// Polls the rooms that a node follows in turns. A lost notification is then made up for within a second for each 2,000
/// rooms.
///
/// What always holds: at most one poll is under way, and nothing is due meanwhile.
struct FollowingRound {
  private var next: UInt64 = 0
  private var isLooking = false
  /// The rooms that this round has yet to come to.
  private var rooms: [String] = []
  /// By how many records those were behind that it has come to.
  private var lag: UInt64 = 0

  /// When `begin` has to be called at the latest.
  var deadline: UInt64 { isLooking ? .max : next }

  /// The next look is due now.
  mutating func hurry() { next = 0 }

  /// - Parameter rooms: all of them, for a new round.
  /// - Returns: the rooms to look at; nil if that isn't due.
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

  /// - Returns: by how many records all rooms are behind, at the end of a round.
  mutating func end(lag more: UInt64) -> UInt64? {
    isLooking = false
    lag += more
    return rooms.isEmpty ? lag : nil
  }

  private static let lookMicroseconds: UInt64 = 1_000_000
  /// The most rooms in one query. That query takes 5 ms of processor time here and 10 ms in PostgreSQL, on a busy machine. A node
  /// with more rooms asks for them in turns.
  private static let roomsInALook = 2_000
}
