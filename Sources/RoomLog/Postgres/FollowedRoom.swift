/// A room that the log's owner follows.
struct FollowedRoom {
  /// Tells this following from an earlier or later one of the same room.
  let number: UInt64
  /// `nil` while there is no such room.
  var epoch: UInt64?
  /// Whether the owner knows the room's epoch: it has asked with it, or has got a record.
  var isBegun: Bool
  /// Whether the owner has got the answer to its request to follow.
  var isAnswered = false
  /// The owner has got every record up to this position.
  var reported: UInt64
  /// The newest record that the owner has got. `nil` until one has been read.
  var newest: StoredPlace?
  /// Whether the database may have lost records that were reported, because the connection is a new one.
  var isInDoubt = false
  /// This node's appends that are stored, but come after others' records that haven't been read yet.
  var held: [AppendedRecords] = []
  /// Requests to answer when everything that is stored by now has been reported.
  var waiting: [FollowRequest] = []
  var isBeingRead = false
  /// Whether more was stored while the room was being read.
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

  /// The owner's event when the room is gone. An owner that doesn't know the epoch only learns that it no longer
  /// follows.
  func ending(of name: String, epoch: UInt64) -> LogEvent {
    isBegun ? .deleted(id: nil, room: name, epoch: epoch) : .unfollowed(id: nil, room: name)
  }
}

extension FollowedRoom {
  /// The position to read from. It is one record earlier if the last reported record has to be compared.
  var readsAfter: UInt64 {
    guard let newest else { return reported > 0 ? reported - 1 : 0 }
    return isInDoubt ? min(reported, newest.position - 1) : reported
  }

  enum Comparison {
    case same
    /// The rows don't reach as far as the record to compare.
    case undecided
    /// The last record that the owner got is missing, although the room's positions go that far.
    case missing(UInt64)
    /// The last record that the owner got can't be compared, because its writer was never read.
    case unknown
    case other
  }

  /// Compares what had been reported when the rows were requested with what is stored.
  func compared(with rows: PostgresRows) -> Comparison {
    let (last, trimmed) = (rows.unsigned(0, 1), rows.unsigned(0, 2))
    // This node's append was stored before the rows were requested.
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

/// The result of reading a room.
enum FollowedReading {
  case all
  /// The rows have a record of this node whose append hasn't been answered yet.
  case awaitsOwn
  case damaged(UInt64)
  /// Somebody else's record is in the place of this node's append.
  case isOther
}

/// A record's place, and the append that put it there.
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
