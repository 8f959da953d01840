/// A room that the log's owner follows.
struct FollowedRoom {
  /// A number that is given each time a room is followed. It tells this time from earlier and later ones.
  let number: UInt64
  /// The room's epoch. `nil` while there is no such room.
  var epoch: UInt64?
  /// Whether the owner knows the room's epoch: from its own request, or from a record that was reported.
  var isBegun: Bool
  /// Whether the owner has got the answer to its request to follow.
  var isAnswered = false
  /// The position up to which every record has been reported to the owner.
  var reported: UInt64
  /// The newest record that was reported to the owner. `nil` until one has been read.
  var newest: StoredPlace?
  /// Whether the database may have lost records that were reported. That is so after a new connection was made.
  var isInDoubt = false
  /// Appends of this node that are stored, but can't be reported yet, because records of other nodes come before them
  /// and haven't been read.
  var held: [AppendedRecords] = []
  /// Requests that are answered when everything that is stored by now has been reported.
  var waiting: [FollowRequest] = []
  var isBeingRead = false
  /// Whether the room has to be read again, because more was stored while it was being read.
  var isReadAgain = false

  /// - Parameter after: the position up to which the owner has read already.
  init(number: UInt64, epoch: UInt64?, after: UInt64) {
    self.number = number
    self.epoch = epoch
    isBegun = epoch != nil
    reported = after
  }

  mutating func takeWaiting() -> [FollowRequest] {
    defer { waiting = [] }
    return waiting
  }

  /// The event for the owner when the room is gone. An owner that doesn't know the room's epoch is only told that it no
  /// longer follows the room.
  func ending(of name: String, epoch: UInt64) -> LogEvent {
    isBegun ? .deleted(id: nil, room: name, epoch: epoch) : .unfollowed(id: nil, room: name)
  }
}

extension FollowedRoom {
  /// The position to read after. If the last reported record has to be compared, that record is read again.
  var readsAfter: UInt64 {
    guard let newest else { return reported > 0 ? reported - 1 : 0 }
    return isInDoubt ? min(reported, newest.position - 1) : reported
  }

  enum Comparison {
    case same
    /// The rows end before the record that has to be compared, so they don't decide it.
    case undecided
    /// The last record that was reported is missing, although the room's last position is not before that record.
    case missing(UInt64)
    /// The last record that was reported can't be compared, because it isn't known which append stored that record.
    case unknown
    case other
  }

  /// Compares two records: the last one that had been reported when the rows were requested, and the one that is stored
  /// in its place.
  func compared(with rows: PostgresRows) -> Comparison {
    let (last, trimmed) = (rows.unsigned(0, 1), rows.unsigned(0, 2))
    // An append of this node was stored before the rows were requested, so the rows must reach that far.
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

/// What the rows of a room say.
enum FollowedReading {
  case all
  /// The rows have a record of this node whose append the database hasn't answered yet.
  case awaitsOwn
  case damaged(UInt64)
  /// Another node's record is in the place of this node's append.
  case isOther
}

/// A record's position, and the append that stored the record.
struct StoredPlace: Equatable {
  let position: UInt64
  let writer: Int64
  let append: UInt64
}

extension StoredPlace {
  /// Reads the place from a row of `.newer`.
  init(_ rows: PostgresRows, _ row: Int) {
    self.init(position: rows.unsigned(row, 3), writer: rows.number(row, 5), append: rows.unsigned(row, 6))
  }
}
