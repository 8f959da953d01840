/// A room that is being opened, and the parties that wait for it.
struct RoomOpening {
  let askers: HeavyWork.Askers
  let task: Task<Opening<OpenRoom>, Never>
}

/// The open rooms, and those that are being opened.
///
/// What always holds:
/// - Each name has at most one open room, and the table has no room that was closed or deleted.
/// - No room is opened twice at the same time. All jobs that ask for a room while it is being opened wait for that one
///   opening.
/// - There are never more rooms than the limit, counting those that are being read from the log.
struct RoomTable {
  private let roomsMax: UInt64
  private var rooms: [String: OpenRoom] = [:]
  private var openings: [String: RoomOpening] = [:]
  /// Rooms that have been read and are about to enter the table. They get the log's reports already.
  private var arriving: [String: OpenRoom] = [:]
  private var coming: UInt64 = 0
  var toFlush = RoomsToFlush()
  /// Whether the work that the rooms do once a second is still in progress.
  var areResting = false

  init(roomsMax: UInt64) { self.roomsMax = roomsMax }

  var count: Int { rooms.count }
  var all: [OpenRoom] { Array(rooms.values) }
  subscript(name: String) -> OpenRoom? { rooms[name] }

  func opening(of name: String) -> RoomOpening? { openings[name] }
  mutating func begin(_ opening: RoomOpening, of name: String) { openings[name] = opening }
  mutating func endOpening(of name: String) { openings[name] = nil }

  /// Whether the limit of open rooms is reached.
  var isFull: Bool { UInt64(rooms.count) + coming >= roomsMax }

  /// A room that may be closed so that another can be opened. A room whose stored records are damaged must stay open
  /// until a snapshot replaces them.
  var dispensable: OpenRoom? { rooms.values.first { $0.mayGo && !$0.snapshot.isUnderWay && !$0.isLogDamaged } }

  /// Makes a room that is being read from the log count towards the limit.
  mutating func expect() { coming += 1 }
  mutating func expectNoLonger() { coming -= 1 }

  /// The room that gets the log's reports: an open one, or one that is being opened.
  func heeding(_ name: String) -> OpenRoom? { rooms[name] ?? arriving[name] }

  mutating func expect(_ open: OpenRoom) { arriving[open.name] = open }
  mutating func expectNoLonger(_ open: OpenRoom) { arriving[open.name] = nil }

  mutating func add(_ open: OpenRoom) { rooms[open.name] = open }

  mutating func remove(_ open: OpenRoom) {
    if rooms[open.name] === open { rooms[open.name] = nil }
    open.markGone()
  }
}
