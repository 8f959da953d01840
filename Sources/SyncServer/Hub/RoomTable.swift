/// The rooms that are open, and those that are being opened.
///
/// What always holds:
/// - There is one room of a name at most, and none that is gone.
/// - One of a name is opened at a time; all who ask meanwhile wait for that.
/// - There are never more than the limit, those among them that are being read from the log.
/// - A room is listed once as having something to be done.
struct RoomTable {
  private let roomsMax: UInt64
  private var rooms: [String: OpenRoom] = [:]
  private var openings: [String: Task<Opening<OpenRoom>, Never>] = [:]
  private var coming: UInt64 = 0
  /// Rooms with something to be done at the end of this turn or a later one.
  private var dirty: [OpenRoom] = []

  init(roomsMax: UInt64) { self.roomsMax = roomsMax }

  var count: Int { rooms.count }
  var all: [OpenRoom] { Array(rooms.values) }
  subscript(name: String) -> OpenRoom? { rooms[name] }

  mutating func opening(of name: String, _ begin: () -> Task<Opening<OpenRoom>, Never>) -> Task<
    Opening<OpenRoom>, Never
  > {
    let opening = openings[name] ?? begin()
    openings[name] = opening
    return opening
  }

  mutating func endOpening(of name: String) { openings[name] = nil }

  /// Whether as many are open as may be.
  var isFull: Bool { UInt64(rooms.count) + coming >= roomsMax }

  /// One that may go so that another can be opened.
  var dispensable: OpenRoom? { rooms.values.first { $0.mayGo && !$0.snapshot.isUnderWay } }

  /// One is being read from the log.
  mutating func expect() { coming += 1 }
  mutating func expectNoLonger() { coming -= 1 }

  mutating func add(_ open: OpenRoom) { rooms[open.name] = open }

  mutating func remove(_ name: String) -> OpenRoom? {
    guard let open = rooms.removeValue(forKey: name) else { return nil }
    open.isGoneNow()
    return open
  }

  mutating func markDirty(_ open: OpenRoom) {
    if open.becomesDirty() { dirty.append(open) }
  }

  var hasDirty: Bool { !dirty.isEmpty }

  mutating func takeDirty() -> [OpenRoom] {
    let taken = dirty
    dirty = []
    for open in taken { open.isClean() }
    return taken
  }

  /// Whether any has a beat to send.
  var hasGathering: Bool { rooms.values.contains { $0.room.flushDueAt != nil } }
}
