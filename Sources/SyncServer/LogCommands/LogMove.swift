import CanvasCRDT
import Glibc
import RoomLog

/// Copies rooms from one place to another. Each place is a directory or a database. Each room is compared with its
/// copy, and the originals stay. A database may be in use meanwhile: each room is copied in the state that it has at
/// that time.
struct LogMove {
  private let source: WaitingLog
  private let target: WaitingLog
  private let from: Configuration.Storage
  private let to: Configuration.Storage
  /// The secret from which the actors' keys are made, read from the log that the rooms are copied from.
  private let secret: [UInt8]?
  /// The room to copy. `nil` for all rooms.
  private let wanted: String?

  /// Whether this is a backup of a database. If so, it prints only what a backup of a directory prints.
  private let isBackup: Bool
  private var reading: StoredRooms { StoredRooms(source.answer) }
  private var readingBack: StoredRooms { StoredRooms(target.answer) }

  typealias Fault = StoredRooms.Fault

  init(from: Configuration.Storage, to: Configuration.Storage, only wanted: String? = nil, isBackup: Bool = false)
    throws(StorageFault)
  {
    if case .directory(let directory) = from { try LogCommand.checkDatabase(in: directory) }
    let source = try WaitingLog(from, for: .move)
    // This is looked for first, because opening the log at `to` makes one there.
    if let wanted, source.rooms?.contains(where: { $0.room == wanted }) == false {
      source.close()
      throw .unfit("\(from): there is no room \(wanted)")
    }
    try self.init(of: source, from, to: to, only: wanted, isBackup: isBackup)
  }

  /// - Parameter source: the log at `from`.
  init(
    of source: WaitingLog,
    _ from: Configuration.Storage,
    to: Configuration.Storage,
    only wanted: String? = nil,
    isBackup: Bool
  ) throws(StorageFault) {
    self.wanted = wanted
    self.isBackup = isBackup
    self.from = from
    self.to = to
    self.source = source
    secret = try LogMove.secret(of: from) ?? source.secret
    let purpose = isBackup ? SQLiteOptions.Purpose.backup : .serving
    do throws(StorageFault) { target = try WaitingLog(to, mayCreate: true, secret: secret, for: purpose) } catch {
      source.close()
      throw error
    }
  }

  private static func secret(of place: Configuration.Storage) throws(StorageFault) -> [UInt8]? {
    guard case .directory(let directory) = place else { return nil }
    return try LogCommand.secret(in: directory)
  }

  /// Copies the rooms, and prints a line for each. Leaves damaged rooms out, because they would keep all others from being
  /// copied.
  /// - Returns: how many rooms are left out. `nil` if not all others are copied either.
  func run() -> Int? {
    defer {
      source.close()
      target.close()
    }
    do throws(Fault) {
      guard let rooms = source.rooms else { throw Fault(words: "\(from): the rooms can't be listed") }
      var moved = 0
      var wereThere = 0
      var leftOut = 0
      var copies: Set<String> = []
      for room in rooms where wanted == nil || room.room == wanted {
        do throws(Fault) {
          guard let isNew = try moveAsItIsNow(room.room) else { continue }
          if isNew { moved += 1 } else { wereThere += 1 }
          copies.insert(room.room)
        } catch {
          guard error.isDamage else { throw error }
          print("left out: \(error.words)")
          leftOut += 1
        }
      }
      try moveSecret()
      try moveLocks(of: copies)
      let rest = leftOut == 0 ? "" : ", \(leftOut) left out"
      let done = "\(moved) rooms moved, \(wereThere) were there already\(rest)"
      print(isBackup ? "\(moved) rooms copied" : "\(from) to \(to): \(done)")
      return leftOut
    } catch {
      print("stopped: \(error.words)")
      return nil
    }
  }

  // MARK: A room

  /// - Returns: false if an identical copy was there already; `nil` if the room has been deleted since the rooms were
  ///   listed.
  private func moveAsItIsNow(_ name: String) throws(Fault) -> Bool? {
    guard var room = try reading.summary(of: name) else { return nil }
    while true {
      do throws(Fault) {
        return try move(room)
      } catch {
        // While this room was read, a server may have dropped the room's oldest records. It may even have deleted the
        // room and made another of the same name.
        guard let now = try reading.summary(of: name) else { return nil }
        guard now.trimmed > room.trimmed || now.epoch != room.epoch else { throw error }
        room = now
      }
    }
  }

  /// - Returns: false if an identical copy was there already.
  private func move(_ room: RoomSummary) throws(Fault) -> Bool {
    let before = try standing(of: room.room, through: room.last, reading)
    let name = room.room
    let creation = CreateRequest(
      id: 0,
      room: name,
      epoch: room.epoch,
      trimmed: room.trimmed,
      operations: before.operationsBefore,
      createdMilliseconds: room.createdMilliseconds
    )
    var isThere = false
    do throws(LogError) { try target.ask(.create(creation)) } catch {
      guard case .roomExists = error else { throw Fault(error) }
      isThere = true
    }
    if isThere {
      let there = try begun(room)
      if there == room.last, (try? standing(of: name, through: .max, readingBack)) == before {
        tell("\(name): is there already")
        return false
      }
      var copied: UInt64 = 0
      try copy(room, before, after: there, &copied)
    } else {
      try copyOrDelete(room, before)
    }
    tell("\(name): \(before.last) records, digest \(JSONEncoding.hexadecimal(before.digest).string)")
    return true
  }

  /// Copies a room to a place where it has just been created. An incomplete copy is deleted, because somebody could
  /// mistake it for the whole room. It stays if somebody else has written to it: that isn't stored anywhere else.
  private func copyOrDelete(_ room: RoomSummary, _ before: Standing) throws(Fault) {
    var copied: UInt64 = 0
    do throws(Fault) {
      try copy(room, before, after: room.trimmed, &copied)
    } catch {
      guard let there = try? readingBack.summary(of: room.room), there.epoch == room.epoch else { throw error }
      guard there.last <= room.trimmed + copied else {
        throw Fault(words: "\(error.words); somebody writes to room \(room.room) where it goes, so it stays there")
      }
      try? target.ask(.delete(room.room))
      throw error
    }
  }

  private func tell(_ line: String) {
    if !isBackup { print(line) }
  }

  /// The target already has something under the room's name. Checks that it is the beginning of this room, left by a
  /// move that was interrupted.
  /// - Returns: the position up to which the target has the room.
  private func begun(_ room: RoomSummary) throws(Fault) -> UInt64 {
    let another = Fault(
      words: "there is another room \(room.room) where it is to go; delete it there, or move the others by --room"
    )
    guard let there = try readingBack.summary(of: room.room), there.epoch == room.epoch, there.trimmed == room.trimmed,
      there.last <= room.last
    else { throw another }
    // The copy has no record to compare, because an earlier move was interrupted before it copied one.
    guard there.last > there.trimmed else { return there.last }
    guard
      try standing(of: room.room, through: there.last, reading) == standing(of: room.room, through: .max, readingBack)
    else { throw another }
    return there.last
  }

  /// - Parameters:
  ///   - there: the position up to which the target already has the room.
  ///   - copied: counts the records that the target has stored.
  private func copy(
    _ room: RoomSummary,
    _ before: Standing,
    after there: UInt64,
    _ copied: inout UInt64
  ) throws(Fault) {
    if room.trimmed > 0, there == room.trimmed {
      let base = try reading.load(room, through: room.trimmed).snapshot
      try keep(base, of: room, isBase: true)
    }
    try reading.forEachPage(of: room, after: there, through: room.last) {
      (records: [LogRecord]) throws(Fault) in
      let answers = target.askAll(
        records.map { record in
          let operations = StoredOperations(record.bytes)?.operations.count ?? 0
          return LogQuestion.append(
            AppendRequest(
              id: 0,
              room: room.room,
              epoch: room.epoch,
              milliseconds: record.milliseconds,
              records: [NewRecord(bytes: record.bytes, operations: UInt32(operations))],
              isCopy: true
            )
          )
        }
      )
      copied += UInt64(answers.count { (try? $0.get()) != nil })
      for (record, answer) in zip(records, answers) {
        // If a record's time is ahead of the database's clock, the database stores its own time in place of the
        // record's. Nothing else may differ.
        let place = "record \(record.position) of room \(room.room)"
        switch answer {
        case .success(let appended):
          guard let stored = appended.records.first, stored.position == record.position, stored.bytes == record.bytes
          else { throw Fault(words: "\(place) is stored as another one") }
        case .failure(let error): throw Fault(words: "\(place): \(error)")
        }
      }
    }
    // The newest snapshot is copied too: without one, the copy would be slow to open.
    if let newest = room.snapshot, newest.position > room.trimmed {
      let loaded = try reading.load(room, through: room.last)
      for damage in loaded.passedOver { print("left out: \(damage)") }
      try keep(loaded.snapshot, of: room, isBase: false)
    }
    guard try standing(of: room.room, through: .max, readingBack) == before else {
      throw Fault(words: "room \(room.room) is another one where it went")
    }
  }

  /// - Parameter isBase: whether the snapshot replaces records that have been trimmed. Without such a snapshot the room
  ///   can't be read.
  private func keep(_ snapshot: RoomSnapshot?, of room: RoomSummary, isBase: Bool) throws(Fault) {
    guard let snapshot else {
      // A node deletes snapshots that newer ones make needless.
      guard isBase else { return }
      throw Fault(words: "room \(room.room) has lost a snapshot meanwhile")
    }
    let request = SnapshotRequest(
      id: 0,
      room: room.room,
      epoch: room.epoch,
      position: snapshot.place.position,
      shapes: snapshot.place.shapes,
      bytes: snapshot.bytes,
      isCopy: true,
      origin: isBase ? snapshot.place : nil
    )
    do throws(LogError) { try target.ask(.snapshot(request)) } catch { throw Fault(error) }
  }

  // MARK: What a room adds up to

  private struct Standing: Equatable {
    var epoch: UInt64
    var trimmed: UInt64
    var last: UInt64
    var digest: UInt64
    /// How many operations were in the records that have been trimmed.
    var operationsBefore: UInt64
  }

  /// Applies all stored records of a room, up to the position `last`.
  private func standing(of name: String, through last: UInt64, _ log: StoredRooms) throws(Fault) -> Standing {
    guard let summary = try log.summary(of: name) else { throw Fault(words: "there is no room \(name) any more") }
    let last = min(last, summary.last)
    var (fold, operationsBefore) = try log.base(of: summary)
    try log.forEachPage(of: summary, after: summary.trimmed, through: last) { (records: [LogRecord]) throws(Fault) in
      try log.take(records, of: summary, into: &fold)
    }
    return Standing(
      epoch: summary.epoch,
      trimmed: summary.trimmed,
      last: last,
      digest: fold.canvas.digest,
      operationsBefore: operationsBefore
    )
  }

  // MARK: What is copied besides the rooms

  /// Copies the secret. Without it, every client would get a new actor.
  private func moveSecret() throws(Fault) {
    guard let secret else { return }
    let file: [UInt8]?
    do { file = try LogMove.secret(of: to) } catch { throw Fault(words: "\(error)") }
    if let theirs = file ?? target.secret, theirs != secret {
      print("the secret there is another: everyone comes back as a new actor, without losing edits")
      return
    }
    guard file == nil, case .directory(let directory) = to else { return }
    do throws(StateFileFault) {
      try ActorKeys.write(secret, to: directory + "/canvas.secret")
    } catch {
      throw Fault(words: "\(directory)/canvas.secret: \(error.words)")
    }
  }

  private func moveLocks(of rooms: Set<String>) throws(Fault) {
    var names = source.locks
    do throws(StateFileFault) {
      if case .directory(let directory) = from { names = try RoomLocks(path: directory + "/canvas.locks").names }
      for name in names.sorted() where rooms.contains(name) {
        if case .directory(let directory) = to {
          var locks = try RoomLocks(path: directory + "/canvas.locks")
          locks.set(name, isLocked: true)
          if let fault = locks.store() { throw fault }
        } else {
          do throws(LogError) { try target.ask(.lock(name, isLocked: true)) } catch {
            // Somebody has deleted the copy meanwhile.
            if case .noSuchRoom = error { continue }
            throw StateFileFault(words: "\(error)")
          }
        }
      }
    } catch {
      throw Fault(words: "the locks: \(error.words)")
    }
  }
}
