/// A room that the owner of the log follows.
struct FollowedRoom {
  /// Which following it is: a room that is left and followed again has another.
  let number: UInt64
  /// Nil while there is no such room.
  var epoch: UInt64?
  /// Whether the owner knows the room's epoch: it has asked with the epoch, or has got a record.
  var isBegun: Bool
  /// Whether the owner has been told that it follows the room.
  var isAnswered = false
  /// The owner has been told of everything up to here.
  var reported: UInt64
  /// The newest record that the owner has ever been told of. Nil until one has been read.
  var newest: StoredPlace?
  /// Whether the database may have lost some of what was reported, since the connection is another than it was then.
  var isInDoubt = false
  /// Own appends that are stored, and come after others' records that are yet to be read.
  var held: [AppendedRecords] = []
  /// Requests that are answered when everything stored by now has been reported.
  var waiting: [FollowRequest] = []
  var isBeingRead = false
  /// Whether something has been stored since it began to be read.
  var isReadAgain = false

  /// - Parameter after: what the owner has read already ends here.
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

  /// The event that the owner gets when the room is gone. An owner that doesn't know the epoch only learns that it no longer follows.
  func ending(of name: String, epoch: UInt64) -> LogEvent {
    isBegun ? .deleted(id: nil, room: name, epoch: epoch) : .unfollowed(id: nil, room: name)
  }
}

extension FollowedRoom {
  /// After which position to read on. Where the last that was reported has to be compared, from the record before it.
  var readsAfter: UInt64 {
    guard let newest else { return reported > 0 ? reported - 1 : 0 }
    return isInDoubt ? min(reported, newest.position - 1) : reported
  }

  enum Comparison {
    case same
    /// The records that were read don't reach as far.
    case undecided
    /// The last record that the owner got is missing, although the room's positions go that far.
    case missing(UInt64)
    /// The writer of the last record that the owner got was never read, so it can't be compared.
    case unknown
    case other
  }

  /// Compares what was reported, when this was asked, with what is stored.
  func compared(with rows: PostgresRows) -> Comparison {
    let (last, trimmed) = (rows.unsigned(0, 1), rows.unsigned(0, 2))
    // An own append was stored before this was asked.
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
  /// A record is this node's own, and the answer to its append is still to come.
  case awaitsOwn
  case damaged(UInt64)
  /// In the place of an own append stands somebody else's.
  case isOther
}

/// A record's place, and whose append put it there.
struct StoredPlace: Equatable {
  let position: UInt64
  let writer: Int64
  let append: UInt64
}

extension StoredPlace {
  /// Of a row that `.newer` has read.
  init(_ rows: PostgresRows, _ row: Int) {
    self.init(position: rows.unsigned(row, 3), writer: rows.number(row, 5), append: rows.unsigned(row, 6))
  }
}
