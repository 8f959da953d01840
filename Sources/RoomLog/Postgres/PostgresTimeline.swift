/// Which database a connection has reached, and which of its lives. A standby that becomes the primary begins the next
/// timeline, and so does a backup that is restored. With it, the last of what was stored may be gone.
struct PostgresTimeline: Equatable {
  let database: String
  let number: Int64

  init(settings: PostgresRows) {
    database = settings.text(0, 3)
    // The name of the file to which the database writes begins with the timeline's number.
    number = Int64(settings.text(0, 4).prefix(8), radix: 16) ?? 0
  }
}

/// A log that went back: what was reported may no longer be what is stored.
extension PostgresNode {
  /// A connection has found out what it has reached. All four have to reach the same, so those on another timeline are ended.
  /// - Returns: what is wrong with what it has reached, if anything.
  func reach(_ reached: PostgresTimeline, over link: PostgresLink) -> StorageFault? {
    link.timeline = reached
    guard let known = timeline else {
      timeline = reached
      return nil
    }
    guard reached != known else { return nil }
    guard reached.database != known.database || reached.number > known.number else {
      // It might go on taking writes, since it doesn't know. They would be lost.
      let words = "this host was the primary once; waiting for the one that has taken over"
      return .database("\(address.description): \(words)")
    }
    timeline = reached
    // Before it is open, nothing rests on what was read.
    if isOpen {
      timelineNumber += 1
      doubtFollowed()
      outlet.tell([.otherTimeline(timelineNumber, lost: nil)])
    }
    for other in links where other !== link {
      if let there = other.timeline, there != reached { other.lose("another host is the primary now") }
    }
    return nil
  }

  /// Before anything more is reported in a room, its last record is compared with what is stored there now.
  func doubtFollowed() {
    for name in followed.keys { followed[name]?.isInDoubt = true }
  }

  /// What was reported in a room is gone, or something else is stored in its place.
  func setBack(_ name: String, _ waiting: [FollowRequest] = []) {
    let now = MonotonicClock.microseconds()
    // Usually many rooms were set back at once.
    if now >= setBackAt + PostgresNode.setBackMicroseconds {
      setBackAt = now
      timelineNumber += 1
    }
    shared.update { $0.following?.roomsSetBack += 1 }
    let fault = StorageFault.database("\(address.description) has lost records of room \(name)")
    leave(name, .unavailable(fault), .otherTimeline(timelineNumber, lost: name), waiting)
  }

  private static let setBackMicroseconds: UInt64 = 1_000_000
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
    case other
  }

  /// Compares what was reported, when this was asked, with what is stored.
  func compared(with rows: PostgresRows) -> Comparison {
    let (last, trimmed) = (rows.unsigned(0, 1), rows.unsigned(0, 2))
    guard last >= reported else { return .other }
    guard isInDoubt, let newest, newest.position > trimmed else { return .same }
    guard last >= newest.position else { return .other }
    for row in 0..<rows.count where !rows.isNull(row, 3) {
      let found = StoredPlace(rows, row)
      if found.position == newest.position { return found == newest ? .same : .other }
      if found.position > newest.position { return .other }
    }
    return .undecided
  }
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
