extension Writer {
  /// Repairs a damaged room in the way that an operator has chosen.
  func stage(
    _ repair: RepairRequest,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(StagingFailure) {
    var entry = try room(repair.room, epoch: nil, in: staging, evenIfDamaged: true)
    switch repair.means {
    case .snapshot:
      let damage = try damage(of: entry)
      // Position 0 means that the entry itself is damaged. Then its list of snapshots can't be used.
      let covering = entry.snapshots.filter { $0.position >= damage.position }
      guard damage.position > 0,
        let newest = try failing({ () throws(SQLiteFailure) in try newestSound(of: covering, entry, connection) })
      else {
        throw .refused(.damageNotCovered(room: repair.room, position: damage.position))
      }
      try failing { () throws(SQLiteFailure) in
        try stageTrim(&entry, to: newest.position, in: &staging, connection)
      }
    case .droppingSnapshot(let position): try drop(snapshotAt: position, of: &entry, in: &staging, connection)
    case .cutting(let newEpoch):
      let damage = try damage(of: entry)
      entry.epoch = newEpoch
      try cut(&entry, from: damage.position, in: &staging, connection)
    }
    staging.repaired.append(entry.number)
    staging.rooms[repair.room] = entry
    staging.events.append(
      .repaired(id: repair.id, room: repair.room, epoch: entry.epoch, first: entry.trimmed, last: entry.last)
    )
  }

  private func damage(of entry: RoomEntry) throws(StagingFailure) -> SharedFigures.Damage {
    guard let damage = shared.damage(room: entry.number) else { throw .refused(.notDamaged(room: entry.name)) }
    return damage
  }

  private func drop(
    snapshotAt position: UInt64,
    of entry: inout RoomEntry,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(StagingFailure) {
    let number = entry.number
    let isSound = try failing { () throws(SQLiteFailure) in
      try connection.isSound(snapshotAt: position, room: number)
    }
    guard isSound == false else { throw .refused(.notDamaged(room: entry.name)) }
    entry.snapshots.removeAll { $0.position == position }
    if entry.trimmed > 0 {
      let trimmed = entry.trimmed
      let others = entry.snapshots.filter { $0.position >= trimmed }
      let base = try failing { () throws(SQLiteFailure) in
        try newestSound(of: others, entry, connection)
      }
      guard base != nil else { throw .refused(.damagedSnapshot(room: entry.name, position: position)) }
    }
    try failing { () throws(SQLiteFailure) in
      try connection.mark(connection.retireSnapshot, room: number, position: position)
    }
    staging.clearings.append(.snapshot(room: number, position: position))
  }

  /// Drops the room's records from `position` on. Position 0 means that the room's own row, its entry, is damaged. Then
  /// the entry is rebuilt from the records and snapshots that exist.
  private func cut(
    _ entry: inout RoomEntry,
    from position: UInt64,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(StagingFailure) {
    let number = entry.number
    let database = connection.database
    if position > 0 {
      try failing { () throws(SQLiteFailure) in
        try database.run("DELETE FROM records WHERE room=\(number) AND position>=\(Int64(bitPattern: position))")
      }
      for place in entry.snapshots where place.position >= position {
        try failing { () throws(SQLiteFailure) in
          try connection.mark(connection.retireSnapshot, room: number, position: place.position)
        }
        staging.clearings.append(.snapshot(room: number, position: place.position))
      }
      entry.snapshots.removeAll { $0.position >= position }
      entry.last = max(position - 1, entry.trimmed)
    } else {
      let ends = try failing { () throws(SQLiteFailure) in
        (
          first: try database.number("SELECT min(position) FROM records WHERE room=\(number)"),
          last: try database.number("SELECT max(position) FROM records WHERE room=\(number)")
        )
      }
      if entry.snapshots.isEmpty {
        try failing { () throws(SQLiteFailure) in try connection.findBase(of: &entry) }
      }
      let newest = entry.snapshots.last?.position ?? 0
      entry.trimmed = ends.first > 0 ? UInt64(ends.first) - 1 : newest
      entry.last = max(UInt64(max(ends.last, 0)), newest)
      let first = try failing { () throws(SQLiteFailure) in
        try connection.place(room: number, position: UInt64(max(ends.first, 0)))
      }
      // Nothing else says when a room was made whose first records were dropped.
      entry.createdMilliseconds = entry.trimmed > 0 ? 0 : first?.milliseconds ?? 0
    }
    let last = entry.last
    let end = try failing { () throws(SQLiteFailure) in try connection.place(room: number, position: last) }
    let snapshot = entry.snapshots.last
    entry.operations = end?.operations ?? snapshot?.operations ?? 0
    entry.changedMilliseconds = end?.milliseconds ?? snapshot?.milliseconds ?? entry.createdMilliseconds
  }
}
