import Basics

/// Verification reads everything that is stored, room by room and row by row, and checks the checksums.
///
/// Rooms are read in the order of their numbers. So a round needs no list of rooms, and can stop at any row and
/// continue later from a `VerifyPlace`. If rows change during a round, the round sees their newest state.
extension Reader {
  /// How much of this part's limits is left.
  private struct Budget {
    var bytesLeft: Int
    let deadline: UInt64?
    var isSpent: Bool {
      guard bytesLeft > 0 else { return true }
      return deadline.map { SteadyClock.microseconds() >= $0 } ?? false
    }
  }

  func verifyPart(_ request: VerifyRequest, _ statements: ReaderStatements) throws(ReadingFailure) -> VerifiedPart {
    var part = VerifiedPart()
    var budget = Budget(
      bytesLeft: request.bytesMax,
      deadline: SteadyClock.microseconds() &+ request.microsecondsMax
    )
    var place = if let start = request.start { start } else { try first(statements) }
    repeat {
      if case .end = place.stage {
        let (found, search) = try reading { () throws(SQLiteFailure) in
          try statements.readableEntry(after: place.room, through: place.roomMax)
        }
        noteUnreadable(search)
        guard let found else { return part }
        place = try begin(found, place, &part, statements)
      } else {
        place = try goOn(place, &part, &budget, statements)
      }
    } while !budget.isSpent
    part.next = place
    return part
  }

  /// The place before all rooms. If the last row can't be read, rooms that are made meanwhile are verified too.
  private func first(_ statements: ReaderStatements) throws(ReadingFailure) -> VerifyPlace {
    let last: Int64
    do throws(SQLiteFailure) {
      last = try statements.lastRoom()
    } catch {
      guard error.isDamage else { throw .failed(error) }
      last = .max
    }
    return VerifyPlace(room: 0, stage: .end, roomMax: last)
  }

  /// Verifies one room.
  /// - Returns: the number of its records.
  func verify(_ name: String, _ statements: ReaderStatements) throws(ReadingFailure) -> Int {
    let entry = try room(name, epoch: nil, statements)
    var part = VerifiedPart()
    var budget = Budget(bytesLeft: .max, deadline: nil)
    var place = VerifyPlace(room: entry.number, stage: .end, roomMax: entry.number)
    place = try begin((entry, true), place, &part, statements)
    while place.stage != .end { place = try goOn(place, &part, &budget, statements) }
    if let damage = part.damages.first { throw .refused(damage) }
    return part.records
  }

  private func begin(
    _ found: (entry: RoomEntry, isSound: Bool),
    _ place: VerifyPlace,
    _ part: inout VerifiedPart,
    _ statements: ReaderStatements
  ) throws(ReadingFailure) -> VerifyPlace {
    let entry = found.entry
    var place = VerifyPlace(room: entry.number, stage: .end, roomMax: place.roomMax)
    if found.isSound {
      place.stage = .records(after: entry.trimmed, through: entry.last)
      if entry.lacksBase {
        part.damages.append(.damagedSnapshot(room: entry.name, position: entry.trimmed))
        place.hasDamagedSnapshot = true
      }
    } else {
      // A damaged row can have another room's number or name. Then the room is known as damaged since the log was opened.
      let number = try reading { () throws(SQLiteFailure) in try statements.number(of: entry.name) }
      if number == entry.number {
        shared.note(.init(room: entry.name, position: 0, isHistory: false), room: entry.number)
      }
      part.damages.append(.damaged(room: entry.name, position: 0))
      part.rooms += 1
    }
    return place
  }

  private func goOn(
    _ place: VerifyPlace,
    _ part: inout VerifiedPart,
    _ budget: inout Budget,
    _ statements: ReaderStatements
  ) throws(ReadingFailure) -> VerifyPlace {
    var place = place
    let found: (entry: RoomEntry, isSound: Bool)?
    do throws(SQLiteFailure) {
      found = try statements.entry(numbered: place.room)
    } catch {
      guard error.isDamage else { throw .failed(error) }
      found = nil
    }
    guard let (entry, isSound) = found, isSound else {
      // The room was deleted, or was found damaged, after its previous part was verified. If it is damaged, the next
      // round reports that.
      place.stage = .end
      return place
    }
    switch place.stage {
    case .end: break
    case .records(let after, let through):
      place.stage = try records(of: entry, after: after, through: through, &part, &budget, statements)
    case .snapshots(let after):
      let snapshot = try reading { () throws(SQLiteFailure) in
        try statements.snapshot(room: entry.number, after: after)
      }
      switch snapshot {
      case .sound(let row):
        place.stage = .parts(position: row.place.position, last: -1, bytes: 0, checksum: Checksum().value)
      case .damaged(let position): isDamaged(snapshotAt: position, of: entry, &place, &part)
      case nil: end(&place, &part)
      }
    case .parts(let position, let last, let bytes, let checksum):
      try parts(of: entry, position, last, bytes, Checksum(after: checksum), &place, &part, &budget, statements)
    }
    return place
  }

  private func records(
    of entry: RoomEntry,
    after: UInt64,
    through: UInt64,
    _ part: inout VerifiedPart,
    _ budget: inout Budget,
    _ statements: ReaderStatements
  ) throws(ReadingFailure) -> VerifyPlace.Stage {
    // The room might have been trimmed or repaired after the last part was verified.
    var position = max(after, entry.trimmed)
    let end = min(through, entry.last)
    guard position < end else { return .snapshots(after: 0) }
    do throws(ReadingFailure) {
      try walk(entry, after: position, through: end, statements) { record in
        position = record.position
        part.records += 1
        part.bytes += record.bytes.count
        budget.bytesLeft -= record.bytes.count
        return !budget.isSpent
      }
    } catch {
      guard case .refused(let damage) = error else { throw error }
      // The records after the damage aren't verified, because no reader gets past it. The room's snapshots are verified
      // next.
      part.damages.append(damage)
      return .snapshots(after: 0)
    }
    return position < end ? .records(after: position, through: end) : .snapshots(after: 0)
  }

  private func parts(
    of entry: RoomEntry,
    _ position: UInt64,
    _ last: Int64,
    _ bytes: Int,
    _ content: Checksum,
    _ place: inout VerifyPlace,
    _ part: inout VerifiedPart,
    _ budget: inout Budget,
    _ statements: ReaderStatements
  ) throws(ReadingFailure) {
    var (last, bytes, content) = (last, bytes, content)
    let snapshot = try reading { () throws(SQLiteFailure) in
      try statements.snapshot(room: entry.number, after: position - 1)
    }
    if case .damaged(0) = snapshot { return isDamaged(snapshotAt: 0, of: entry, &place, &part) }
    guard case .sound(let row) = snapshot, row.place.position == position else {
      // The snapshot was dropped since an earlier part of the verification read it.
      place.stage = .snapshots(after: position - 1)
      return
    }
    let rows = statements.parts
    defer { rows.reset() }
    rows.bind(1, entry.number)
    rows.bind(2, position)
    rows.bind(3, last)
    do throws(SQLiteFailure) {
      while try rows.step() {
        let piece = rows.bytes(1)
        last = rows.integer(0)
        bytes += piece.count
        content.add(piece)
        part.bytes += piece.count
        budget.bytesLeft -= piece.count
        guard !budget.isSpent else {
          place.stage = .parts(position: position, last: last, bytes: bytes, checksum: content.value)
          return
        }
      }
    } catch {
      guard error.isDamage else { throw .failed(error) }
      return isDamaged(snapshotAt: position, of: entry, &place, &part)
    }
    guard bytes == row.place.byteCount, content.value == row.content else {
      return isDamaged(snapshotAt: position, of: entry, &place, &part)
    }
    place.stage = .snapshots(after: position)
  }

  private func isDamaged(
    snapshotAt position: UInt64,
    of entry: RoomEntry,
    _ place: inout VerifyPlace,
    _ part: inout VerifiedPart
  ) {
    part.damages.append(.damagedSnapshot(room: entry.name, position: position))
    place.hasDamagedSnapshot = true
    shared.noteSnapshots(areDamaged: true, room: entry.number)
    // Position 0 means that the list of snapshots ends here, because the page of the next one is damaged.
    if position > 0 { place.stage = .snapshots(after: position) } else { end(&place, &part) }
  }

  private func end(_ place: inout VerifyPlace, _ part: inout VerifiedPart) {
    shared.noteSnapshots(areDamaged: place.hasDamagedSnapshot, room: place.room)
    part.rooms += 1
    place.stage = .end
  }
}
