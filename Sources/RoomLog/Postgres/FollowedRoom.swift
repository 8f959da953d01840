/// What a node knows of a room that the log's owner follows.
struct FollowedRoom {
  /// A new number each time a room is followed. It shows whether a late answer belongs to an earlier request.
  let number: UInt64
  /// The room's epoch. `nil` until the room exists.
  var epoch: UInt64?
  /// Whether the owner knows the room's epoch, from its own request or from a reported record.
  var isBegun: Bool
  /// Whether the owner's request to follow the room has been answered.
  var isAnswered = false
  /// All records up to and including this position have been reported.
  var reported: UInt64
  /// The newest reported record. `nil` until one has been read.
  var newest: StoredPlace?
  /// Whether the database might have lost reported records, which is possible after each reconnection.
  var isInDoubt = false
  /// Whether the whole room might be lost, because another host has taken over since it was last read.
  var mayBeLost = false
  /// Stored appends of this node that can't be reported yet, because earlier records of other nodes haven't been read.
  var held: [AppendedRecords] = []
  /// Requests that are answered once everything stored so far has been reported.
  var waiting: [FollowRequest] = []
  var isBeingRead = false
  /// How many bytes of other nodes' records were reported since the last pause.
  var unappliedBytes = 0
  /// Whether nothing more is read until the owner has applied what was reported.
  var isPaused = false
  /// Whether to read the room again after the read that is under way, because more records might have been stored.
  var isReadAgain = false

  /// - Parameter after: the last position that the owner has already read.
  init(number: UInt64, epoch: UInt64?, after: UInt64) {
    self.number = number
    self.epoch = epoch
    isBegun = epoch != nil
    reported = after
  }

  /// Notes that any of its records might be lost, or the whole room.
  mutating func doubtAll() { (isInDoubt, mayBeLost) = (true, true) }

  /// Ends the doubts that the room had when its rows were asked for.
  mutating func trust(as asked: FollowedRoom) {
    if asked.isInDoubt { isInDoubt = false }
    if asked.mayBeLost { mayBeLost = false }
  }

  mutating func takeWaiting() -> [FollowRequest] {
    defer { waiting = [] }
    return waiting
  }

  /// The event to report when the room is gone: `.deleted`, or `.unfollowed` for an owner that doesn't know the room's
  /// epoch.
  func ending(of name: String, epoch: UInt64) -> LogEvent {
    isBegun ? .deleted(id: nil, room: name, epoch: epoch) : .unfollowed(id: nil, room: name)
  }
}

extension FollowedRoom {
  /// The position after which to read. If the newest reported record is in doubt, it is read again and compared, so the
  /// position is one lower.
  var readsAfter: UInt64 {
    guard let newest else { return reported > 0 ? reported - 1 : 0 }
    return isInDoubt ? min(reported, newest.position - 1) : reported
  }

  enum Comparison {
    case same
    /// The rows end before the record that has to be compared.
    case undecided
    /// The newest reported record is missing, although the room's row counts it as stored.
    case missing(UInt64)
    /// It is unknown which append stored the newest reported record, so it can't be compared with the database's record.
    case unknown
    case other
  }

  /// Compares the newest reported record with the record that the database has at its position. To be called on a copy
  /// of this room that was made when the rows were requested.
  func compared(with rows: PostgresRows) -> Comparison {
    let (last, trimmed) = (rows.natural(0, 1), rows.natural(0, 2))
    // This node's held appends were stored before the rows were requested. So the room must reach at least the last
    // position of these appends.
    guard last >= max(reported, held.last?.records.last?.position ?? 0) else { return .other }
    guard isInDoubt else { return .same }
    guard let newest else { return reported > trimmed ? .unknown : .same }
    guard newest.position > trimmed else { return .same }
    guard last >= newest.position else { return .other }
    for row in 0..<rows.count where !rows.isNull(row, 3) {
      let found = StoredPlace(rows, row)
      if found.position == newest.position { return found == newest ? .same : .other }
      if found.position > newest.position { return .other }
    }
    return readsAfter + 1 == newest.position ? .missing(newest.position) : .undecided
  }
}

/// The result of reading a room's rows.
enum FollowedReading {
  case all
  /// One of the records is this node's, but the append that stored it hasn't been answered yet.
  case awaitsOwn
  case damaged(UInt64)
  /// Another node's record is where this node's append should be.
  case isOther
}

/// A record's position, with the writer and the number of the append that stored it.
struct StoredPlace: Equatable {
  let position: UInt64
  let writer: Int64
  let append: UInt64
}

extension StoredPlace {
  /// Reads the values from a row of the statement `.newer`.
  init(_ rows: PostgresRows, _ row: Int) {
    self.init(position: rows.natural(row, 3), writer: rows.number(row, 5), append: rows.unsigned(row, 6))
  }
}
