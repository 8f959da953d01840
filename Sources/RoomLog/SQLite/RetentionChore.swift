import Basics

/// A request to trim all rooms by the retention limits. It is carried out room by room.
struct Retaining {
  var id: UInt64
  var milliseconds: UInt64
  /// The rooms still to be trimmed. The last one in the array is next.
  var names: [String]

  /// The time by which rooms are trimmed. A clock that is more than an hour ahead of `last` is believed from the next
  /// request on: a machine that starts with a wrong clock sets it right soon, and must not trim all history until then.
  /// - Parameter last: the time of the last request.
  func time(after last: UInt64) -> UInt64 {
    milliseconds <= last || milliseconds - last <= 3_600_000 ? milliseconds : last
  }
}

/// A change that retention makes in the next commit.
enum RetentionTrim {
  /// Trim the room to this snapshot, which was read and found undamaged.
  case room(RoomEntry, SnapshotPlace)
  /// All rooms have been looked at, so the request can be answered.
  case done(id: UInt64)

  var answer: UInt64? { if case .done(let id) = self { id } else { nil } }
}

extension Writer {
  /// Looks at further rooms of a retention request. This runs between commits, because reading the rooms' snapshots
  /// takes time.
  func retain(_ connection: WriterDatabase) throws(SQLiteFailure) {
    var retaining = chores.retentions[0]
    let time = retaining.time(after: chores.retainedMilliseconds)
    let deadline = SteadyClock.microseconds() + options.clearingMicrosecondsMax
    repeat {
      guard let name = retaining.names.popLast(), let entry = rooms[name] else { continue }
      guard shared.refusal(room: entry.number) == nil else { continue }
      let candidates = entry.trimmable(by: options.retention, milliseconds: time)
      guard !candidates.isEmpty else { continue }
      if let place = try newestSound(of: candidates, entry, connection) { trims.append(.room(entry, place)) }
    } while !retaining.names.isEmpty && SteadyClock.microseconds() < deadline
    if retaining.names.isEmpty {
      chores.retainedMilliseconds = retaining.milliseconds
      chores.retentions.removeFirst()
      trims.append(.done(id: retaining.id))
    } else {
      chores.retentions[0] = retaining
    }
  }

  /// Refuses all unfinished retention requests, because closing the log must not wait until all snapshots have been
  /// read.
  func giveUpRetentions() {
    let answers = chores.retentions.map { LogEvent.failed(id: $0.id, room: nil, .isClosing) }
    chores.retentions = []
    outlet.tell(answers)
  }

  func stage(
    _ trim: RetentionTrim,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(SQLiteFailure) {
    switch trim {
    case .done(let id): staging.events.append(.retained(id: id))
    case .room(let known, let place):
      // The room might have been deleted or changed after its snapshot was read.
      guard var entry = staging.rooms[known.name] ?? rooms[known.name], entry.number == known.number,
        entry.snapshots.contains(place), place.position > entry.trimmed
      else { return }
      try stageTrim(&entry, to: place.position, in: &staging, connection)
      staging.events.append(.trimmed(id: nil, room: entry.name, through: entry.trimmed))
    }
  }

  /// The newest undamaged snapshot of a list. Each snapshot is read and checked, because records must not be dropped if
  /// only a damaged snapshot covers them.
  func newestSound(
    of places: [SnapshotPlace],
    _ entry: RoomEntry,
    _ connection: WriterDatabase
  ) throws(SQLiteFailure) -> SnapshotPlace? {
    for place in places.reversed() {
      if try connection.isSound(snapshotAt: place.position, room: entry.number) == true { return place }
      shared.noteSnapshots(areDamaged: true, room: entry.number)
    }
    return nil
  }
}
