import CanvasCRDT

// What other types may ask a room. None of this changes the room.

extension Room {
  var canvas: Canvas {
    _read { yield fold.canvas }
  }
  var cursor: Cursor { fold.cursor }
  var epoch: UInt64 { fold.places.epoch }
  var places: RoomPlaces { fold.places }
  /// Whether the log already has a record with the number of this run (server process). Until it has, the run's records
  /// carry the number.
  func knows(run: UInt64) -> Bool { fold.places.runs.contains(run) }
  var position: UInt64 { fold.position }
  var operationCount: UInt64 { fold.operationCount }
  /// Whether nobody has ever written to the room. Such a room counts as absent.
  var isUnwritten: Bool { fold.position == 0 }
  /// Whether a client has seen more of the room than this node has. That happens if the client comes from another node,
  /// or if an older copy of the log was restored.
  func isBehind(_ cursor: Cursor?) -> Bool {
    guard let named = cursor.flatMap({ RoomCursor($0) }) else { return false }
    return named.position > fold.position
  }
  func image() -> RoomImage { fold.image() }

  var memberCount: Int { audience.count }
  func actor(of id: MemberID) -> Identifier? { audience.member(id)?.actor }
  /// Whether reading from a connection is paused.
  func hasPausedReading(from id: MemberID) -> Bool { audience.holds(id) && audience.readers.hasPausedReading(from: id) }

  /// When `flush` has to be called, on the monotonic clock.
  var flushDueAt: UInt64? { fanOut.dueAt }
  func isFlushDue(now: Moment) -> Bool { fanOut.dueAt.map { $0 <= now.monotonicMilliseconds } ?? false }
  /// Whether operations wait for the next broadcast (`Beat`).
  var isGathering: Bool { fanOut.hasRecords }
  /// Whether `send` has anything to offer.
  var hasUnsent: Bool { audience.readers.isReady }

  var listing: RoomListing {
    RoomListing(
      room: name,
      shapes: fold.canvas.liveCount,
      peers: memberCount,
      places: places,
      position: position,
      operations: operationCount
    )
  }
}

/// A room's entry in the list of rooms.
struct RoomListing: Hashable, Sendable {
  let room: Text
  let shapes: Int
  var peers: Int
  let places: RoomPlaces
  let position: UInt64
  let operations: UInt64
  /// Whether the room was written to after its shapes were last counted.
  var isUncounted = false
  /// Why the room can't be opened. `nil` if it can.
  var fault: Text?

  /// The room's cursor. It is computed only when the list is written, because 10,000 cursors take a while.
  var cursor: Cursor { places.cursor(at: position) }
}
