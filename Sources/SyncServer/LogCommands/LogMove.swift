import CanvasCRDT
import Glibc
import RoomLog

/// Carries rooms over from one place to another: directories and databases. What is there afterwards is compared, room by
/// room, with what was there before. The rooms also stay where they were. Those of a database may be in use: then each comes
/// over as it was when its turn came.
struct LogMove {
  private let source: WaitingLog
  private let target: WaitingLog
  private let from: Configuration.Storage
  private let to: Configuration.Storage
  /// By which people are known where the rooms come from.
  private let secret: [UInt8]?

  /// Why the move can't go on.
  struct Fault: Error {
    let words: String
  }

  init(from: Configuration.Storage, to: Configuration.Storage) throws(StorageFault) {
    self.from = from
    self.to = to
    if case .directory(let directory) = from { try LogCommand.checkDatabase(in: directory) }
    source = try WaitingLog(from)
    secret = LogMove.secret(of: from) ?? source.secret
    target = try WaitingLog(to, secret: secret)
  }

  private static func secret(of place: Configuration.Storage) -> [UInt8]? {
    guard case .directory(let directory) = place, access(directory + "/canvas.secret", F_OK) == 0 else { return nil }
    return (try? ActorKeys.read(directory + "/canvas.secret"))?.keys.secret
  }

  /// Prints a line for each room.
  /// - Returns: the exit code.
  func run(_ wanted: String?) -> Int32 {
    defer {
      source.close()
      target.close()
    }
    do throws(Fault) {
      guard let rooms = source.rooms else { throw Fault(words: "the rooms can't be listed") }
      if let wanted, !rooms.contains(where: { $0.room == wanted }) { throw Fault(words: "there is no room \(wanted)") }
      var moved = 0
      var wereThere = 0
      for room in rooms where wanted == nil || room.room == wanted {
        guard let isNew = try moveAsItIsNow(room.room) else { continue }
        if isNew { moved += 1 } else { wereThere += 1 }
      }
      try moveSecret()
      try moveLocks(of: Set(rooms.map(\.room)), wanted)
      print("\(moved) rooms moved, \(wereThere) were there already")
      return 0
    } catch {
      print("stopped: \(error.words)")
      return 1
    }
  }

  // MARK: A room

  /// - Returns: false if it was there already, just so; `nil` if it has been deleted since the rooms were listed.
  private func moveAsItIsNow(_ name: String) throws(Fault) -> Bool? {
    guard var room = try summary(of: name) else { return nil }
    while true {
      do throws(Fault) {
        return try move(room)
      } catch {
        // A server may have dropped the oldest records meanwhile.
        guard let now = try summary(of: name) else { return nil }
        guard now.trimmed > room.trimmed else { throw error }
        room = now
      }
    }
  }

  /// - Returns: `nil` if there is no such room.
  private func summary(of room: String) throws(Fault) -> RoomSummary? {
    switch source.ask({ .load(LoadRequest(id: $0, room: room)) }) {
    case .loaded(_, let loaded): return loaded.summary
    case .failed(_, _, .noSuchRoom): return nil
    case let event: throw Fault(words: event.words)
    }
  }

  /// - Returns: false if it was there already, just so.
  private func move(_ room: RoomSummary) throws(Fault) -> Bool {
    let before = try standing(of: room.room, through: room.last, in: source)
    let name = room.room
    let created = target.ask {
      .create(
        CreateRequest(
          id: $0,
          room: name,
          epoch: room.epoch,
          trimmed: room.trimmed,
          operations: before.operationsBefore,
          createdMilliseconds: room.createdMilliseconds
        )
      )
    }
    if case .failed(_, _, .roomExists) = created {
      let there = try begun(room)
      if there == room.last, (try? standing(of: name, through: .max, in: target)) == before {
        print("\(name): is there already")
        return false
      }
      try copy(room, before, after: there)
    } else {
      guard case .created = created else { throw Fault(words: created.words) }
      do throws(Fault) {
        try copy(room, before, after: room.trimmed)
      } catch {
        // Somebody could take a part of a room for all of it.
        _ = target.ask { .delete(id: $0, room: name) }
        throw error
      }
    }
    print("\(name): \(before.last) records, digest \(String(before.digest, radix: 16))")
    return true
  }

  /// A move that was ended before its time has left the beginning of a room, to which nobody has written since.
  /// - Returns: how far it came.
  private func begun(_ room: RoomSummary) throws(Fault) -> UInt64 {
    let there = try load(room.room, from: target).summary
    let another = Fault(
      words: "there is another room \(room.room) where it is to go; delete it there, or move the others by --room"
    )
    guard there.epoch == room.epoch, there.trimmed == room.trimmed, there.last <= room.last else { throw another }
    // Not even the snapshot that its records begin with may be there.
    guard there.last > there.trimmed else { return there.last }
    guard
      try standing(of: room.room, through: there.last, in: source) == standing(of: room.room, through: .max, in: target)
    else { throw another }
    return there.last
  }

  /// - Parameter there: what is there already goes up to here.
  private func copy(_ room: RoomSummary, _ before: Standing, after there: UInt64) throws(Fault) {
    if room.trimmed > 0, there == room.trimmed {
      let base = try load(room.room, through: .position(room.trimmed), from: source).snapshot
      try keep(base, of: room, isBase: true)
    }
    try forEachPage(of: room.room, after: there, through: room.last, in: source) {
      (records: [LogRecord]) throws(Fault) in
      let answers = target.askAll(
        records.map { record in
          let operations = StoredOperations(record.bytes)?.operations.count ?? 0
          return {
            .append(
              AppendRequest(
                id: $0,
                room: room.room,
                epoch: room.epoch,
                milliseconds: record.milliseconds,
                records: [NewRecord(bytes: record.bytes, operations: UInt32(operations))]
              )
            )
          }
        }
      )
      for (record, answer) in zip(records, answers) {
        guard case .appended(let appended) = answer, appended.records.first == record else {
          throw Fault(words: "record \(record.position) of room \(room.room): \(answer.words)")
        }
      }
    }
    // Without it, the room would open slowly.
    if let newest = room.snapshot, newest.position > room.trimmed {
      try keep(try load(room.room, through: .position(room.last), from: source).snapshot, of: room, isBase: false)
    }
    guard try standing(of: room.room, through: .max, in: target) == before else {
      throw Fault(words: "room \(room.room) is another one where it went")
    }
  }

  private func load(
    _ room: String,
    through bound: LogBound = .end,
    from log: WaitingLog
  ) throws(Fault) -> LoadedRoom {
    let event = log.ask { .load(LoadRequest(id: $0, room: room, through: bound)) }
    guard case .loaded(_, let loaded) = event else { throw Fault(words: event.words) }
    return loaded
  }

  /// - Parameter isBase: whether the records that it was made of are in no log any more.
  private func keep(_ snapshot: RoomSnapshot?, of room: RoomSummary, isBase: Bool) throws(Fault) {
    guard let snapshot else { throw Fault(words: "room \(room.room) has lost a snapshot meanwhile") }
    let event = target.ask {
      .snapshot(
        SnapshotRequest(
          id: $0,
          room: room.room,
          epoch: room.epoch,
          position: snapshot.place.position,
          shapes: snapshot.place.shapes,
          bytes: snapshot.bytes,
          isCopy: true,
          origin: isBase ? snapshot.place : nil
        )
      )
    }
    guard case .snapshotted = event else { throw Fault(words: event.words) }
  }

  // MARK: What a room adds up to

  private struct Standing: Equatable {
    var epoch: UInt64
    var trimmed: UInt64
    var last: UInt64
    var digest: UInt64
    /// How many operations it had taken where its records begin.
    var operationsBefore: UInt64
  }

  /// Folds the whole of what is kept of a room, up to a place.
  private func standing(of name: String, through last: UInt64, in log: WaitingLog) throws(Fault) -> Standing {
    let summary = try load(name, from: log).summary
    let last = min(last, summary.last)
    var fold = Fold(epoch: summary.epoch, seed: 0)
    var operationsBefore: UInt64 = 0
    if summary.trimmed > 0 {
      guard let base = try load(name, through: .position(summary.trimmed), from: log).snapshot,
        let image = try? RoomImage(base.bytes, seed: 0)
      else { throw Fault(words: "the snapshot of room \(name) can't be read") }
      fold = Fold(epoch: summary.epoch, image: image)
      operationsBefore = base.place.operations
    }
    try forEachPage(of: name, after: summary.trimmed, through: last, in: log) { (records: [LogRecord]) throws(Fault) in
      for record in records {
        guard let stored = StoredOperations(record.bytes) else {
          throw Fault(words: "record \(record.position) of room \(name) was written by a newer server")
        }
        _ = fold.take(RoomRecord(record, stored), wantsLosses: false) { _, _ in }
      }
    }
    return Standing(
      epoch: summary.epoch,
      trimmed: summary.trimmed,
      last: last,
      digest: fold.canvas.digest,
      operationsBefore: operationsBefore
    )
  }

  private func forEachPage(
    of name: String,
    after: UInt64,
    through last: UInt64,
    in log: WaitingLog,
    _ body: ([LogRecord]) throws(Fault) -> Void
  ) throws(Fault) {
    var after = after
    while after < last {
      let event = log.ask { .read(ReadRequest(id: $0, room: name, after: after, through: .position(last))) }
      guard case .read(_, let page) = event else { throw Fault(words: event.words) }
      try body(page.records)
      if page.isLast { return }
      after = page.through
    }
  }

  // MARK: Beside the rooms

  /// With the same secret, everyone comes back as who they were.
  private func moveSecret() throws(Fault) {
    guard let secret else { return }
    if let theirs = LogMove.secret(of: to) ?? target.secret {
      if theirs != secret {
        print("the secret there is another: everyone comes back as a new actor, without losing edits")
      }
      return
    }
    guard case .directory(let directory) = to else { return }
    do throws(StateFileFault) {
      try ActorKeys.write(secret, to: directory + "/canvas.secret")
    } catch {
      throw Fault(words: "\(directory)/canvas.secret: \(error.words)")
    }
  }

  private func moveLocks(of rooms: Set<String>, _ wanted: String?) throws(Fault) {
    var names = source.locks
    do throws(StateFileFault) {
      if case .directory(let directory) = from { names = try RoomLocks(path: directory + "/canvas.locks").names }
      for name in names.sorted() where rooms.contains(name) && (wanted == nil || wanted == name) {
        if case .directory(let directory) = to {
          var locks = try RoomLocks(path: directory + "/canvas.locks")
          try locks.set(name, isLocked: true)
        } else {
          let event = target.ask { .lock(id: $0, room: name, isLocked: true) }
          guard case .locked = event else { throw StateFileFault(words: event.words) }
        }
      }
    } catch {
      throw Fault(words: "the locks: \(error.words)")
    }
  }
}
