@testable import RoomLog

/// Lets other programs use the files of a running log: they read, copy, verify or damage them.
extension DiskHistory {
  func beginReading() {
    guard guest == nil else { return }
    do throws(SQLiteFailure) {
      let other = try Database(path: database, mayCreate: false, mayWrite: false, fileSystem: disk.name)
      let reading = try other.statement("SELECT name FROM rooms UNION ALL SELECT 'a' UNION ALL SELECT 'b'")
      _ = try reading.step()
      guest = (other, reading)
    } catch {
      // The disk has failed, so no other program reads the database now.
    }
  }

  // MARK: Other programs

  /// Runs `program` as if it were another process. At each of the program's calls to the disk, the log goes on with its
  /// work.
  private func beside(_ program: () throws -> Void) throws {
    var calls = 0
    var failure: (any Error)?
    disk.beside = { [unowned self] in
      calls += 1
      guard calls % 9 == 0, failure == nil else { return }
      do {
        switch calls / 9 % 4 {
        case 0: _ = try append("a", 1, 200)
        case 2: _ = try append("c", 2, 5_000)
        default: try turn()
        }
      } catch {
        failure = error
      }
    }
    defer { disk.beside = nil }
    try program()
    if let failure { throw failure }
  }

  /// Makes a backup. It must contain everything that was acknowledged before it began.
  func backUp() throws {
    guard ledger.copied == nil else { return }
    let before = ledger.rooms.filter { !$0.value.mayBeGone }
    for rest in ["", "-journal"] { disk.discard(copy + rest) }
    var isWhole = false
    try beside {
      do throws(StorageFault) {
        try LogBackup.write(database, to: copy, options: options)
        isWhole = true
      } catch {
        guard !disk.faults.isEmpty else { throw DiskLedger.Failure("no copy: \(error)") }
      }
    }
    guard isWhole else { return }
    ledger.noteCopy(of: before)
    backUps += 1
  }

  func checkCopy() throws {
    guard let copied = ledger.copied else { return }
    try inspect(copy)
    let reader = Reader(
      path: copy,
      options: options,
      queue: RequestQueue(),
      outlet: Outlet { _ in },
      shared: SharedFigures()
    )
    guard case .rooms(_, let rooms) = reader.answer(.list(id: 0)) else {
      throw DiskLedger.Failure("the copy's rooms can't be listed")
    }
    for (name, then) in copied {
      guard let room = rooms.first(where: { $0.room == name }), room.epoch == UInt64(then.life), room.last >= then.last
      else {
        throw DiskLedger.Failure("the copy lacks records of room \(name)")
      }
    }
  }

  func verify() throws {
    try beside {
      do { try inspect(database) } catch let error as StorageFault {
        guard !disk.faults.isEmpty else { throw DiskLedger.Failure("it can't be verified: \(error)") }
      }
    }
  }

  /// Does what `log verify` does, and checks that it finds exactly the damage that the test has made.
  func inspect(_ path: String) throws {
    let inspection = try LogInspection(of: path, options: options)
    // A failing disk can make undamaged rooms unreadable.
    guard inspection.faults.isEmpty || !disk.faults.isEmpty else {
      throw DiskLedger.Failure("the file \(path): \(inspection.faults)")
    }
    for finding in inspection.findings {
      let isExpected =
        switch finding.error {
        case .damaged(let room, let position), .damagedSnapshot(let room, let position):
          finding.opens && ledger.mayBeDamaged(room, at: position)
        default: false
        }
      guard isExpected else { throw DiskLedger.Failure("the file \(path): \(finding.error)") }
    }
  }

  // MARK: Damage

  /// Overwrites a part of a snapshot in the file. SQLite reports no error, as with a faulty disk. The room can be
  /// opened without this snapshot.
  func damageSnapshot(of name: String) {
    guard let room = ledger.rooms[name], room.damagedRecords.isEmpty, let loaded = load(name),
      let place = loaded.snapshot?.place, place.position > loaded.summary.trimmed
    else { return }
    ledger.rooms[name]?.damaged.insert(place.position)
    change("UPDATE snapshot_parts SET bytes=CAST('another' AS BLOB) WHERE position=\(place.position) AND part=1", name)
  }

  /// Overwrites a record in the file. SQLite reports no error, as with a faulty disk. An intact snapshot includes this
  /// record.
  func damageRecord(of name: String) {
    guard let room = ledger.rooms[name], room.damaged.isEmpty, let loaded = load(name),
      let place = loaded.snapshot?.place, place.position > loaded.summary.trimmed
    else { return }
    ledger.rooms[name]?.damagedRecords.insert(place.position)
    change("UPDATE records SET bytes=CAST('another' AS BLOB) WHERE position=\(place.position)", name)
  }

  private func change(_ statement: String, _ name: String) {
    do throws(SQLiteFailure) {
      let other = try Database(path: database, mayCreate: false, fileSystem: disk.name)
      let number = try other.number("SELECT number FROM rooms WHERE name='\(name)'")
      try other.run("\(statement) AND room=\(number)")
    } catch {
      // Even if the call fails, it might have damaged the file.
    }
  }

  private func load(_ room: String) -> LoadedRoom? {
    if case .loaded(_, let loaded)? = read(.load(LoadRequest(id: 0, room: room))) { loaded } else { nil }
  }

  /// Does what `log repair` does.
  func repair(_ name: String) throws {
    guard case .failed(_, _, let error)? = read(.verify(id: 0, room: name)) else { return }
    let means: RepairRequest.Means
    switch error {
    case .damagedSnapshot(_, let position): means = .droppingSnapshot(position: position)
    case .damaged: means = .snapshot
    default: return
    }
    let answer = try ask { .repair(RepairRequest(id: $0, room: name, means: means)) }
    switch answer {
    case .repaired:
      repairs += 1
      ledger.repair(name, error)
    case .failed(_, _, .unavailable), nil: break
    case let answer?:
      // Any other answer is allowed only if the disk has faults.
      guard !disk.faults.isEmpty else { throw DiskLedger.Failure("it isn't repaired: \(answer)") }
    }
  }
}
